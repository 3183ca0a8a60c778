// [Q-sign], [Q-sign-lin]: Σ c_k κ_k + c ≥ 0 by the sign of a mean.
//
// 1. A head gives (Σ c_k κ_k)/m, the sum being inside its values: m = i for #←, n−i+1 for #→, n for # (one uniform
// head)
//    and for mixtures (sink.cpp). With D = Σ c_k κ_k + c, an integer, r = (D + ½)/m is affine in it and in 1/m, and
//    |r| ≥ 1/(2m): never near 0.
// 2. A second head amplifies r. Let M be the number of positions it sees: i under the future mask for #← alone, else n,
//    unmasked. M ≥ m, and M ≥ 2 for now. Its value is [j is even].
//    Temperature: scores 2γN·r·(−1)^j. The parity with the sign of r is ahead by 4γN|r| ≥ 2γ at every position, and has
//    at least half as many positions as the other: at most 2e^{−2γ} of the mass is on the other.
//    τ = 1, where r cannot be multiplied by n: scores 2γr·j(−1)^j. With x = e^{2γ|r|}, x^M ≥ e^γ, sums of geometric
//    series (docs/theory-tight.md) leave at most e^{−γ}(1 + e^{−2γ/3}) on the other. So the head returns [r > 0] = [D ≥
//    0] to within that δ.
// 3. Where M = 1 it sees position 1 alone, which is odd, and returns 0. There r = D + ½ exactly. With a = 1/i (or 1/n),
//    which is 1 there and at most ½ elsewhere, and K ≥ max r + ½,
//        r + 2K·a − 2K  is  D + ½ where M = 1,  at most r − K ≤ −½ elsewhere,
//    and rounding it gives the Boolean [D ≥ 0 and M = 1], which is added to what the head returns.
// 4. D = 0 is [D ≥ 0] − [D − 1 ≥ 0], two such heads over one mean, to within 2δ.
//    The alternative, looking up every count, is never certified further (bounds/comparison.h).
// 5. D ≥ 0 is also ¬(−D − 1 ≥ 0): the form whose first coefficient is positive is taken, so that a > b, a <= b and a =
// b
//    share their means and heads.
#include <cmath>

#include "base/error.h"
#include "bounds/comparison.h"
#include "bounds/double_length.h"
#include "bounds/lemmas.h"
#include "ir/affine_sum.h"
#include "lower/tight/tight.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;
using lang::Scope;

namespace {

constexpr double kExecutorRoundoff = 0x1p-24;  // f32, what models are run in unless asked otherwise

}  // namespace

double TightConstructions::sign_error() const {
  return recipe_.by_position ? bounds::linear_sign_error(gamma_) : bounds::sign_error(gamma_);
}

TightConstructions::Mean TightConstructions::mean_of(const std::vector<WeightedCount>& counts,
                                                     const std::string& label) {
  const Scope scope = counts.front().scope;
  ir::AffineSum value;
  for (const WeightedCount& count : counts) {
    if (count.scope != scope) return mixed_mean(counts, label);
    value.add(count.of, static_cast<double>(count.coefficient));
  }
  const ir::NodeId sum = graph_.add(ir::Attend{uniform(mask_of(scope)), value.take()}, "mean in " + label);
  switch (scope) {
    case Scope::left:
      return {sum, position(Kind::inverse_index), position(Kind::inverse_index), Mask::future};
    case Scope::right:
      return {sum, position(Kind::inverse_remaining), position(Kind::inverse_length), Mask::none};
    case Scope::all:
      return {sum, position(Kind::inverse_length), position(Kind::inverse_length), Mask::none};
  }
  return {};
}

/// [r > 0], to within sign_error().
ir::Affine TightConstructions::sign_of(const Mean& mean, const ir::Affine& r, const std::string& label) {
  ir::Head amplifier = head(mean.mask, Weighting::ahardmax, HeadStructure::sign,
                            recipe_.by_position ? Lemma::q_sign_lin : Lemma::q_sign);
  amplifier.score = {{2 * gamma_ * r, position(recipe_.by_position ? Kind::index_alternating : Kind::alternating)}};
  const ir::Affine even = 0.5 * (ir::Affine(1) + position(Kind::alternating));
  const ir::NodeId sign = graph_.add(ir::Attend{graph_.add(amplifier, "sign of " + label), even}, label + ", sign");

  const ir::Range range = graph_.range(r);
  QUENCH_ASSERT(range.bounded());
  const double bound = std::exp2(std::ceil(std::log2(std::max(range.high, 0.0) + 0.5)));  // K
  QUENCH_ASSERT(bound >= range.high + 0.5);
  const ir::Affine x = r + 2 * bound * (mean.alone - 1);
  const ir::NodeId alone = graph_.add(
      ir::Threshold{x, -0.5, 0.5, std::min(range.low - 2 * bound, -0.5), std::max(range.high, 0.5)}, label + ", alone");
  return ir::Affine(sign) + alone;
}

double TightConstructions::double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const {
  if (question(counts, constant, sign) != Question::sign) return std::numeric_limits<double>::infinity();
  return bounds::double_length_by_sign(weights_of(counts), std::fabs(static_cast<double>(constant)));
}

ir::Literal TightConstructions::linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                                       const std::string& label) {
  switch (question(counts, constant, sign)) {
    case Question::some:
      return any_of(counts, label);
    case Question::none:
      return !any_of(counts, "!(" + label + ")");
    case Question::sign:
      break;
  }
  if (counts.front().coefficient < 0) {
    std::vector<WeightedCount> negated = counts;
    for (WeightedCount& count : negated) count.coefficient = -count.coefficient;
    if (sign == Sign::zero) return linear(negated, -constant, sign, label);
    return !linear(negated, -constant - 1, sign, "!(" + label + ")");
  }
  QUENCH_ASSERT(bounds::longer_comparison(weights_of(counts), kExecutorRoundoff) == bounds::ComparisonBy::sign);
  const Mean mean = mean_of(counts, label);
  const ir::Affine r = mean.sum + (static_cast<double>(constant) + 0.5) * mean.reciprocal;
  const double delta = sign_error();
  if (sign == Sign::not_negative) return rounded(sign_of(mean, r, label), delta, label);
  QUENCH_ASSERT(2 * delta <= 0.25);
  const ir::Affine at_least = sign_of(mean, r, label + ", >="),
                   greater = sign_of(mean, r - mean.reciprocal, label + ", >");
  return {graph_.add(ir::Threshold{at_least - greater, delta, 1 - 2 * delta, -delta, 1}, label), false};
}

}  // namespace quench::lower
