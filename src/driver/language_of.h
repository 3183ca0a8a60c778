// The regular language of a rule, if it has one: what `decide`, `translate`, exact `diff` and `verify --prove` work on.
#pragma once

#include "automata/limits.h"
#include "lang/rule.h"

namespace quench::driver {

/// The minimal automaton of the non-empty words that a rule accepts at their last position (an automaton of its own may
/// also accept the empty word): of a formula by automata/formula, of a B-RASP program by its formula. Symbols that are
/// not of a declared alphabet lead nowhere. Throws UserError or DiagnosticError that say why a rule has none, UserError
/// beyond the limits.
lang::Dfa language_of(const lang::Rule& rule, const automata::Limits& limits = {});

}  // namespace quench::driver
