// Automata as the scan takes them: total, without states that are never reached or that no word tells apart; their
// congruences and quotients.
#pragma once

#include <cstddef>
#include <vector>

#include "lang/dfa.h"

namespace quench::lower {

/// A partition of states: the number of every state's class, in the order of their first states.
using Classes = std::vector<std::size_t>;
std::size_t class_count(const Classes& classes);

/// Letters are those of lang::Dfa.
struct Machine {
  std::vector<std::vector<std::size_t>> next;  ///< by state, then letter
  std::size_t initial = 0;

  std::size_t size() const { return next.size(); }
  std::size_t letters() const { return next.empty() ? 0 : next[0].size(); }
  /// The states that some word of at least one letter leads to, in their order.
  std::vector<std::size_t> reachable_from(std::size_t state) const;
};

/// The automaton's states up to equivalence, numbered as they are reached, and which of them accept.
struct MinimalMachine {
  Machine machine;
  std::vector<bool> accepting;
};
MinimalMachine minimal_machine(const lang::Dfa& dfa);

/// The coarsest congruence that is at least as fine as `classes`: states are told apart by the classes that words lead
/// to.
Classes coarsest_congruence(const Machine& machine, const Classes& classes);
/// The finest congruence in which everything is together that is together in one of the two.
Classes joined(const Machine& machine, const Classes& a, const Classes& b);
/// The machine on the classes of a congruence.
Machine quotient(const Machine& machine, const Classes& congruence);

}  // namespace quench::lower
