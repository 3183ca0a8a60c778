// Any finite automaton as a causal decoder of ⌈log₂ N⌉ layers, for words of at most N symbols. [Q-scan]
#pragma once

#include "ir/graph.h"
#include "lang/dfa.h"
#include "lower/recipe.h"

namespace quench::lower {

/// "scan". Throws DiagnosticError (E102, E107, E123) if the options ask for something else.
const Recipe& choose_scan_recipe(const RecipeOptions& options);

/// How large a scan may get.
struct ScanLimits {
  std::size_t states = 512;    ///< of the automaton, which should be minimal
  std::size_t units = 50'000;  ///< hidden units of a layer
};

/// At every position, whether the automaton accepts the word up to there. Throws DiagnosticError (E127) if the scan would
/// be too large.
ir::Graph lower_scan(const lang::Dfa& dfa, const Recipe& recipe, const Tuning& tuning, const ScanLimits& limits = {});

}  // namespace quench::lower
