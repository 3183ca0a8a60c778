// [Q-sink]: scores log L at the sink and 0 elsewhere, L the number of positions on the sink's side up to the query
// (L = n−i+1 and the sink at 1 under the future mask, L = i and the sink at n under the past mask). The sink's value is
// 0.
//
// The computed maximum is the sink's score log L + η, |η| at most the error of the encoding, so the sink weighs exactly
// 1 and every other position the same number (1+κ)/L, |κ| ≤ e^η(1+4u) − 1. With t·n = n − L other positions, whose
// values add up to S, the head returns
//   (1+κ)S/(L + (1+κ)tn) = S/n · (1+κ)/(1+κt),
// off by at most |S|/n·κ(1−t)/(1−κ) ≤ V·t(1−t)κ/(1−κ) ≤ Vκ/(4(1−κ)), V the greatest value.
//
// Sums in any order. The result of a tree of additions is off by the sum over its nodes of what each rounds, at most
// u(1+δ) times the sum of magnitudes below the node, δ = (1+u)^{n+2} − 1. With K = n − L terms of at most w = (1+κ)/L
// each, the nodes of the numerator have at most 2, 3, … K of them below: K(K+1)/2·Vw in all, and its terms are rounded
// z times before they are added: products with values other than 0 and ±1 once, weights that are normalised first once.
// Those of the denominator have the sink's 1 and 1, 2, … K others: K + K(K+1)/2·w. Relative to VKw and to 1 + Kw,
//   ρ_N = u(1+δ)((K+1)/2 + z),     ρ_D = u(1+δ)·K(L + (K+1)/2)/(n(1−κ))
// (the quotient falls in w·L). With L = n − K both grow with K, and at K = n−1 they are at most u(1+δ)(n/2 + z) and
// u(1+δ)(n/2 + 1)/(1−κ). The result is off by at most
//   VKw/(1+Kw)·(ρ_N + ρ_D)/(1 − ρ_D),     Kw/(1+Kw) ≤ (1+κ)/(1−κ)·K/n:
// proportional to the positions beside the sink, which both sinks of a comparison share.
#include <algorithm>
#include <cmath>
#include <map>

#include "bounds/ball.h"
#include "certify/heads/heads.h"

