// Lookup heads [P-L7]: with r = κ/m, ρ = 1/m (m the number of counted positions), o ∈ {0, 1} and t = κ + o,
//   score_j = w(r + oρ)·2aj − wρ·aj²   times 1/√d_k and T,  which is  G·(t² − (t−j)²),   G = scale·T/m,  scale =
//   wa/√d_k.
// T is 1/τ, or the factor n inside the keys. T ≥ m, so G ≥ scale. The intended key j* is t, or the visible position
// nearest to it (t = 0: position 1; t = m+1 where only m are visible: m); d positions from j* the score is lower by at
// least G·d².
//
// Errors of a row's queries are the same for all its keys: with relative errors ε₀ and ε₁ of the two queries the scores
// are still those of a parabola, G′(t′² − (t′−j)²) with G′ ≥ G(1−ε₁) and t′ within s = L((1+ε₀)/(1−ε₁) − 1) of t, L =
// m+o ≥ t. If s < ½ it falls off by G′(d² − 2ds) on one side and G′(d² + 2ds) on the other. (Beyond the ends, t = 0
// stays 0 and t = m+1 stays right of m.) Errors that differ from key to key: of keys and products, relative, together
// ε, of terms that add up to at most G″(2tj + j²), G″ = G(1+ε₀)/(1−ε₁); and of the sum and the scaling, ε′, relative to
// G″|2tj − j²| ≤ G″(t² + (t−j)²). For t ≤ m, since j* ≤ m and j = j* ± d, the errors at j and j* together are at most
// G″(ε(6m² + 4md + d²) + ε′(2m² + 5d²)). So the computed score at distance d is lower by at least G times
//   d²(1 − ε₁ − ε(1 + 4N) − 5ε′) ∓ 2ds − W,     W = (6ε + 2ε′)N²,
// with the factor (1+ε₀)/(1−ε₁) inside ε and ε′; where that is positive it is at least `scale` times as much, however
// fast T grows. For t = m+1 the nearest is m, every key is lower by another 2Gd, and the errors, at most
// G″(ε(6m² + 4m) + ε′(2m² + 4m)), grow by no more than that if 4(ε + ε′)N ≤ 1.
#include <cmath>

#include "bounds/ball.h"
#include "certify/heads/heads.h"

namespace quench::certify {
namespace {

struct Shape {
  Meaning mean = Meaning::other, reciprocal = Meaning::other;
  double scale = 0;
  const Value *r = nullptr, *rho = nullptr, *linear = nullptr, *square = nullptr;
  bool offset = false;
};

class LookupProof {
 public:
  LookupProof(const Setting& setting, const State& state, const StoredHead& head)
      : setting_(setting), state_(state), head_(head), n_(setting.length) {}

  HeadProof run() {
    recognise();
    const bounds::LookupFall fall = fall_off();
    const bounds::HeadArithmetic arithmetic = head_arithmetic(setting_);
    const Upper mass = bounds::lookup_mass(fall, arithmetic);
    if (!mass.is_finite()) fail("the scores of a lookup are not apart");
    HeadProof proof;
    proof.line = {{}, std::string(name_of(Lemma::p_l7)), shape_.scale, (Upper(0.5) * fall.excess).to_double(), 0};
    for (std::size_t l = 0; l < head_.head.v.rows.size(); ++l) {
      const SparseMatrix::Row& row = head_.head.v.rows[l];
      const bool index = row.size() == 1 && row[0].value == 1 && state_[row[0].column].meaning == Meaning::index;
      proof.results.push_back(index
                                  ? retrieved_index(state_[row[0].column], bounds::index_result_error(fall, arithmetic))
                                  : retrieved_boolean(setting_, whole_value(setting_, state_, head_, l),
                                                      bounds::boolean_result_error(mass, arithmetic), head_));
      proof.line.bound = std::fmax(proof.line.bound, proof.results.back().error.to_double());
    }
    return proof;
  }

