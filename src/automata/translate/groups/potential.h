// Potentials: numbers φ(x) of states and h(a) of letters with φ(xa) = φ(x) + h(a) wherever a leads on from x. Then φ is
// a difference of counts, Σ h(a)·#<[a]: bounded brackets in constant depth, whatever the bound.
#pragma once

#include <cstdint>
#include <vector>

#include "automata/translate/decompose/partial_machine.h"

namespace quench::automata {

struct Potential {
  std::vector<std::int64_t> of_state, of_letter;  ///< of the initial state: 0
};

/// A basis of all potentials that are not constant, with integers; empty if there is none, or if numbers get large.
std::vector<Potential> potentials(const PartialMachine& machine);

}  // namespace quench::automata
