// A formula of the regular fragment as small as we can make it: by way of its automaton, or by leaving out parts of it.
#pragma once

#include "automata/limits.h"
#include "automata/translate/translate.h"
#include "lang/formula.h"

namespace quench::driver {

/// Says the same as the formula at the last position of every word, by proof. Its strategy says where it came from.
/// Throws DiagnosticError or UserError if the formula has no automaton.
automata::Candidate smallest_formula(const lang::Formula& formula, const automata::Limits& limits = {});

}  // namespace quench::driver
