// Checks witnesses by running their words on the automaton, and nothing else: no monoid, no code of the search.
#pragma once

#include "automata/classify/decision.h"

namespace quench::automata {

bool holds(const lang::Dfa& dfa, const CycleWitness& witness);
bool holds(const lang::Dfa& dfa, const EqualLengthWitness& witness);
/// Lists the group that the words generate, and that of its commutators.
bool holds(const lang::Dfa& dfa, const PerfectGroupWitness& witness);

}  // namespace quench::automata
