// Tie-breaks [P-L8a,b,c].
#include <cmath>

#include "check/head.h"

namespace quench::check {

Line HeadCheck::tie_break(Results& results) {
  if (products_.size() != 1 || products_[0].q.size() != 1) throw Rejected("not the products of a tie-break");
  const SparseMatrix::Row &q = products_[0].q, &k = products_[0].k;
  const bool one = constantly(q[0].column, 1);
  const Temperature tau = head_.temperature;
  const bool by_n = (one && tau == Temperature::inverse_n) || (role(q[0].column) == Role::n && tau == Temperature::one);
  const bool by_i2 =
      (one && tau == Temperature::inverse_i_sq) || (role(q[0].column) == Role::i2 && tau == Temperature::one);
  if (!by_n && !by_i2) throw Rejected("a tie-break that does not scale with n or i²");
  SparseMatrix::Row levels;
  double b = 0;
  for (const SparseMatrix::Entry& entry : k)
    if (b == 0 && role(entry.column) == (by_n ? Role::i_over_n : Role::one_over_i))
      b = entry.value;
    else
      levels.push_back(entry);
  two_levels(levels);
  const Lemma lemma = by_i2 ? Lemma::p_l8a : b > 0 ? Lemma::p_l8b : Lemma::p_l8c;
  const bool right = lemma != Lemma::p_l8c;
  const bool sound = by_i2 ? b < 0 && b >= -1 : b != 0 && std::fabs(b) <= 0.5;
  if (!sound || head_.mask != (right ? Mask::future : Mask::past) ||
      head_.intended != (right ? Weighting::rhardmax : Weighting::lhardmax) || head_.claim.lemma != lemma)
    throw Rejected("a tie-break that is not " + head_.claim.lemma.text());
  const Number one_step = Number(q[0].value) * Number(scale_) * Number(std::fabs(b)), far = Number(2) * one_step;
  if (!(Number(0.75) <= one_step)) throw Rejected("a tie-break without a gap");
  const Number gap = parity_decides(levels) ? far : one_step;
  const Number error = score_error(by_i2);
  if (!(Number(2) * error < gap) || !(Number(2) * error < far)) throw Rejected("scores are not apart");
  const Number x = (Number(0) - gap * (Number(1) - u_)).exponential();
  const Number y = (Number(0) - far * (Number(1) - u_)).exponential();
  const Number mass =
      (Number(1) + Number(4) * u_) * (Number(2) * error).exponential() * (x / (Number(1) - x) + y) + n_ * tiny_;
  Line line{{}, lemma, gap.to_double(), error.top().to_double(), 0};
  // Sums in any order: near + 1 additions join the intended key, the nearest ones and one on the other side; whatever
  // else is added is lost at most.
  const Number lift = (Number(1) + Number(4) * u_) * (Number(2) * error).exponential();
  const Number far_rest = Number(2) * (Number(by_i2 ? -3 : -4) * one_step * (Number(1) - u_)).exponential();
  std::optional<Number> sums;
  for (unsigned near = 1; near <= 8; ++near) {
    const Number rest = lift * (x.power(near + 1) / (Number(1) - x) + far_rest) + n_ * tiny_,
                 big = Number(near + 1) * u_;
    if (!(big < Number(1))) break;
    const Number off = (big * (Number(1) + mass) + rest * (Number(1) + Number(2) * compounded(n_))) / (Number(1) - big);
    sums = sums ? min(*sums, off) : off;
  }
  for (std::size_t l = 0; l < results.size(); ++l) retrieve(results[l], l, mass, line, sums);
  return line;
}

void HeadCheck::two_levels(const SparseMatrix::Row& levels) const {
  std::optional<Number> least;
  const auto each = [&](auto visit) {
    for_kinds([&](int, const std::vector<Fact>& facts) {
      const Combination sum = combine(claim_, facts, levels, 0);
      if (sum.rest.size() != 1 || !(sum.rest[0].from == sum.rest[0].to))
        throw Rejected("a key with more than two levels");
      visit(sum);
    });
  };
  each([&](const Combination& sum) { least = least ? min(*least, sum.low()) : sum.low(); });
  each([&](const Combination& sum) {
    if (!(sum.low() - *least).whole() || !(sum.high() - *least <= Number(1)))
      throw Rejected("a key with more than two levels");
  });
}

/// The level of a key is the parity of its position: equal levels are two positions apart.
bool HeadCheck::parity_decides(const SparseMatrix::Row& levels) const {
  std::optional<Number> level[2];
  bool result = true;
  for_kinds([&](int kind, const std::vector<Fact>& facts) {
    const Combination sum = combine(claim_, facts, levels, 0);
    std::optional<Number>& mine = level[is_even(kind) ? 1 : 0];
    result = result && sum.low() == sum.high() && (!mine || *mine == sum.low());
    mine = sum.low();
  });
  return result && (!level[0] || !level[1] || !(*level[0] == *level[1]));
}

Number HeadCheck::score_error(bool squared) const {
  Number q_size, q_error, k_size, k_error;
  long q_grid = 4096, k_grid = 4096;  // above all others
  bool exact = true;
  for_kinds([&](int, const std::vector<Fact>& facts) {
    const Fact q = store(claim_, combine(claim_, facts, products_[0].q, 0));
    const Fact k = store(claim_, combine(claim_, facts, products_[0].k, 0));
    q_size = max(q_size, q.size()), q_error = max(q_error, q.error), q_grid = std::min(q_grid, q.grid);
    k_size = max(k_size, k.size()), k_error = max(k_error, k.error), k_grid = std::min(k_grid, k.grid);
    exact = exact && q.error.zero() && k.error.zero();
  });
  Number size = q_size * k_size;
  Number error = q_size * k_error + k_size * q_error + q_error * k_error;
  exact = exact && fits(claim_.work, size, q_grid + k_grid);
  if (!exact) error += half_step(claim_.work, size + error);
  error = error * Number(scale_), size = size * Number(scale_);
  if (head_.temperature == Temperature::one) return error;
  const Number factor = squared ? n_ * n_ : n_;
  const bool whole = fits(claim_.work, factor, 0);
  error = error * factor + (size + error) * (whole ? Number(0) : half_step(claim_.work, factor));
  size = size * factor;
  if (!exact || !whole || !fits(claim_.work, size, q_grid + k_grid + last_bit(scale_)))
    error += half_step(claim_.work, size + error);
  return error;
}

}  // namespace quench::check
