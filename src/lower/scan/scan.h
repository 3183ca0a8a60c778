// Any finite automaton as a causal decoder of ⌈log₂ N⌉ layers, for words of at most N symbols. [Q-scan]
#pragma once

#include "ir/graph.h"
#include "lang/dfa.h"
#include "lower/recipe.h"

namespace quench::lower {

/// "scan". Throws DiagnosticError (E102, E107, E123) if the options ask for something else.
const Recipe& choose_scan_recipe(const RecipeOptions& options);

/// At every position, whether the automaton accepts the word up to there. Throws DiagnosticError (E127) if the
/// automaton has too many states.
ir::Graph lower_scan(const lang::Dfa& dfa, const Recipe& recipe, const Tuning& tuning);

}  // namespace quench::lower
