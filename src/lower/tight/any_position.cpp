// [Q-any]: whether some visible position satisfies φ. Once, eventually and their duals; comparisons like "count > 0".
//
// After division by τ the scores are γm·φ_j, with m = N (temperature), n (position) or i (decoder); the value is φ_j.
// If φ holds somewhere, each of the at most m−1 other positions has e^{−γm} of the weight of one that satisfies it, so
// at most (m−1)e^{−γm} ≤ e^{−2γ} of the mass is in the wrong place (m ≥ 2 or there is no other; the bound falls in m
// for γ ≥ 1). If φ holds nowhere, all values are 0. No tie-break: positions that tie carry the same value.
//
// In floating point the k weights that tie are 1/k each, rounded, on engines that normalise before they sum, and k of
// them add up to 1 only within a factor: 0.885 to 1.136 at k = 2^{p−2}, where other heads end (bounds/tied.h). So what
// is retrieved is declared to be exactly 0 or within kTiedError of 1, and the rounding after it leaves that much room.
#include <map>

#include "base/error.h"
#include "bounds/lemmas.h"
#include "lower/tight/tight.h"

namespace quench::lower {

constexpr double kTiedError = 0.15;

ir::Literal TightConstructions::any(lang::Scope scope, ir::Literal of, const std::string& label) {
  QUENCH_ASSERT(gamma_ >= 1);
  ir::Head some = head(mask_of(scope), Weighting::ahardmax, HeadStructure::any, Lemma::q_any);
  some.score = {times_length(gamma_ * ir::Affine(of))};
  const ir::NodeId attended = graph_.add(ir::Attend{graph_.add(some, label), of}, label + ", attended");
  QUENCH_ASSERT(bounds::any_error(gamma_) <= kTiedError);
  return {graph_.add(ir::Threshold{attended, 0, 1 - kTiedError, 0, 1 + kTiedError}, label), false};
}

ir::Literal TightConstructions::any_of(const std::vector<WeightedCount>& counts, const std::string& label) {
  std::map<lang::Scope, std::vector<ir::Literal>> by_scope;
  for (const WeightedCount& count : counts) by_scope[count.scope].push_back(count.of);
  std::vector<ir::Literal> found;
  for (const auto& [scope, literals] : by_scope) found.push_back(any(scope, graph_.disjunction(literals), label));
  return graph_.disjunction(found, label);
}

}  // namespace quench::lower
