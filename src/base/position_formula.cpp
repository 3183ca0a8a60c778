#include "base/position_formula.h"

namespace quench {

std::string to_string(const PositionFormula& formula) {
  const std::string name = formula.predicate ? formula.predicate->name : "?";
  if (formula.kind == PositionKind::predicate) return name + "(i)";
  if (formula.kind == PositionKind::predicate_at_zero) return name + "(0)";
  return std::string(to_string(formula.kind));
}

}  // namespace quench