namespace quench::certify {
namespace {

using bounds::Ball;

/// Whether the coordinate is exactly 1 at the sink and 0 elsewhere.
bool marks_end(const Setting& setting, const Value& x, bool first) {
  for (std::size_t c = 0; c < kClasses; ++c) {
    const PositionClass& p = kPositionClasses[c];
    if (setting.has_class(static_cast<int>(c)) && !x.ideal[c].is_point((first ? p.first : p.last) ? 1 : 0))
      return false;
  }
  return x.exact();
}

/// Whether Σ w·x is 0 at positions of class c (first or last) because coordinates that are the same function of earlier
/// values there cancel. Weights are small whole numbers.
bool cancels(const State& state, const SparseMatrix::Row& row, std::size_t c) {
  std::map<LocalFunction, double> weights;
  double constant = 0;
  for (const auto& [column, w] : row) {
    const Value& x = state[column];
    if (!x.exact()) return false;
    const Interval all = x.ideal[c].all();
    if (all.is_point()) {
      constant += w * all.low;
      continue;
    }
    if (!(all == Interval{0, 1})) return false;
    LocalFunction f = x.local[c] ? *x.local[c] : LocalFunction::itself(x.id);
    const bool negated = f.table[0] == 1;  // f = 1 − ¬f
    if (negated)
      for (std::uint8_t& bit : f.table) bit = bit == 0;
    if (negated) constant += w;
    weights[f] += negated ? -w : w;
  }
  weights.erase(LocalFunction{});
  return constant == 0 && std::all_of(weights.begin(), weights.end(), [](const auto& f) { return f.second == 0; });
}

/// κ
Upper weight_error(const Setting& setting, const Upper& log_error) {
  const Ball one(1), u(bounds::unit_roundoff(setting.arithmetic.compute));
  // The difference to the maximum is 0 − score, exact.
  return upper_of(exp(Ball(log_error)) * (one + Ball(4) * u) - one);
}

/// What sums in any order are off by, as a share of V·K/n; immense where that is no bound.
Upper sums_loss(const Setting& setting, const Upper& kappa, double greatest) {
  if (setting.summation == Summation::exact_count) return {};
  const double roundings = (greatest > 1 ? 1 : 0) + (setting.summation == Summation::any ? 1 : 0);
  const Upper u = bounds::unit_roundoff(setting.arithmetic.compute);
  const Ball one(1), k(kappa), half(setting.length / 2);
  const Ball each = Ball(u) * (one + Ball(bounds::accumulated(u, setting.length + 2)));
  const Ball numerator = each * (half + Ball(roundings)), denominator = each * (half + one) / (one - k);
  if (!(one - denominator).is_positive()) return bounds::power_of_two(60);
  return upper_of((numerator + denominator) / (one - denominator) * (one + k) / (one - k));
}

}  // namespace

HeadProof prove_sink(const Setting& setting, const State& state, const StoredHead& head) {
  const auto fail = [&](const char* why) -> NotProved { return {why, head.number}; };
  const bool left = head.head.mask == Mask::future;
  if (!left && head.head.mask != Mask::past) throw fail("a sink without a mask");
  if (head.head.claim.lemma != Lemma::q_sink || head.head.intended != Weighting::soft ||
      head.head.temperature != Temperature::one)
    throw fail("not what a sink is");
  if (head.components.size() != 1 || head.components[0].q.size() != 1 || head.components[0].k.size() != 1)
    throw fail("the scores of a sink are not one product");
  const SparseMatrix::Entry q = head.components[0].q[0], k = head.components[0].k[0];
  const Value& logarithm = state[q.column];
  if (logarithm.meaning != (left ? Meaning::log_remaining : Meaning::log_index) ||
      !marks_end(setting, state[k.column], left) || q.value * k.value * head.score_scale != 1 || k.value != 1)
    throw fail("the scores of a sink are not a logarithm at its end");
  const FloatFormat& compute = setting.arithmetic.compute;
  if (bounds::power_of_two(-compute.min_exponent) < Upper(2) * Upper(setting.length)) throw fail("weights underflow");

  const Upper kappa = weight_error(setting, logarithm.error);
  if (!(kappa < Upper(0.25))) throw fail("the weight of a sink is too inexact");
  const bool once = setting.summation == Summation::exact_count;
  const Upper u = bounds::unit_roundoff(compute), sums = once ? wide_sum_error(setting) : Upper();
  const Ball one(1);
  const Upper mixing = upper_of(Ball(kappa) / (Ball(4) * (one - Ball(kappa))));
  HeadProof proof;
  proof.line = {{}, std::string(name_of(Lemma::q_sink)), 0, logarithm.error.to_double(), 0};
  for (std::size_t l = 0; l < head.head.v.rows.size(); ++l) {
    const Value v = whole_value(setting, state, head, l);
    if (!v.exact()) throw fail("a sink mixes values that are not exact");
    const double greatest = v.all().magnitude();
    const Upper loss = sums_loss(setting, kappa, greatest);
    Value result;
    for (std::size_t c = 0; c < kClasses; ++c) {
      const PositionClass& p = kPositionClasses[c];
      if (!v.ideal[c].integral) throw fail("a sink mixes values that are not whole");
      if (setting.has_class(static_cast<int>(c)) && (left ? p.first : p.last) && !v.ideal[c].is_point(0) &&
          !cancels(state, head.head.v.rows[l], c))
        throw fail("a sink has a value of its own");
      const bool alone = (alone_classes(head.head.mask) >> c & 1U) != 0;
      result.ideal[c] = alone ? Set::point(0) : Set::range(std::fmin(v.all().low, 0), std::fmax(v.all().high, 0));
    }
    result.exact_classes = alone_classes(head.head.mask);
    result.fraction.over = Fraction::Over::length;
    result.fraction.side = left ? Fraction::Side::left : Fraction::Side::right;
    result.fraction.slope = greatest;
    // Sums that are formed exactly are rounded to the compute format, each of their products at most once; then the
    // quotient is, and the result to storage.
    result.additive = (mixing + Upper(3) * sums) * Upper(greatest);
    Upper relative = bounds::accumulated(u, once ? 5 : 1);
    if (setting.stores_narrower()) {
      const Upper stored = bounds::unit_roundoff(setting.arithmetic.storage);
      relative += stored * (Upper(1) + relative);
    }
    // Below the normal range of storage the error is absolute.
    result.additive +=
        bounds::power_of_two(setting.arithmetic.storage.min_exponent - setting.arithmetic.storage.precision);
    result.relative = relative;
    result.error = relative * Upper(greatest) + (result.additive + loss * Upper(greatest)) * (Upper(1) + relative);
    result.additive *= Upper(1) + relative;
    result.fraction.loss = loss * (Upper(1) + relative);
    result.not_negative = v.not_negative;
    result.origin = head.number;
    if (!(result.error < Upper(std::fmax(1, greatest)))) throw fail("the mean of a sink is too inexact");
    proof.line.bound = std::fmax(proof.line.bound, result.error.to_double());
    proof.results.push_back(std::move(result));
  }
  return proof;
}

}  // namespace quench::certify
