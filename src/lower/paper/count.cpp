// Counts, comparisons of counts and predicates of counts: Theorems 20 and 21, with the paper's gap at zero closed.
//
// 1. A uniform head gives r = κ/m, where m is the number of visible positions (i, n−i+1 or n).
// 2. A lookup head scales it up. With 1/m beside r, the scores
//        γC·(2rj − j²/m)·(1/τ) = γC/(mτ) · (κ² − (κ−j)²)
//    are maximal at j = κ, and since mτ ≤ 1 they fall off by at least γC|j−κ|: [P-L6] bounds the weights, and [P-L7]
//    the retrieved index h0 = Σα_j j, by (3/2)e^{−γC}. For #→ and # the lookup must be unmasked: κ may be less than i.
// 3. κ = 0 retrieves position 1, as κ = 1 does. The second lookup, of κ+1, tells them apart: let h1 be the weight it
//    puts beyond position 1. Then h1 ≈ 0 iff κ = 0, except where only one position is visible and h1 = 0 whatever κ is;
//    there κ = φ(i), and with w = [one position visible] ∧ φ(i), exactly,
//        κ ≈ h0 − 1 + h1 + w,   error at most (3/2)e^{−γC} + e^{−γC}.
//    (The paper compares both retrieved indices with 1, which takes κ = 1 for 0 where one position is visible.)
// 4. D = Σ c_k κ_k + c with C = Σ|c_k| is off by at most (5/2)C·e^{−γC} < ¼ for C ≥ 1 and γ ≥ ln 16: an integer known to
//    within ¼, which one feed-forward sublayer compares with 0.
#include <cmath>

#include "base/error.h"
#include "bounds/double_length.h"
#include "bounds/lemmas.h"
#include "ir/affine_sum.h"
#include "lower/paper/paper.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;
using lang::Scope;

ir::Affine PaperConstructions::mean(Scope scope, ir::Literal of, const std::string& label) {
  static constexpr const char* denominators[] = {"/i", "/(n-i+1)", "/n"};
  return graph_.add(ir::Attend{uniform(mask_of(scope)), of}, label + denominators[static_cast<int>(scope)]);
}

ir::HeadId PaperConstructions::lookup(Scope scope, const ir::Affine& mean, int offset, double scale,
                                 const std::string& name) {
  const ir::Affine reciprocal = inverse_visible(scope);
  const Kind linear = recipe_.by_position ? Kind::index_length : Kind::index;
  const Kind square = recipe_.by_position ? Kind::index_sq_length : Kind::index_sq;
  ir::Head head;
  head.mask = scope == Scope::left ? Mask::future : Mask::none;
  head.temperature = recipe_.temperature;
  head.score = {{scale * (mean + offset * reciprocal), 2 * ir::Affine(position(linear))},
                {scale * reciprocal, -1 * ir::Affine(position(square))}};
  head.structure = HeadStructure::lookup;
  head.lemma = Lemma::p_l7;
  head.gamma = scale;
  return graph_.add(head, name);
}

double PaperConstructions::double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign) const {
  return bounds::double_length_by_lookup(weights_of(counts), counts.size(), std::fabs(static_cast<double>(constant)));
}

ir::Literal PaperConstructions::linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                                       const std::string& label) {
  const double total = weights_of(counts).total();  // C
  const double scale = gamma_ * total;
  QUENCH_ASSERT(total * bounds::lookup_error(scale) * 5 / 3 < 0.25);

  ir::AffineSum sum;  // D, to within ¼
  sum.add(static_cast<double>(constant));
  for (const WeightedCount& count : counts) {
    const ir::Affine r = mean(count.scope, count.of, count.label);
    const ir::NodeId index = graph_.add(ir::Attend{lookup(count.scope, r, 0, scale, "lookup " + count.label),
                                                   position(Kind::index)},
                                        count.label + " or 1");
    const ir::NodeId beyond_first = graph_.add(
        ir::Attend{lookup(count.scope, r, 1, scale, "lookup " + count.label + "+1"), !first()}, count.label + " > 0");
    std::vector<ir::Literal> alone{first(), count.of};
    if (count.scope != Scope::left) alone.push_back(last());
    const ir::Literal only_here = graph_.conjunction(alone, count.label + " = 1, alone");
    sum.add(ir::Affine(index) - 1 + beyond_first + only_here, static_cast<double>(count.coefficient));
  }
  const ir::Affine difference = sum.take();
  if (sign == Sign::zero) return {graph_.add(ir::IsZero{difference}, label), false};
  const double infinity = std::numeric_limits<double>::infinity();
  return {graph_.add(ir::Threshold{difference, -0.75, -0.25, -infinity, infinity}, label), false};
}

/// The lookup of κ retrieves θ(max(κ, 1)); where κ = 0 the answer is θ(0). φ(i) implies κ > 0, and where only one
/// position is visible it is the only way, so "κ > 0" is φ(i) ∨ [h1 ≈ 1], with h1 as above.
ir::Literal PaperConstructions::predicate_of(const Predicate& theta, Scope scope, ir::Literal of,
                                        const std::string& label) {
  const ir::Affine r = mean(scope, of, "count in " + label);
  const PositionFormula at_position{Kind::predicate, theta};
  const ir::NodeId keys = graph_.add(ir::Position{at_position}, to_string(at_position));
  const ir::Literal retrieved = rounded(
      graph_.add(ir::Attend{lookup(scope, r, 0, gamma_, "lookup in " + label), keys}, label + ", attended"),
      bounds::boolean_error(gamma_), {});
  const ir::Literal beyond_first = rounded(
      graph_.add(ir::Attend{lookup(scope, r, 1, gamma_, "lookup+1 in " + label), !first()}, {}),
      bounds::boolean_error(gamma_), {});
  const ir::Literal positive = graph_.disjunction({of, beyond_first});
  return graph_.disjunction(
      {graph_.conjunction({positive, retrieved}), graph_.conjunction({!positive, at_zero(theta)})}, label);
}

}  // namespace quench::lower
