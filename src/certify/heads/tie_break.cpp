// Tie-breaking heads [P-L8a,b,c]: one product of a query that scales with a key a_j + b·t_j, where a_j takes two values
// one apart and t_j breaks ties. F is everything that multiplies the key: query, 1/√d_k and 1/τ.
//
//   [P-L8b] t = j/n, F = cn, 0 < b ≤ ½, future mask: rightmost      [P-L8c] the same with b < 0, past mask: leftmost
//     same a, d positions apart: F·|b|·d/n = c|b|d.   lower a, on the other side: F(1 − |b|(n−1)/n) ≥ c|b|(n+1), and
//     (n−1)e^{−c|b|(n+1)} ≤ e^{−2c|b|}.
//   [P-L8a] t = 1/j, F = ci², −1 ≤ b < 0, future mask: rightmost
//     same a: F|b|(1/j − 1/j′) ≥ c|b|d, since jj′ ≤ i².   lower a, to the right: F(1 − |b|/j* + |b|/j) ≥ c|b|i²/j ≥
//     c|b|i, and (i−1)e^{−c|b|i} ≤ e^{−2c|b|}.
// So the gap per position is c|b|, and the other side adds at most e^{−2c|b|} (c|b| ≥ ln 2 suffices for the maxima at
// n, i = 2, where there is one such key; from 3 on they add at most 2e^{−4c|b|}, or 2e^{−3c|b|}). Where the level is
// the parity of j, positions of the same level are two apart: then the gap is 2c|b|.
//
// Score error: the key's error times the greatest |F|, plus the roundings of query, product and scaling, each at the
// magnitude it can reach; all grow with N.
#include <cmath>

#include "bounds/ball.h"
#include "certify/heads/heads.h"

namespace quench::certify {
namespace {

struct Scaling {
  bool squared = false;  ///< F = c·i² rather than c·n
  double c = 0;
};

/// F from the query and the temperature.
Scaling scaling(const State& state, const StoredHead& head) {
  const SparseMatrix::Row& q = head.components[0].q;
  const auto shape = [&](const char* why) { return NotProved(why, head.number); };
  if (q.size() != 1) throw shape("the query of a tie-break is not a single coordinate");
  const Value& x = state[q[0].column];
  const Temperature tau = head.head.temperature;
  Scaling result{false, q[0].value * head.score_scale};
  if (x.is_constant(1) && tau == Temperature::inverse_n) return result;
  if (x.meaning == Meaning::length && tau == Temperature::one) return result;
  result.squared = true;
  if (x.is_constant(1) && tau == Temperature::inverse_i_sq) return result;
  if (x.meaning == Meaning::index_sq && tau == Temperature::one) return result;
  throw shape("query and temperature of a tie-break do not scale with n or i²");
}

/// Whether all values of the key without its tie-break are among two numbers one apart.
bool two_levels(const Setting& setting, const RowSum& sum) {
  double low = INFINITY;
  for (std::size_t c = 0; c < kClasses; ++c)
    if (setting.has_class(static_cast<int>(c))) low = std::fmin(low, sum.ideal[c].all().low);
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    const RowSum::PerClass& ideal = sum.ideal[c];
    if (ideal.rest.size() != 1 || !ideal.rest[0].is_point()) return false;
    const Interval all = ideal.all();
    if (!is_integer(all.low - low) || all.high - low > 1) return false;
  }
  return true;
}

/// Whether even positions have one level and odd ones the other.
bool levels_by_parity(const Setting& setting, const RowSum& sum) {
  for (std::size_t c = 0; c < kClasses && setting.has_class(static_cast<int>(c)); ++c) {
    const Interval a = sum.ideal[c].all();
    if (!a.is_point()) return false;
    for (std::size_t d = 0; d < c; ++d)
      if ((a == sum.ideal[d].all()) != (kPositionClasses[c].even == kPositionClasses[d].even)) return false;
  }
  return true;
}

/// The key, with the greatest error that it has at positions of one class: levels and tie-breaks of different classes
/// do not add up.
Value stored_by_class(const Setting& setting, const State& state, const SparseMatrix::Row& row) {
  Value key = stored(setting, row_sum(setting, state, row, 0));
  key.error = {};
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    const Value here = stored(setting, row_sum_in_class(setting, state, row, 0, c));
    key.error = bounds::max(key.error, here.error);
    key.grid = std::min(key.grid, here.grid);
  }
  return key;
}

