// since, until and their relatives ([Q-dyadic], [Q-since-lin]); which head, key and value: see since.cpp.
//
// After division by τ the scores are 2γm·S_j ± γj, with m = N (temperature), n (position) or i (decoder). Let j* be the
// position looked for. Selected positions on its far side are behind by γ|j−j*|; positions that are not selected are
// behind by at least 2γm − γ|j−j*| ≥ γ|j−j*|, since |j−j*| < m. If none is selected, j* = i and the tie-break alone
// puts every other position γ|j−j*| behind. So [P-L6] applies: the weights are within 4e^{−γ}/(1+e^{−γ}) of the hard
// ones.
#include "bounds/lemmas.h"
#include "lower/tight/tight.h"

namespace quench::lower {

ir::Literal TightConstructions::nearest(Direction direction, ir::Literal selected, ir::Literal value,
                                        const std::string& label) {
  const bool past = direction == Direction::past;
  const lang::Scope scope = past ? lang::Scope::left : lang::Scope::right;
  if (value == selected) return any(scope, selected, label);
  if (value == !selected) return !any(scope, selected, "!(" + label + ")");

  ir::Head nearby = head(mask_of(scope), past ? Weighting::rhardmax : Weighting::lhardmax, HeadStructure::tie_break,
                         recipe_.by_position ? Lemma::q_since_lin : Lemma::q_dyadic);
  nearby.score.push_back(times_length(2 * gamma_ * ir::Affine(selected)));
  add_index(nearby.score, past ? gamma_ : -gamma_);
  if (nearby.score.size() == 2 && nearby.score[0].query == ir::Affine(1)) {
    // Both queries are constant: one product of the sum.
    const ir::Head::Product tie = nearby.score[1];
    nearby.score = {{2 * gamma_, ir::Affine(selected) + (tie.query.constant / (2 * gamma_)) * tie.key}};
  }
  const ir::NodeId attended = graph_.add(ir::Attend{graph_.add(nearby, label), value}, label + ", attended");
  return rounded(attended, bounds::boolean_error(gamma_), label);
}

}  // namespace quench::lower