 private:
  [[noreturn]] void fail(const char* why) const { throw NotProved(why, head_.number); }

  const Value* only(const SparseMatrix::Row& row, Meaning meaning) const {
    return row.size() == 1 && state_[row[0].column].meaning == meaning ? &state_[row[0].column] : nullptr;
  }

  void recognise() {
    if (head_.head.claim.lemma != Lemma::p_l7)
      fail("looks up a number that a program computes, which only --recipe exact is certified for");
    if (head_.components.size() != 2) fail("a lookup without its two products");
    const SparseMatrix::Row &q0 = head_.components[0].q, &k0 = head_.components[0].k;
    const SparseMatrix::Row &q1 = head_.components[1].q, &k1 = head_.components[1].k;
    const bool in_keys = head_.head.temperature == Temperature::one;
    shape_.linear = only(k0, in_keys ? Meaning::index_length : Meaning::index);
    shape_.square = only(k1, in_keys ? Meaning::index_sq_length : Meaning::index_sq);
    if (!shape_.linear || !shape_.square || !(k0[0].value == -2 * k1[0].value) || !(k0[0].value > 0))
      fail("the keys of a lookup are not 2j and −j²");
    if (q1.size() != 1) fail("the second query of a lookup is not a reciprocal");
    shape_.rho = &state_[q1[0].column];
    shape_.reciprocal = shape_.rho->meaning;
    for (const SparseMatrix::Entry& entry : q0) {
      const Meaning meaning = state_[entry.column].meaning;
      if (entry.value != q1[0].value) fail("the queries of a lookup are scaled differently");
      if (entry.column == q1[0].column)
        shape_.offset = true;
      else if (!shape_.r)
        shape_.r = &state_[entry.column], shape_.mean = meaning;
      else
        fail("the first query of a lookup is not a mean");
    }
    if (!shape_.rho->additive.is_zero()) fail("the reciprocal of a lookup comes from a mark that is not exact");
    if (!shape_.r || !(q1[0].value > 0)) fail("the first query of a lookup is not a mean");
    // The mean of a mark is a mean, too, and so is 1, the mean of `true`.
    const auto pair = [&](Meaning mean, Meaning reciprocal) {
      return shape_.reciprocal == reciprocal &&
             (shape_.mean == mean || shape_.mean == reciprocal || shape_.r->is_constant(1));
    };
    const bool left = pair(Meaning::mean_left, Meaning::inverse_index);
    const bool wide =
        pair(Meaning::mean_right, Meaning::inverse_remaining) || pair(Meaning::mean_all, Meaning::inverse_length);
    check_temperature(left, wide);
    shape_.scale = q1[0].value * head_.score_scale * -k1[0].value;
    if (!(shape_.scale >= 1)) fail("a lookup that is not sharp");
  }

  /// m = i under the future mask: T may be n, i or i². Otherwise m is only known to be at most n, and T must be n.
  void check_temperature(bool left, bool wide) {
    const Temperature tau = head_.head.temperature;
    const bool by_n = tau == Temperature::inverse_n || tau == Temperature::one || tau == Temperature::inverse_power;
    const bool right = left ? head_.head.mask == Mask::future : wide && head_.head.mask == Mask::none && by_n;
    if (!right) fail("mean, reciprocal, mask and temperature of a lookup do not belong together");
  }

  /// max 1/τ, or n inside the keys
  Upper greatest_factor() const {
    const Upper n(n_);
    if (head_.head.temperature == Temperature::inverse_power) return bounds::power_of_two(power_exponent(n_));
    return head_.head.temperature == Temperature::inverse_i_sq ? n * n : n;
  }

  static Upper less_one(Upper factor) {
    arf_sub_ui(factor.get(), factor.get(), 1, 64, ARF_RND_UP);
    return factor;
  }

