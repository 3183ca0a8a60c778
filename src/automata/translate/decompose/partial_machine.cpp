#include "automata/translate/decompose/partial_machine.h"

#include <map>

namespace quench::automata {
namespace {

using lang::State;

bool wins_for_good(const lang::Dfa& dfa, State q, bool closed) {
  for (lang::Letter a = 0; a < (closed ? dfa.other() : dfa.letters()); ++a)
    if (dfa.next(q, a) != q) return false;
  return dfa.accepting(q);
}

}  // namespace

PartialMachine::PartialMachine(const lang::Dfa& dfa, std::size_t modulus, bool events, bool closed,
                               const Limits& limits)
    : s(modulus), symbols(dfa.alphabet.size()) {
  std::map<std::vector<State>, std::size_t> columns;
  for (lang::Letter a = 0; a < (closed ? dfa.other() : dfa.letters()); ++a) {
    std::vector<State> column;
    for (State q = 0; q < dfa.size(); ++q) column.push_back(dfa.next(q, a));
    const auto [at, added] = columns.try_emplace(column, letters.size());
    if (added) letters.emplace_back();
    letters[at->second].push_back(a);
  }
  std::vector<bool> wins(dfa.size());
  for (State q = 0; q < dfa.size(); ++q) wins[q] = events && wins_for_good(dfa, q, closed);
  if (wins[dfa.initial] || dfa.size() == 0) {
    initial_is_decided = true;
    return;
  }
  std::map<std::pair<State, std::size_t>, State> number;
  std::vector<State> original;
  const auto visit = [&](State q, std::size_t at_phase) {
    const auto [at, added] = number.try_emplace({q, at_phase}, static_cast<State>(states));
    if (added) {
      ++states;
      check_limit(states, limits.configurations, "configurations", "states with positions modulo s");
      original.push_back(q);
      phase.push_back(at_phase);
      accepting.push_back(dfa.accepting(q));
    }
    return at->second;
  };
  visit(dfa.initial, 0);
  for (State x = 0; x < states; ++x)
    for (const std::vector<lang::Letter>& letter : letters) {
      const State to = dfa.next(original[x], letter[0]);
      const bool sink = to == lang::kNoState;
      event.push_back(sink ? (events ? Event::lose : Event::none) : wins[to] ? Event::win : Event::none);
      next.push_back(event.back() == Event::none ? visit(to, (phase[x] + 1) % s) : lang::kNoState);
    }
}

std::vector<std::uint8_t> PartialMachine::role(State x) const {
  std::vector<std::uint8_t> result{accepting[x]};
  for (std::size_t a = 0; a < letters.size(); ++a) result.push_back(static_cast<std::uint8_t>(event_of(x, a)));
  return result;
}

}  // namespace quench::automata
