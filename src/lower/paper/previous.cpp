// ⊖ and ⊕: Theorems 12 and 13.
//
// One head attends to the nearest even position at or before i, another to the nearest odd one; the one whose parity is
// not i's has found i − 1. Scores ±½(−1)^j have gap 1, so the tie-break lemmas apply:
//
//   [P-L8b,c]  2γn(±½(−1)^j + j/2n)       [P-L8a]  γi²(±½(−1)^j − 1/j)        ‖hard − soft‖₁ ≤ 4e^{−γ}/(1+e^{−γ})
//
// At i = 1 only position 1 is visible, so the head for even positions finds itself: a mark on the first position makes
// ⊖ false there. (The head for odd positions is used at even i only, where i − 1 exists.) ⊕ is the mirror image under
// the past mask, except that n may have either parity, so both heads need the mark.
#include "bounds/lemmas.h"
#include "lower/paper/paper.h"

namespace quench::lower {

ir::Literal PaperConstructions::neighbour(Direction direction, ir::Literal phi, const std::string& label) {
  const bool past = direction == Direction::past;
  const ir::Affine parity = 0.5 * ir::Affine(position(PositionFormula::Kind::alternating));
  const auto nearest_of_parity = [&](bool even) {
    const ir::HeadId head =
        tie_broken(direction, even ? parity : -1 * parity,
                   std::string(past ? "rightmost " : "leftmost ") + (even ? "even" : "odd"));
    return rounded(graph_.add(ir::Attend{head, phi}, label + (even ? ", j even" : ", j odd")),
                   bounds::boolean_error(gamma_), {});
  };
  const ir::Literal from_even = nearest_of_parity(true), from_odd = nearest_of_parity(false);
  const ir::Literal at_odd = graph_.conjunction({odd(), !(past ? first() : last_where(true)), from_even});
  const ir::Literal at_even =
      past ? graph_.conjunction({!odd(), from_odd}) : graph_.conjunction({!odd(), !last_where(false), from_odd});
  return graph_.disjunction({at_odd, at_even}, label);
}

}  // namespace quench::lower
