#include "automata/machine/determinise.h"

#include <algorithm>
#include <unordered_map>

#include "base/hash.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::Letter;
using lang::Nfa;
using lang::State;

using Set = std::vector<State>;  // sorted

struct SetHash {
  std::size_t operator()(const Set& set) const {
    std::size_t seed = set.size();
    for (const State s : set) hash_combine(seed, s);
    return seed;
  }
};

class Subsets {
 public:
  Subsets(const Nfa& nfa, const Limits& limits)
      : nfa_(nfa), limits_(limits), seen_(nfa.size()), result_(nfa.alphabet) {}

  Dfa run() {
    result_.initial = number(closed(nfa_.initial));
    std::vector<Set> by_letter(result_.letters());
    for (State s = 0; s < sets_.size(); ++s) {
      for (const State member : *sets_[s])
        for (const Nfa::Edge& edge : nfa_.edges[member])
          if (edge.letter != Nfa::kSilent) by_letter[edge.letter].push_back(edge.to);
      for (Letter a = 0; a < by_letter.size(); ++a)
        if (!by_letter[a].empty()) {
          result_.connect(s, a, number(closed(by_letter[a])));
          by_letter[a].clear();
        }
    }
    return std::move(result_);
  }

 private:
  /// With all that silent steps add; sorted, each once.
  Set closed(const Set& set) {
    Set result;
    const auto add = [&](State s) {
      if (seen_[s]) return;
      seen_[s] = true;
      result.push_back(s);
    };
    for (const State s : set) add(s);
    for (std::size_t k = 0; k < result.size(); ++k)
      for (const Nfa::Edge& edge : nfa_.edges[result[k]])
        if (edge.letter == Nfa::kSilent) add(edge.to);
    for (const State s : result) seen_[s] = false;
    std::sort(result.begin(), result.end());
    members_ += result.size();
    return result;
  }

  State number(Set set) {
    const bool accepting = std::any_of(set.begin(), set.end(), [&](State s) { return nfa_.accepting[s]; });
    const auto [at, added] = numbers_.try_emplace(std::move(set), static_cast<State>(sets_.size()));
    if (added) {
      sets_.push_back(&at->first);
      result_.add_state(accepting);
      check_limit(sets_.size(), limits_.states, "states", "states of the automaton made deterministic");
      check_limit(sets_.size() * result_.letters(), limits_.transitions, "transitions",
                  "transitions of the automaton made deterministic");
    }
    // Work is what sets have members; few sets of very many members are too much as well.
    check_limit(members_, 20 * limits_.transitions, "transitions", "steps of making the automaton deterministic");
    return at->second;
  }

  const Nfa& nfa_;
  const Limits& limits_;
  std::vector<bool> seen_;
  Dfa result_;
  std::unordered_map<Set, State, SetHash> numbers_;
  std::vector<const Set*> sets_;
  std::size_t members_ = 0;
};

}  // namespace

Dfa determinise(const Nfa& nfa, const Limits& limits) { return Subsets(nfa, limits).run(); }

Nfa reversed(const Dfa& dfa) {
  Nfa result;
  result.alphabet = dfa.alphabet;
  for (State s = 0; s < dfa.size(); ++s) {
    result.add_state(s == dfa.initial);
    if (dfa.accepting(s)) result.initial.push_back(s);
  }
  for (State s = 0; s < dfa.size(); ++s)
    for (Letter a = 0; a < dfa.letters(); ++a)
      if (const State to = dfa.next(s, a); to != lang::kNoState) result.edges[to].push_back({a, s});
  return result;
}

}  // namespace quench::automata
