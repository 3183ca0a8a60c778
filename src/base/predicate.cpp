#include "base/predicate.h"

#include <algorithm>

namespace quench {

bool Predicate::depends_on_length() const {
  return kind == Kind::last || std::any_of(code.begin(), code.end(), [](const IntInstruction& instruction) {
           return instruction.op == IntInstruction::Op::n;
         });
}

}  // namespace quench
