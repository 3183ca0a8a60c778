// Languages that are read from the last symbol back, for instance "the ninth symbol from the end is a": the automaton
// has 2^9 states, the one that reads words backwards has ten.
#pragma once

#include "automata/translate/decompose/base_variables.h"

namespace quench::automata {

/// Whether the machine, which is total, is in an accepting state; `letters` is the feature of the letter. Throws
/// UserError if the automaton that reads backwards comes back to a state that it has left, which is so unless the
/// monoid is L-trivial.
lang::FormulaId backwards(Logic& logic, const PartialMachine& machine, const Feature& letters, const Limits& limits,
                          Budget& budget, std::vector<std::string>& description);

}  // namespace quench::automata
