// What looks mistaken about a rule, as every command says it that takes one.
#pragma once

#include <vector>

#include "base/text/diagnostic.h"
#include "lang/rule.h"

namespace quench::driver {

/// What lint/lint.h says of a formula. If that is nothing and the formula is small and regular, its automaton is made:
/// W001, too, if it accepts no word or every word. Nothing of programs and automata. Some milliseconds at most.
std::vector<Diagnostic> lint_rule(const lang::Rule& rule);

}  // namespace quench::driver
