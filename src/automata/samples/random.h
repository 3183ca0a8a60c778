// Random automata and regular expressions, by seed. Transitions at random give automata with large groups; the other
// kinds are there so that every class of languages occurs.
#pragma once

#include <string>

#include "base/number/random.h"
#include "lang/dfa.h"

namespace quench::automata {

/// Transitions are missing with the given probability; unlisted symbols lead nowhere.
lang::Dfa random_dfa(Random& random, std::size_t states, std::size_t letters, double missing = 0.1);

/// Letters permute the states, or with the given probability lead all of them to one.
lang::Dfa random_permutation_reset_dfa(Random& random, std::size_t states, std::size_t letters, double reset);

/// Letters keep the order of the states, so a word that permutes some of them leaves them alone: aperiodic.
lang::Dfa random_monotone_dfa(Random& random, std::size_t states, std::size_t letters);

/// The state and the position modulo 2 or 3 together decide: mostly quasi-aperiodic.
lang::Dfa random_clocked_dfa(Random& random, std::size_t states, std::size_t letters);

/// An expression of about `size` parts.
std::string random_regex(Random& random, int size, int letters);

}  // namespace quench::automata
