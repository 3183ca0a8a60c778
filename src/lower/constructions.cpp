// What both families of recipes need.
#include "lower/constructions.h"

#include <cmath>

#include "base/error.h"
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
  if (recipe.tight) return std::make_unique<TightConstructions>(graph, recipe, tuning);
  return std::make_unique<PaperConstructions>(graph, recipe, tuning.gamma);
}

}  // namespace quench::lower
