// [Q-prev], [Q-prev-lin]: ⊖ and ⊕ with one head.
//
// After division by τ the scores under the future mask are
//     −c·(−1)^{i+j} + γj,      c = γN (temperature: a constant query, times 1/τ = N),  c = 2γ (τ = 1).
// Position i−1 has the other parity. Behind it are i−3, i−5 … by 2γ, 4γ …, and the positions of i's own parity
// i, i−2, … by 2c − γ, 2c + γ, …; c ≥ 2γ wherever i−1 exists (then n ≥ 2). So the mass beside i−1 is at most
//     Σ_{k≥1} e^{−2kγ} + Σ_{k≥0} e^{−(3+2k)γ} = (e^{−2γ} + e^{−3γ})/(1 − e^{−2γ}) =: δ.
// No factor n is needed at τ = 1, because the position looked for is never farther than one step.
//
// At i = 1 position 1 sees itself alone. Besides φ the head retrieves e = [j is even]: at even i, e ≈ 0; at odd i > 1,
// e ≈ 1; at i = 1, e = 0. So φ' + e + [i is even] − 1 is φ' except at i = 1, where it is φ' − 1 ≤ 0: one rounding
// with errors of at most 2δ. Looking right the scores are −c·(−1)^{i+j} − γj; the last position can have either parity,
// so one rounding serves the even and another the odd positions.
#include "base/error.h"
#include "bounds/lemmas.h"
#include "lower/tight/tight.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;

ir::Literal TightConstructions::neighbour(Direction direction, ir::Literal phi, const std::string& label) {
  const bool past = direction == Direction::past;
  const ir::Affine parity = position(Kind::alternating);
  ir::Head nearby = head(past ? Mask::future : Mask::past, past ? Weighting::rhardmax : Weighting::lhardmax,
                         HeadStructure::previous, recipe_.by_position ? Lemma::q_prev_lin : Lemma::q_prev);
  nearby.score.push_back({(recipe_.by_position ? -2 : -1) * gamma_ * parity, parity});
  add_index(nearby.score, past ? gamma_ : -gamma_);
  const ir::HeadId other_parity = graph_.add(nearby, past ? "position before" : "position after");
  const ir::Affine value = graph_.add(ir::Attend{other_parity, phi}, label + ", attended");
  const ir::Affine even =
      0.5 * (ir::Affine(1) + graph_.add(ir::Attend{other_parity, parity}, past ? "parity before" : "parity after"));

  const double delta = bounds::previous_error(gamma_);
  QUENCH_ASSERT(2 * delta <= 0.25);
  const auto round = [&](const ir::Affine& x, const std::string& name) {
    return ir::Literal{graph_.add(ir::Threshold{x, delta, 1 - 2 * delta, -1, 1}, name), false};
  };
  const ir::Affine even_here = 0.5 * (ir::Affine(1) + parity);
  if (past) return round(value + even + even_here - 1, label);
  return graph_.disjunction({graph_.conjunction({odd(), round(value + even - 1, label + ", i odd")}),
                             graph_.conjunction({!odd(), round(value - even, label + ", i even")})},
                            label);
}

}  // namespace quench::lower
