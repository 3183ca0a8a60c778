// Regular expression → automaton.
#pragma once

#include <optional>

#include "automata/limits.h"
#include "lang/dfa.h"
#include "lang/regex.h"

namespace quench::automata {

/// The minimal automaton. Without `symbols`, `.`, `[^…]` and `~` range over all symbols, also those that the expression
/// does not mention; with them, words have these symbols only, and it is a UserError if the expression mentions
/// another. States are derivatives: more than `limits` allow are a UserError.
lang::Dfa automaton_of(const lang::Regex& regex, const std::optional<Alphabet>& symbols = {},
                       const Limits& limits = {});

}  // namespace quench::automata
