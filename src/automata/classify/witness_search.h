// Witnesses for what a language is not, found in its monoid. classify/witness_check.h checks them without it.
#pragma once

#include <optional>

#include "automata/classify/decision.h"
#include "automata/monoid/green.h"

namespace quench::automata {

/// Of a monoid that is not aperiodic.
CycleWitness find_cycle(const lang::Dfa& dfa, const TransitionMonoid& monoid, const Green& green);

/// Of a language that is not quasi-aperiodic. Nothing only if the words would be longer than the budget allows to
/// search.
std::optional<EqualLengthWitness> find_equal_lengths(const lang::Dfa& dfa, const TransitionMonoid& monoid,
                                                     const Green& green, Budget& budget);

struct GroupSearch {
  std::size_t largest = 1;                     ///< the order of the largest group
  std::optional<PerfectGroupWitness> perfect;  ///< a group that is not solvable, if there is one
};
GroupSearch search_groups(const lang::Dfa& dfa, const TransitionMonoid& monoid, const Green& green,
                          const Limits& limits, Budget& budget);

}  // namespace quench::automata
