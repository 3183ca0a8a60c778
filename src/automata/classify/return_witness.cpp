#include "automata/classify/return_witness.h"

#include <algorithm>

#include "automata/monoid/components.h"

namespace quench::automata {
namespace {

using lang::Letter;
using lang::State;

/// A shortest word from one state to another, which there must be.
Word shortest_way(const lang::Dfa& dfa, State from, State to) {
  struct Step {
    State state;
    std::size_t before;
    Letter letter;
  };
  std::vector<Step> steps{{from, 0, 0}};
  std::vector<bool> seen(dfa.size());
  for (std::size_t k = 0; k < steps.size(); ++k) {
    if (steps[k].state == to && k > 0) {
      Word word;
      for (std::size_t at = k; at > 0; at = steps[at].before) word.push_back(dfa.symbol(steps[at].letter));
      std::reverse(word.begin(), word.end());
      return word;
    }
    for (Letter a = 0; a < dfa.letters(); ++a) {
      const State next = dfa.next(steps[k].state, a);
      if (next == lang::kNoState || seen[next]) continue;
      seen[next] = true;
      steps.push_back({next, k, a});
    }
  }
  return {};
}

}  // namespace

std::optional<ReturnWitness> find_return(const lang::Dfa& minimal) {
  const Components component = strong_components(minimal.size(), minimal.letters(),
                                                 [&](std::uint32_t s, std::size_t a) { return minimal.next(s, a); });
  std::vector<State> first(component.count, lang::kNoState);  // of the states of each component
  for (State to = 0; to < minimal.size(); ++to) {
    State& from = first[component.of[to]];
    if (from != lang::kNoState)
      return ReturnWitness{shortest_way(minimal, from, to), shortest_way(minimal, to, from), from, to};
    from = to;
  }
  return std::nullopt;
}

bool holds(const lang::Dfa& minimal, const ReturnWitness& witness) {
  return witness.from != witness.to && witness.from < minimal.size() && witness.to < minimal.size() &&
         minimal.run(witness.from, witness.away) == witness.to && minimal.run(witness.to, witness.back) == witness.from;
}

}  // namespace quench::automata
