#include "base/predicate.h"

#include <algorithm>

namespace quench {

bool Predicate::depends_on_length() const {
  if (kind == Kind::last) return true;
  if (kind != Kind::expression) return false;
  return std::any_of(code.begin(), code.end(),
                     [](const IntInstruction& instruction) { return instruction.op == IntInstruction::Op::n; });
}

}  // namespace quench
