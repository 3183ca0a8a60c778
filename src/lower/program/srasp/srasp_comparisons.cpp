// Comparisons of integers at one position. Ranges decide first: stored integers lie between 0 and n+1, so a constant
// may decide alone. Then pos(i) is compared with small numbers by 1/i, and everything else by its sign, over i or over
// n.
#include <utility>

#include "lower/program/srasp/srasp_lowering.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

constexpr double kGreatestForInverse = 1000;  // a number that 1/i is compared with

}  // namespace

/// a ≥ b, of integers at one position.
Literal SraspLowering::at_least(ExpressionId a, ExpressionId b) {
  const IntegerRange difference = sum(range_of(a), range_of(b), -1);
  if (difference.at_least(kZero)) return graph_.truth(true);
  if (difference.at_most({-1, 0})) return graph_.truth(false);
  if (by_case(a, b)) return at_least_by_case(a, b, 0);
  if (by_case(b, a)) return !at_least_by_case(b, a, 1);
  const std::optional<Affine> x = over_index(a), y = over_index(b);
  if (x && y) return numbers_.at_least_zero_over_i(*x - *y);
  return numbers_.at_least_zero(number(a) - number(b));
}

Literal SraspLowering::equal(ExpressionId a, ExpressionId b) {
  if (by_case(b, a)) std::swap(a, b);
  if (!by_case(a, b)) return graph_.conjunction({at_least(a, b), at_least(b, a)});
  std::vector<Literal> any;
  for (const auto& [value, holds] : local(b).cases)
    any.push_back(graph_.conjunction({literal(holds), at_least(a, value), !at_least(a, value + 1)}));
  return graph_.disjunction(std::move(any));
}

/// Whether x is compared with each of the few values by itself: pos(i) with numbers that 1/i tells apart; and what is
/// too great to be computed with, where a value alone may decide.
bool SraspLowering::by_case(ExpressionId x, ExpressionId values) {
  if (!finite_[values.index]) return false;
  if (!computable(values)) return true;
  const IntegerRange& range = range_of(values);
  return std::holds_alternative<PositionAt>(program_[x]) && range.at_least({-kGreatestForInverse, 0}) &&
         range.at_most({kGreatestForInverse, 0});
}

/// x ≥ value
Literal SraspLowering::at_least(ExpressionId x, std::int64_t value) {
  const double least = static_cast<double>(value);
  const bool position = std::holds_alternative<PositionAt>(program_[x]);
  if (position && least <= kGreatestForInverse + 1) return numbers_.position_from(value);
  if (range_of(x).at_least({least, 0})) return graph_.truth(true);
  if (range_of(x).at_most({least - 1, 0})) return graph_.truth(false);
  return numbers_.at_least_zero(number(x) - least * numbers_.one());
}

/// x ≥ value + more, for the value that it has.
Literal SraspLowering::at_least_by_case(ExpressionId x, ExpressionId values, std::int64_t more) {
  std::vector<Literal> any;
  for (const auto& [value, holds] : local(values).cases)
    any.push_back(graph_.conjunction({literal(holds), at_least(x, value + more)}));
  return graph_.disjunction(std::move(any));
}

}  // namespace quench::lower
