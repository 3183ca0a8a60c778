// Random automata of tests alone, by seed; others are in automata/samples.
#pragma once

#include "automata/samples/known.h"
#include "automata/samples/random.h"

namespace quench::automata {

inline lang::Nfa random_nfa(Random& random, std::size_t states, std::size_t letters, double density) {
  lang::Nfa nfa;
  nfa.alphabet = first_letters(letters);
  for (std::size_t s = 0; s < states; ++s) nfa.add_state(random.chance(0.3));
  nfa.initial.push_back(0);
  for (lang::State s = 0; s < states; ++s)
    for (lang::State t = 0; t < states; ++t) {
      for (lang::Letter a = 0; a < letters; ++a)
        if (random.chance(density)) nfa.edges[s].push_back({a, t});
      if (random.chance(density / 4)) nfa.edges[s].push_back({lang::Nfa::kSilent, t});
    }
  return nfa;
}

}  // namespace quench::automata
