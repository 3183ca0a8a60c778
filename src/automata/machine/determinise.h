// Nondeterministic automata made deterministic: the states are the sets of states that a word leads to.
#pragma once

#include "automata/limits.h"
#include "lang/dfa.h"

namespace quench::automata {

/// Not minimised. There can be 2^states sets: more than `limits.states` are a UserError.
lang::Dfa determinise(const lang::Nfa& nfa, const Limits& limits = {});

/// The words backwards, and so an automaton that is no longer deterministic.
lang::Nfa reversed(const lang::Dfa& dfa);

}  // namespace quench::automata