/// |computed − ideal| of F·key over all rows and keys.
Upper score_error(const Setting& setting, const State& state, const StoredHead& head, const Value& key, bool squared) {
  const FloatFormat& compute = setting.arithmetic.compute;
  const Value query = stored(setting, row_sum(setting, state, head.components[0].q, 0));
  const Upper q(query.all().magnitude()), k(key.all().magnitude());
  Upper size = q * k;
  Upper error = q * key.error + k * query.error + query.error * key.error;
  const bool exact_product = query.exact() && key.exact() && representable(compute, size, query.grid + key.grid);
  if (!exact_product) error += bounds::rounding_error(compute, size + error);
  error *= Upper(head.score_scale);
  size *= Upper(head.score_scale);
  if (head.head.temperature == Temperature::one) return error;
  const Upper n(setting.length), factor = squared ? n * n : n;
  const bool exact_factor = representable(compute, factor, 0);
  const Upper factor_error = exact_factor ? Upper() : bounds::rounding_error(compute, factor);
  error = error * factor + (size + error) * factor_error;
  size *= factor;
  if (!(exact_product && exact_factor &&
        representable(compute, size, query.grid + key.grid + lowest_bit(head.score_scale))))
    error += bounds::rounding_error(compute, size + error);
  return error;
}

}  // namespace

HeadProof prove_tie_break(const Setting& setting, const State& state, const StoredHead& head) {
  if (head.components.size() != 1) throw NotProved("a tie-break with several products", head.number);
  const Scaling scale = scaling(state, head);
  SparseMatrix::Row levels;
  double b = 0;
  const Meaning tie = scale.squared ? Meaning::inverse_index : Meaning::ratio;
  for (const SparseMatrix::Entry& entry : head.components[0].k) {
    if (state[entry.column].meaning == tie && b == 0) {
      b = entry.value;
      continue;
    }
    levels.push_back(entry);
  }
  const RowSum level = row_sum(setting, state, levels, 0);
  if (!two_levels(setting, level)) throw NotProved("the key of a tie-break has more than two levels", head.number);
  const bool rightmost = head.head.mask == Mask::future && (scale.squared ? b < 0 && b >= -1 : b > 0 && b <= 0.5);
  const bool leftmost = head.head.mask == Mask::past && !scale.squared && b < 0 && b >= -0.5;
  const Lemma lemma = scale.squared ? Lemma::p_l8a : rightmost ? Lemma::p_l8b : Lemma::p_l8c;
  const Weighting intended = rightmost ? Weighting::rhardmax : Weighting::lhardmax;
  const double per_position = Outward::multiply_down(scale.c, std::fabs(b));
  const double gap = levels_by_parity(setting, level) ? 2 * per_position : per_position;
  if ((!rightmost && !leftmost) || !(per_position >= kLeastGap) || head.head.intended != intended)
    throw NotProved("the weights of a tie-break do not have the shape of a lemma", head.number);
  require_lemma(head, lemma);

  const Value key = stored_by_class(setting, state, head.components[0].k);
  const Upper error = score_error(setting, state, head, key, scale.squared);
  const bounds::HeadArithmetic arithmetic = head_arithmetic(setting);
  const Upper mass = bounds::tie_break_mass(gap, 2 * per_position, error, arithmetic);
  const bounds::Ball damped = bounds::Ball(1) - bounds::Ball(arithmetic.u);
  const bounds::Ball far =
      bounds::Ball(2) * exp(bounds::Ball(scale.squared ? -3 : -4) * bounds::Ball(per_position) * damped);
  const Upper sums = bounds::tie_break_sum_error(gap, upper_of(far).to_double(), error, mass, arithmetic);
  HeadProof proof;
  for (std::size_t l = 0; l < head.head.v.rows.size(); ++l)
    proof.results.push_back(retrieved_boolean(setting, whole_value(setting, state, head, l),
                                              bounds::boolean_result_error(mass, sums, arithmetic), head));
  proof.line = {{},
                std::string(name_of(lemma)),
                gap,
                error.to_double(),
                proof.results.empty() ? 0 : proof.results[0].error.to_double()};
  return proof;
}

}  // namespace quench::certify
