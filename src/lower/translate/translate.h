// Between the two languages: LTL and B-RASP define the same rules.
#pragma once

#include "lang/formula.h"
#include "lang/program.h"

namespace quench::lower {

/// One vector per temporal operator. Throws DiagnosticError (E124) on counts and numerical predicates.
lang::Program to_brasp(const lang::Formula& formula);

/// Throws DiagnosticError (E121, E122, E124): integers, an output that is not Boolean, or too many cases. A score that
/// reads t Booleans at i has up to 2^t cases, each with its own temporal operators.
lang::Formula to_ltl(const lang::Program& program);

}  // namespace quench::lower