  /// (1+ε₀) of the first query; without the offset and its addition, (1+ε₁) of the second.
  Upper query_factor(bool first) const {
    const Upper one(1), c = one + bounds::unit_roundoff(setting_.arithmetic.compute);
    const Upper s = setting_.stores_narrower() ? one + bounds::unit_roundoff(setting_.arithmetic.storage) : one;
    const Upper inputs = !first          ? shape_.rho->relative
                         : shape_.offset ? bounds::max(shape_.r->relative, shape_.rho->relative)
                                         : shape_.r->relative;
    return (one + inputs) * c * s * (first && shape_.offset ? c : one);
  }

  /// 1+ε: keys and products
  Upper key_factor() const {
    const Upper one(1), c = one + bounds::unit_roundoff(setting_.arithmetic.compute);
    return (one + bounds::max(shape_.linear->relative, shape_.square->relative)) * c;
  }

  /// 1+ε′: the sum of the two products, and the scaling
  Upper sum_factor() const {
    const FloatFormat& compute = setting_.arithmetic.compute;
    const Upper c = Upper(1) + bounds::unit_roundoff(compute);
    const Temperature tau = head_.head.temperature;
    // A power of two does not round; n or i² rounds the product, and may be rounded itself.
    if (tau == Temperature::one || tau == Temperature::inverse_power) return c;
    return representable(compute, greatest_factor(), 0) ? c * c : c * c * c;
  }

  bounds::LookupFall fall_off() const {
    check_range();
    const Upper epsilon1 = less_one(query_factor(false));
    if (!(epsilon1 < Upper(0.25))) fail("the queries of a lookup are too inexact");
    // (1+ε₀)/(1−ε₁), rounded up
    const Upper ratio = upper_of(bounds::Ball(query_factor(true)) / (bounds::Ball(1) - bounds::Ball(epsilon1)));
    // An additive error of the mean moves t by m times as much, and the errors of the query apply to it, too.
    const Upper reach(shape_.offset ? n_ + 1 : n_);  // L at most
    const Upper shift = reach * less_one(ratio) + Upper(2) * Upper(n_) * ratio * shape_.r->additive;
    const Upper epsilon = less_one(key_factor()) * ratio, epsilon_sum = less_one(sum_factor()) * key_factor() * ratio;
    const Upper n(n_);
    if (!(shift < Upper(0.5)) || !(Upper(4) * (epsilon + epsilon_sum) * n <= Upper(1)))
      fail("a lookup may point between two positions");
    return {shape_.scale, epsilon1 + epsilon * (Upper(1) + Upper(4) * n) + Upper(5) * epsilon_sum, Upper(2) * shift,
            (Upper(6) * epsilon + Upper(2) * epsilon_sum) * Upper(shape_.scale) * n * n};
  }

  /// Nothing overflows, and no query falls below the normal range.
  void check_range() const {
    const double w = head_.components[1].q[0].value, a = -head_.components[1].k[0].value;
    const FloatFormat &storage = setting_.arithmetic.storage, &compute = setting_.arithmetic.compute;
    const Upper key = Upper(2 * a) * Upper(shape_.square->all().magnitude());
    const Upper product = Upper(3 * w) * key;
    const Upper factor = greatest_factor();
    if (Upper(storage.max_finite) < key || Upper(compute.max_finite) < product * factor)
      fail("the scores of a lookup overflow");
    if (!(bounds::power_of_two(storage.min_exponent) * Upper(2 * n_) <= Upper(w)))
      fail("the queries of a lookup underflow");
  }

  Value retrieved_index(const Value& index, const Upper& error) const {
    Value result;
    for (Set& set : result.ideal) set = Set::integers(1, n_);
    result.error = stored_error(setting_, error + index.error, n_);
    result.origin = head_.number;
    if (!result.error.is_finite()) fail("the scores of a lookup are not apart");
    return result;
  }

  const Setting& setting_;
  const State& state_;
  const StoredHead& head_;
  double n_;
  Shape shape_;
};

}  // namespace

HeadProof prove_lookup(const Setting& setting, const State& state, const StoredHead& head) {
  return LookupProof(setting, state, head).run();
}

}  // namespace quench::certify
