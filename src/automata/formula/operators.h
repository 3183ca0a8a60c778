// What the temporal operators mean from one position to the next.
#pragma once

#include "lang/formula.h"
#include "lang/operators.h"

namespace quench::automata {

inline bool looks_left(lang::Operator op) {
  const lang::Modality modality = lang::facts(op).modality;
  return modality == lang::Modality::previous || modality == lang::Modality::since;
}
inline bool looks_right(lang::Operator op) {
  const lang::Modality modality = lang::facts(op).modality;
  return modality == lang::Modality::next || modality == lang::Modality::until;
}

/// Connectives and operators of the past. `before`: of `prev` and `Z` the operand there, of others their own truth
/// there; `first`: there is no position before. A unary operator has its operand as q.
bool truth_here(lang::Operator op, bool p, bool q, bool before, bool first);
/// Operators of the future. `after` and `last` mirror `before` and `first`.
bool truth_ahead(lang::Operator op, bool p, bool q, bool after, bool last);

}  // namespace quench::automata
