// [Q-penalty]: scores that are exact where it counts.
//
// A product of a query's and a key's component is a penalty if it is nowhere positive and 0 at one end of the word,
// which every row sees. The penalties of the largest steps are set aside, as many as it takes for all other products to
// add up exactly in any order: R. So the scores of keys without a penalty are R, exactly; the end is one of them, and
// if no two tie in R, one of them is the greatest, at least R_end, and ahead of the others by U. A key with a penalty
// has one of at least C, the least step of those set aside. With all penalties of a key adding up to P ≥ C its score is
// computed as at most −P + R_max + E, where E = ε·(P + Σ|R|) with ε < 1: the greater P, the less. So it is behind by U
// if
//
//     C − (R_max − R_end) − ε·(C + Σ|R|) ≥ U.
#include <algorithm>
#include <cmath>
#include <functional>

#include "bounds/exact.h"
#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

Interval product(const Product& p) { return p.q.ranges.all * p.k.ranges.all; }
long grid(const Product& p) { return p.q.grid + p.k.grid; }

class PenaltyProof {
 public:
  PenaltyProof(const Setting& setting, const Wholes& state, const model::Head& head, Mark::Kind end)
      : setting_(setting), state_(state), head_(head), end_(end) {}

  std::optional<Penalties> run(const std::vector<Product>& products) const {
    std::vector<long> steps;
    for (const Product& p : products)
      if (is_penalty(p)) steps.push_back(grid(p));
    std::sort(steps.begin(), steps.end(), std::greater<>());
    for (const long step : steps) {
      Penalties result;
      std::vector<Product> aside;
      for (const Product& p : products) (is_penalty(p) && grid(p) >= step ? aside : result.others).push_back(p);
      if (!are_exact(setting_, result.others)) continue;
      result.room = room(result.others, aside, std::ldexp(1, static_cast<int>(step)));
      return result;
    }
    return std::nullopt;
  }

 private:
  /// What a key's row gives at the end, and at other positions, where the end's mark is 0.
  Interval of_key(std::size_t l, bool at_end) const {
    Interval sum{0, 0};
    for (const auto& [column, w] : head_.k.rows[l]) {
      const Ranges& x = state_[column].ranges;
      const bool mark = state_[column].mark.kind == end_;
      if (at_end)
        sum = sum + w * (end_ == Mark::Kind::first ? x.first : x.last);
      else if (!mark)
        sum = sum + w * x.all;
    }
    return sum;
  }

  bool is_penalty(const Product& p) const {
    const Interval query = p.q.ranges.all, key = of_key(p.row, false);
    return product(p).magnitude() > 0 && of_key(p.row, true) == Interval{0, 0} &&
           ((query.low >= 0 && key.high <= 0) || (query.high <= 0 && key.low >= 0));
  }

  /// What C leaves for U, in products.
  double room(const std::vector<Product>& others, const std::vector<Product>& aside, double least) const {
    const FloatFormat& compute = setting_.arithmetic.compute;
    double greatest = 0, at_end = 0, sizes = 0, all = 0;  // R_max, R_end, Σ|R|, Σ|R| + all penalties: whole numbers
    for (const Product& p : others) {
      greatest += product(p).high;
      at_end += (p.q.ranges.all * of_key(p.row, true)).low;
      sizes += product(p).magnitude();
    }
    all = sizes;
    for (const Product& p : aside) {
      const double size = product(p).magnitude();
      all += size;
      if (!representable(compute, Upper(size), grid(p))) throw NotProved("a product is not exact", -1);
    }
    if (!(all < 0x1p52 && 2 * all <= compute.max_finite)) throw NotProved("scores that are too great", -1);
    const auto terms = static_cast<double>(head_.q.rows.size());
    // The error is a whole number divided by a power of two; rounded up, whole.
    return least - (greatest - at_end) - std::ceil(bounds::any_order_error(terms, least + sizes, compute.precision));
  }

  const Setting& setting_;
  const Wholes& state_;
  const model::Head& head_;
  Mark::Kind end_;
};

}  // namespace

bool are_exact(const Setting& setting, const std::vector<Product>& products) {
  double greatest = 0;
  long least = 1000;
  for (const Product& p : products) {
    greatest += p.q.ranges.all.magnitude() * p.k.ranges.all.magnitude();
    least = std::min(least, grid(p));
  }
  return greatest < 0x1p52 && representable(setting.arithmetic.compute, Upper(greatest), least);
}

std::optional<Penalties> set_penalties_aside(const Setting& setting, const Wholes& state, const model::Head& head,
                                             const std::vector<Product>& products) {
  if (head.claim.lemma != Lemma::q_match) return std::nullopt;
  std::optional<Penalties> found;
  if (head.mask != Mask::past) found = PenaltyProof(setting, state, head, Mark::Kind::first).run(products);
  if (!found && head.mask != Mask::future) found = PenaltyProof(setting, state, head, Mark::Kind::last).run(products);
  return found;
}

}  // namespace quench::certify
