// Why a language is not R-trivial: its minimal automaton leaves a state and comes back to it. (M is R-trivial if and
// only if the states of the minimal automaton are partially ordered: Brzozowski and Fich 1980.)
#pragma once

#include <optional>

#include "lang/dfa.h"

namespace quench::automata {

/// `away` leads from one state to another, and `back` from there to the first.
struct ReturnWitness {
  Word away, back;
  lang::State from = 0, to = 0;
};

/// Of a minimal automaton: shortest words between two states that lead to each other; nothing if it is R-trivial.
std::optional<ReturnWitness> find_return(const lang::Dfa& minimal);

/// By running the words, and nothing else.
bool holds(const lang::Dfa& minimal, const ReturnWitness& witness);

}  // namespace quench::automata
