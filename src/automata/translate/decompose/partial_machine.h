// The automaton as the translation sees it: letters that do the same are one, positions modulo s are part of the state,
// and states that nothing leaves are gone: entering one is an event, which decides the word for good.
#pragma once

#include <cstdint>
#include <vector>

#include "automata/limits.h"
#include "lang/dfa.h"

namespace quench::automata {

enum class Event : std::uint8_t { none, win, lose };

struct PartialMachine {
  /// Of a minimal automaton; s ≥ 1. Without `events`, absorbing states stay, and a sink takes what leads nowhere: then
  /// every letter leads on from every state, and quotients have no groups that the language does not have. `closed`:
  /// symbols that are not listed do not occur.
  PartialMachine(const lang::Dfa& dfa, std::size_t s, bool events, bool closed, const Limits& limits);

  std::size_t s;
  std::size_t symbols;                             ///< that are listed; the letter of this number is that of all others
  std::vector<std::vector<lang::Letter>> letters;  ///< classes of letters with equal columns
  std::size_t states = 0;                          ///< the initial one is 0
  std::vector<std::size_t> phase;                  ///< by state: the number of symbols read, modulo s
  std::vector<bool> accepting;                     ///< by state
  std::vector<lang::State> next;                   ///< by state, then by letter class; kNoState where there is an event
  std::vector<Event> event;                        ///< the same
  bool initial_is_decided = false;                 ///< the initial state is absorbing: there are no states here

  lang::State step(lang::State x, std::size_t a) const { return next[x * letters.size() + a]; }
  Event event_of(lang::State x, std::size_t a) const { return event[x * letters.size() + a]; }
  /// What has to be known of a state: whether it accepts, and its events.
  std::vector<std::uint8_t> role(lang::State x) const;
};

}  // namespace quench::automata
