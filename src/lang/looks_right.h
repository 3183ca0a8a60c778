// In which directions operators and rules look.
#pragma once

#include "lang/operators.h"
#include "lang/rule.h"

namespace quench::lang {

inline bool looks_left(Operator op) {
  const Modality modality = facts(op).modality;
  return modality == Modality::previous || modality == Modality::since;
}
inline bool looks_right(Operator op) {
  const Modality modality = facts(op).modality;
  return modality == Modality::next || modality == Modality::until;
}

/// Whether a rule's value at a position can depend on what stands to the right of it: then causal heads cannot learn
/// it. A program may: its masks are not analysed.
bool looks_right(const Rule& rule);

}  // namespace quench::lang
