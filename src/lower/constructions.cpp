// What all families of recipes need.
#include "lower/constructions.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "lower/exact/exact.h"
#include "lower/paper/paper.h"
#include "lower/tight/tight.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;

ir::NodeId Constructions::position(Kind kind) {
  const PositionFormula formula{kind, {}};
  return graph_.add(ir::Position{formula}, to_string(formula));
}

ir::HeadId Constructions::uniform(Mask mask) {
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.structure = HeadStructure::uniform;
  return graph_.add(head, "mean");
}

/// ½(1 − (−1)^i) is exactly 1 at odd positions and exactly 0 at even ones.
ir::Literal Constructions::odd() {
  return {graph_.add(ir::Threshold{0.5 * (ir::Affine(1) - position(Kind::alternating)), 0, 1, 0, 1}, "odd"), false};
}

ir::Literal Constructions::rounded(const ir::Affine& attended, double error, const std::string& label) {
  QUENCH_ASSERT(error <= 0.25);
  return {graph_.add(ir::Threshold{attended, error, 1 - error, 0, 1}, label), false};
}

bounds::ComparisonWeights Constructions::weights_of(const std::vector<WeightedCount>& counts) {
  bounds::ComparisonWeights weights;
  for (const WeightedCount& count : counts)
    (count.scope == lang::Scope::left    ? weights.left
     : count.scope == lang::Scope::right ? weights.right
                                         : weights.all) += std::fabs(static_cast<double>(count.coefficient));
  return weights;
}

/// Comparisons with coefficients of one sign may ask only whether any of the counts is positive. Let a_k = |c_k| and
/// S = Σ a_k κ_k; what the constant alone decides (lower/comparison.h) does not come here.
///   S + c ≥ 0:  some κ_k > 0 if 0 < −c ≤ min a_k
///   c − S ≥ 0:  no κ_k > 0 if 0 ≤ c < min a_k
///   S = c:      no κ_k > 0 if c = 0
Constructions::Question Constructions::question(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) {
  const bool positive = counts.front().coefficient > 0;
  Int128 least = std::numeric_limits<Int128>::max();
  for (const WeightedCount& count : counts) {
    if ((count.coefficient > 0) != positive) return Question::sign;
    least = std::min(least, positive ? count.coefficient : -count.coefficient);
  }
  if (sign == Sign::zero) return constant == 0 ? Question::none : Question::sign;
  if (positive) return -constant <= least ? Question::some : Question::sign;
  return constant < least ? Question::none : Question::sign;
}

/// θ_n(0): a constant for the built-in predicates and sets; an expression may depend on n, so it gets a coordinate.
ir::Literal Constructions::at_zero(const Predicate& theta) {
  using P = Predicate::Kind;
  switch (theta.kind) {
    case P::even:
    case P::square:
    case P::cube:
    case P::triangular:
    case P::fibonacci:
      return graph_.truth(true);
    case P::odd:
    case P::prime:
    case P::pow2:
    case P::first:
    case P::last:
      return graph_.truth(false);
    case P::mod:
      return graph_.truth(theta.residue % theta.modulus == 0);
    case P::set:
      return graph_.truth(!theta.members.empty() && theta.members.front() == 0);
    case P::expression:
      break;
  }
  const PositionFormula formula{Kind::predicate_at_zero, theta};
  return {graph_.add(ir::Position{formula}, to_string(formula)), false};
}

Mask mask_of(lang::Scope scope) {
  switch (scope) {
    case lang::Scope::left:
      return Mask::future;
    case lang::Scope::right:
      return Mask::past;
    case lang::Scope::all:
      return Mask::none;
  }
  return Mask::none;
}

std::unique_ptr<Constructions> make_constructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning) {
  if (recipe.exact) return std::make_unique<ExactConstructions>(graph, recipe, tuning);
  if (recipe.tight) return std::make_unique<TightConstructions>(graph, recipe, tuning);
  return std::make_unique<PaperConstructions>(graph, recipe, tuning.gamma);
}

}  // namespace quench::lower
