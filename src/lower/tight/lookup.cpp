// θ(κ): the lookup of [P-L7], whether κ > 0 by [Q-any].
//
// With r = κ/m from a uniform head and 1/m, the scores γ(2rj − j²/m)/τ = γ/(mτ)·(κ² − (κ−j)²) with mτ ≤ 1 are maximal
// at j = κ and fall off by at least γ|j−κ|, so [P-L6] bounds the weights; the value is θ(j). κ = 0 retrieves θ(1), but
// whether κ > 0 is known from a head of the layer before. For #→ and # the lookup is unmasked: κ may be less than i.
#include "base/error.h"
#include "bounds/lemmas.h"
#include "lower/tight/tight.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;
using lang::Scope;

ir::Literal TightConstructions::predicate_of(const Predicate& theta, Scope scope, ir::Literal of,
                                             const std::string& label) {
  QUENCH_ASSERT(!recipe_.decoder);  // a lookup needs a factor n
  const ir::NodeId mean = graph_.add(ir::Attend{uniform(mask_of(scope)), of}, "count in " + label);
  const ir::NodeId reciprocal = position(scope == Scope::left    ? Kind::inverse_index
                                         : scope == Scope::right ? Kind::inverse_remaining
                                                                 : Kind::inverse_length);
  ir::Head lookup =
      head(scope == Scope::left ? Mask::future : Mask::none, Weighting::ahardmax, HeadStructure::lookup, Lemma::p_l7);
  lookup.score = {
      {gamma_ * ir::Affine(mean), 2 * ir::Affine(position(recipe_.by_position ? Kind::index_length : Kind::index))},
      {gamma_ * ir::Affine(reciprocal),
       -1 * ir::Affine(position(recipe_.by_position ? Kind::index_sq_length : Kind::index_sq))}};
  const PositionFormula at_position{Kind::predicate, theta};
  const ir::NodeId keys = graph_.add(ir::Position{at_position}, to_string(at_position));
  const ir::Literal retrieved =
      rounded(graph_.add(ir::Attend{graph_.add(lookup, "lookup in " + label), keys}, label + ", attended"),
              bounds::boolean_error(gamma_), {});
  const ir::Literal positive = any(scope, of, "count > 0 in " + label);
  return graph_.disjunction(
      {graph_.conjunction({positive, retrieved}), graph_.conjunction({!positive, at_zero(theta)})}, label);
}

}  // namespace quench::lower
