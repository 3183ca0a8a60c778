// since, until and their relatives: Theorems 15 and 16, and the tie-breaking heads of Lemma 8.
//
// p since q at i: let j be the rightmost position ≤ i where ¬p ∨ q. If q ∧ p holds there, p holds on all of [j, i]; if
// not, p breaks at j and q held nowhere since. If there is no such j, p ∧ ¬q holds throughout and the answer is the
// value there, too. So one head, key [¬p ∨ q], value [p ∧ q]; lower.cpp gives keys and values of the derived operators.
//
// Scores have gap 1 (Booleans), so with tie-breaking terms
//   [P-L8b] 2γn(s_j + j/2n) → rightmost    [P-L8c] 2γn(s_j − j/2n) → leftmost    [P-L8a] γi²(s_j − 1/j) → rightmost
// the weights are within 4e^{−γ}/(1+e^{−γ}) of the hard ones. The factor n or i² is 1/τ, or a coordinate of the query.
#include "base/error.h"
#include "bounds/lemmas.h"
#include "lower/paper/paper.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;

ir::HeadId PaperConstructions::tie_broken(Direction direction, ir::Affine score, const std::string& name) {
  const bool past = direction == Direction::past;
  ir::Head head;
  head.mask = past ? Mask::future : Mask::past;
  head.temperature = recipe_.temperature;
  head.intended = past ? Weighting::rhardmax : Weighting::lhardmax;
  head.structure = HeadStructure::tie_break;
  head.gamma = gamma_;
  if (recipe_.tie_break == TieBreak::over_n) {
    const ir::Affine scale = recipe_.by_position ? ir::Affine(position(Kind::length)) : ir::Affine(1);
    const ir::Affine tie = 0.5 * ir::Affine(position(Kind::index_over_length));
    head.score = {{2 * gamma_ * scale, past ? score + tie : score - tie}};
    head.lemma = past ? Lemma::p_l8b : Lemma::p_l8c;
  } else {
    QUENCH_ASSERT(recipe_.tie_break == TieBreak::over_i_sq && past);
    const ir::Affine scale = recipe_.by_position ? ir::Affine(position(Kind::index_sq)) : ir::Affine(1);
    head.score = {{gamma_ * scale, score - inverse_visible(lang::Scope::left)}};
    head.lemma = Lemma::p_l8a;
  }
  return graph_.add(head, name);
}

ir::Literal PaperConstructions::nearest(Direction direction, ir::Literal selected, ir::Literal value,
                                   const std::string& label) {
  const ir::HeadId head = tie_broken(direction, selected, label);
  return rounded(graph_.add(ir::Attend{head, value}, label + ", attended"), bounds::boolean_error(gamma_), label);
}

}  // namespace quench::lower
