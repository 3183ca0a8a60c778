// From an automaton to a network: by a formula. The strategies of automata/translate give several, each proved equal to
// the automaton; what is compiled is the one whose network is certified furthest, then the one with the fewest layers,
// then with the fewest heads.
#pragma once

#include "automata/limits.h"
#include "automata/translate/translate.h"
#include "base/number/number_format.h"
#include "driver/compile.h"
#include "lang/automaton.h"

namespace quench::driver {

/// The formulas of an automaton that has none yet, each once; there is at least one. Throws DiagnosticError (E110) that
/// says why there is none, UserError beyond the limits.
automata::Translation formulas_of(const lang::Automaton& automaton, const automata::Limits& limits = {});

/// The best network of these formulas by this recipe. Throws DiagnosticError if the recipe covers none of them.
Compilation compile_best(const lang::Automaton& automaton, const automata::Translation& translation,
                         const lower::RecipeOptions& options, NumberFormat format);

/// The rule as it is, but an automaton has the formula that `compile` would choose; to compile it again and again.
lang::Rule settled(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular = {});

}  // namespace quench::driver
