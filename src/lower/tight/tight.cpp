// What our constructions share: the position and the length as parts of a score, in every flavour. [Q-dyadic],
// [Q-digits]
//
// Scores are sums of γ·j, γ·n·x and γ·x with x ∈ {−1, 0, 1, 2}, and γ a power of two. In the temperature flavour they
// are formed as γ·(j/N) and γ·x and multiplied by 1/τ = N, a power of two at or above n: all are multiples of γ/N, at
// most 3γ in size, so p bits of mantissa hold them exactly as long as 3N ≤ 2^p. In the others they are integers times
// γ, of size at most 3nγ. Sums of any order are then exact, too.
//
// A half format does not hold j. Its base-256 digits, each a product of its own, are exact in eight bits; since fused
// kernels add the products in float32, the score is again exact. Scaled digits of the temperature flavour are dyadic
// fractions of at most 1, and the query weight is γ; in the others the weights are γ, 256γ, 256γ against d0, d1,
// 256·d2.
#include "lower/tight/tight.h"

#include <bit>
#include <cmath>

#include "base/error.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;

TightConstructions::TightConstructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning)
    : Constructions(graph, recipe), gamma_(std::exp2(std::ceil(std::log2(tuning.gamma)))), digits_(tuning.digits) {
  QUENCH_ASSERT(gamma_ >= tuning.gamma && std::ilogb(gamma_) == std::log2(gamma_));
}

ir::Head TightConstructions::head(Mask mask, Weighting intended, HeadStructure structure, Lemma lemma) const {
  ir::Head result;
  result.mask = mask;
  result.temperature = recipe_.temperature;
  result.intended = intended;
  result.structure = structure;
  result.lemma = lemma;
  result.gamma = gamma_;
  return result;
}

void TightConstructions::add_index(Products& score, double gamma) {
  if (!digits_)
    score.push_back({gamma, position(recipe_.by_position ? Kind::index : Kind::index_over_power)});
  else if (!recipe_.by_position)
    for (const Kind kind : {Kind::digit_0_over_power, Kind::digit_1_over_power, Kind::digit_2_over_power})
      score.push_back({gamma, position(kind)});
  else
    for (const Kind kind : {Kind::digit_0, Kind::digit_1, Kind::digit_2})
      score.push_back({kind == Kind::digit_0 ? gamma : 256 * gamma, position(kind)});
}

/// float16 ends at 65,504, so with digits the decoder multiplies i/256 by 256·key; that i/256 is rounded there does not
/// matter: the gaps it makes shrink by less than one part in a hundred.
ir::Head::Product TightConstructions::times_length(ir::Affine key) {
  if (!recipe_.by_position) return {1, key};
  if (!recipe_.decoder) return {position(Kind::length), key};
  if (!digits_) return {position(Kind::index), key};
  const ir::Affine i_over_256 =
      (1.0 / 256) * ir::Affine(position(Kind::digit_0)) + position(Kind::digit_1) + position(Kind::digit_2);
  return {i_over_256, 256 * key};
}

/// 1/i is 1 at i = 1 and at most ½ elsewhere.
ir::Literal TightConstructions::first() {
  return {graph_.add(ir::Threshold{position(Kind::inverse_index), 0.5, 1, 0, 1}, "first"), false};
}

ir::Literal TightConstructions::last() {
  return {graph_.add(ir::Threshold{position(Kind::inverse_remaining), 0.5, 1, 0, 1}, "last"), false};
}

}  // namespace quench::lower
