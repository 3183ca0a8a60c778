// What the operators mean from one position to the next: the step that automata and searches for words take.
#pragma once

#include "lang/operators.h"

namespace quench::lang {

/// Connectives and operators of the past. `before`: of `prev` and `Z` the operand there, of others their own truth
/// there; `first`: there is no position before. A unary operator has its operand as q.
bool truth_here(Operator op, bool p, bool q, bool before, bool first);
/// Operators of the future. `after` and `last` mirror `before` and `first`.
bool truth_ahead(Operator op, bool p, bool q, bool after, bool last);

}  // namespace quench::lang
