#include "base/predicate.h"

#include <algorithm>

namespace quench {

bool Predicate::depends_on_length() const {
  return kind == Kind::last || std::any_of(code.begin(), code.end(), [](const IntInstruction& instruction) {
           return instruction.op == IntInstruction::Op::n;
         });
}

std::optional<ResidueClass> residue_class(const Predicate& predicate) {
  switch (predicate.kind) {
    case Predicate::Kind::odd:
      return ResidueClass{2, 1};
    case Predicate::Kind::even:
      return ResidueClass{2, 0};
    case Predicate::Kind::mod: {
      const std::int64_t rest = predicate.residue % predicate.modulus;
      return ResidueClass{predicate.modulus, rest < 0 ? rest + predicate.modulus : rest};
    }
    case Predicate::Kind::prime:
    case Predicate::Kind::square:
    case Predicate::Kind::cube:
    case Predicate::Kind::pow2:
    case Predicate::Kind::triangular:
    case Predicate::Kind::fibonacci:
    case Predicate::Kind::first:
    case Predicate::Kind::last:
    case Predicate::Kind::set:
    case Predicate::Kind::expression:
      break;
  }
  return std::nullopt;
}

}  // namespace quench
