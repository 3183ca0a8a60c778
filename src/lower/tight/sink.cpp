// [Q-sink]: counts to the left, to the right and everywhere over one denominator, n.
//
// A future-masked head at τ = 1 with score log(n−i+1) at position 1 and 0 elsewhere has weights n−i+1, 1, …, 1 (i−1
// ones): they sum to n. Its value is Σ c_k φ_k without position 1, so it returns (Σ c_k(#←[φ_k] − φ_k(1)))/n; a uniform
// unmasked head whose value is Σ c_k φ_k at position 1 only adds the rest, exactly. Looking right is the mirror image:
// score log i at position n. (#→ is also total − #← + φ(i), but φ(i)/n is a product; a second sink costs a head and,
// since #← + #→ ≤ n+1, rounding errors no larger than those of one alone.)
#include "ir/affine_sum.h"
#include "lower/tight/tight.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;
using lang::Scope;

ir::HeadId TightConstructions::sink(Direction direction) {
  const bool past = direction == Direction::past;
  ir::Head result = head(past ? Mask::future : Mask::past, Weighting::soft, HeadStructure::sink, Lemma::q_sink);
  result.temperature = Temperature::one;
  result.gamma = 0;  // exact
  result.score = {{position(past ? Kind::log_remaining : Kind::log_index), ir::Affine(past ? first() : last())}};
  return graph_.add(result, past ? "sink at the first" : "sink at the last");
}

TightConstructions::Mean TightConstructions::mixed_mean(const std::vector<WeightedCount>& counts,
                                                        const std::string& label) {
  ir::AffineSum left_sum, right_sum, everywhere;
  for (const WeightedCount& count : counts) {
    const auto coefficient = static_cast<double>(count.coefficient);
    if (count.scope == Scope::all) {
      everywhere.add(count.of, coefficient);
      continue;
    }
    const bool past = count.scope == Scope::left;
    const ir::Affine at_sink = graph_.conjunction({count.of, past ? first() : last()});
    (past ? left_sum : right_sum).add(ir::Affine(count.of) - at_sink, coefficient);
    everywhere.add(at_sink, coefficient);
  }
  const ir::Affine left = left_sum.take(), right = right_sum.take();
  Mean mean{graph_.add(ir::Attend{uniform(Mask::none), everywhere.take()}, "mean in " + label),
            position(Kind::inverse_length), position(Kind::inverse_length), Mask::none};
  if (!left.is_constant()) mean.sum += graph_.add(ir::Attend{sink(Direction::past), left}, "left mean in " + label);
  if (!right.is_constant())
    mean.sum += graph_.add(ir::Attend{sink(Direction::future), right}, "right mean in " + label);
  return mean;
}

}  // namespace quench::lower
