// [Q-cmp]: Σ c_k κ_k + c against 0, where the sum D is a whole number in one coordinate.
//
//     [D ≥ 0] = ReLU(D+1) − ReLU(D),     [D = 0] = ReLU(D+1) − 2ReLU(D) + ReLU(D−1)
// are exact in any order for |D| + 1 ≤ 2^p. With C = Σ|c_k|, |D| ≤ CN + |c|; and if |c| > CN, the constant decides at
// every length that the weights serve. What only asks whether a count is positive is a match ([Q-match]): one head.
#include <map>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using lang::Scope;

ir::Literal ExactConstructions::any_of(const std::vector<WeightedCount>& counts, const std::string& label) {
  std::map<Scope, std::vector<ir::Literal>> by_scope;
  for (const WeightedCount& count : counts) by_scope[count.scope].push_back(count.of);
  std::vector<ir::Literal> found;
  for (const auto& [scope, literals] : by_scope) {
    const ir::Literal some = graph_.disjunction(literals);
    const Direction direction = scope == Scope::right ? Direction::future : Direction::past;
    const ir::HeadId head = selected_match(mask_of(scope), direction, some, label);
    found.push_back(exactly(graph_.add(ir::Attend{head, some}, label + ", attended"), label));
  }
  return graph_.disjunction(found, label);
}

double ExactConstructions::double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const {
  if (question(counts, constant, sign) != Question::sign) return std::numeric_limits<double>::infinity();
  return bounds::exact_comparison_length(weights_of(counts).total(), 53);
}

ir::Literal ExactConstructions::linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                                       const std::string& label) {
  switch (question(counts, constant, sign)) {
    case Question::some:
      return any_of(counts, label);
    case Question::none:
      return !any_of(counts, "!(" + label + ")");
    case Question::sign:
      break;
  }
  if (counts.front().coefficient < 0) {  // so that a > b, a <= b and a = b share their sums
    std::vector<WeightedCount> negated = counts;
    for (WeightedCount& count : negated) count.coefficient = -count.coefficient;
    if (sign == Sign::zero) return linear(negated, -constant, sign, label);
    return !linear(negated, -constant - 1, sign, "!(" + label + ")");
  }
  const double greatest = weights_of(counts).total() * length_;  // CN
  if (static_cast<double>(constant) > greatest) return graph_.truth(sign == Sign::not_negative);
  if (static_cast<double>(constant) < -greatest) return graph_.truth(false);
  QUENCH_ASSERT(length_ <= bounds::exact_comparison_length(weights_of(counts).total(), 53));
  const ir::Affine d = sum_of(counts, label) + static_cast<double>(constant);
  const std::vector<ir::Piecewise::Unit> units = sign == Sign::zero
                                                     ? std::vector<ir::Piecewise::Unit>{{d + 1, 1}, {d, -2}, {d - 1, 1}}
                                                     : std::vector<ir::Piecewise::Unit>{{d + 1, 1}, {d, -1}};
  return {graph_.add(ir::Piecewise{units, 0, 0, 1, true}, label), false};
}

}  // namespace quench::lower
