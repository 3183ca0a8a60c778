// An automaton as several smaller ones that run side by side. [Q-scan]
//
// A congruence of the states gives a smaller automaton, on its classes. Some congruences in which no two states are
// together everywhere give automata that together know the state. The word problem of a group of permutations, whose
// states are the permutations, falls into one automaton for each point: where the point is now. These are the same
// automaton, with as many states as there are points, begun in different states.
#pragma once

#include "lower/scan/machine.h"

namespace quench::lower {

struct Factors {
  std::vector<Machine> machines;  ///< no two are isomorphic
  struct Run {
    std::size_t machine;             ///< of `machines`
    std::vector<std::size_t> state;  ///< of it, by state of the whole
  };
  std::vector<Run> runs;  ///< together they know the state of the whole
};

/// The machine itself, if nothing smaller was found.
Factors factors_of(const Machine& machine);

}  // namespace quench::lower
