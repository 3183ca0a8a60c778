// Congruences of a partial machine: equivalences of states that letters respect where they lead on from both.
#pragma once

#include <cstdint>
#include <vector>

#include "automata/translate/decompose/partial_machine.h"

namespace quench::automata {

/// Block numbers by state, in the order of their first states.
using Partition = std::vector<std::uint32_t>;

std::size_t blocks(const Partition& partition);
Partition discrete(std::size_t states);
/// Whether each block of `fine` lies in one of `coarse`.
bool refines(const Partition& fine, const Partition& coarse);

/// The least congruence above `start` that identifies p and q.
Partition joined(const PartialMachine& machine, const Partition& start, lang::State p, lang::State q, Budget& budget);

/// A congruence between `start` and `base`, both congruences, that does not identify p and q and is as large as
/// possible.
Partition maximal_separating(const PartialMachine& machine, const Partition& start, const Partition& base,
                             lang::State p, lang::State q, Budget& budget);

/// The least congruence whose quotient no letter merges states of: also p ~ q wherever pa ~ qa.
Partition folding(const PartialMachine& machine, Budget& budget);

}  // namespace quench::automata
