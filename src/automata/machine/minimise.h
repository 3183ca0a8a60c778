// The minimal automaton of a language, in one form: equal languages over one alphabet have equal minimal automata.
#pragma once

#include "lang/dfa.h"

namespace quench::automata {

/// No state without an accepted continuation (but the initial one, if nothing is accepted at all), no two states with
/// the same continuations, states numbered in the order in which a search in breadth meets them. Hopcroft's algorithm,
/// O(letters · states · log states).
lang::Dfa minimise(const lang::Dfa& dfa);

/// The states that a word leads to, and from which an accepted word leads on; the rest is gone. The initial state
/// stays.
lang::Dfa trim(const lang::Dfa& dfa);

}  // namespace quench::automata
