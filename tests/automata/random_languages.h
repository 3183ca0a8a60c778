// Random automata and regular expressions, by seed.
#pragma once

#include <string>

#include "base/number/random.h"
#include "lang/dfa.h"

namespace quench::automata {

inline Alphabet first_letters(std::size_t count) {
  Alphabet alphabet;
  for (std::size_t k = 0; k < count; ++k) alphabet.intern(std::string(1, static_cast<char>('a' + k)));
  return alphabet;
}

/// Transitions are missing with the given probability; unlisted symbols lead nowhere.
inline lang::Dfa random_dfa(Random& random, std::size_t states, std::size_t letters, double missing = 0.1) {
  lang::Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.4));
  for (lang::State s = 0; s < states; ++s)
    for (lang::Letter a = 0; a < letters; ++a)
      if (!random.chance(missing)) dfa.connect(s, a, static_cast<lang::State>(random.below(states)));
  return dfa;
}

/// Letters permute the states, or with the given probability lead all of them to one.
inline lang::Dfa random_permutation_reset_dfa(Random& random, std::size_t states, std::size_t letters, double reset) {
  lang::Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.5));
  for (lang::Letter a = 0; a < letters; ++a) {
    std::vector<lang::State> image;
    for (lang::State s = 0; s < states; ++s) image.push_back(s);
    for (std::size_t k = states; k > 1; --k) std::swap(image[k - 1], image[random.below(k)]);
    const bool resets = random.chance(reset);
    for (lang::State s = 0; s < states; ++s) dfa.connect(s, a, resets ? image[0] : image[s]);
  }
  return dfa;
}

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

inline std::string random_regex(Random& random, int size, int letters) {
  if (size <= 1) {
    if (random.chance(0.08)) return "()";
    if (random.chance(0.1)) return ".";
    if (random.chance(0.08)) return "[^a]";
    return std::string(1, static_cast<char>('a' + random.below(static_cast<std::uint64_t>(letters))));
  }
  const int left = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(size - 1)));
  const auto part = [&](int n) { return "(" + random_regex(random, n, letters) + ")"; };
  switch (random.below(10)) {
    case 0:
    case 1:
    case 2:
      return part(left) + part(size - left);
    case 3:
    case 4:
      return part(left) + "|" + part(size - left);
    case 5:
      return part(left) + "&" + part(size - left);
    case 6:
      return "~" + part(size - 1);
    case 7:
      return part(size - 1) + (random.chance(0.5) ? "?" : "+");
    case 8:
      return part(size - 1) + (random.chance(0.5) ? "{2}" : "{1,3}");
    default:
      return part(size - 1) + "*";
  }
}

}  // namespace quench::automata
