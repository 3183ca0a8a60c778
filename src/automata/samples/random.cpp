#include "automata/samples/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "automata/samples/known.h"

namespace quench::automata {

using lang::Dfa;
using lang::State;

Dfa random_dfa(Random& random, std::size_t states, std::size_t letters, double missing) {
  Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.4));
  for (State s = 0; s < states; ++s)
    for (lang::Letter a = 0; a < letters; ++a)
      if (!random.chance(missing)) dfa.connect(s, a, static_cast<State>(random.below(states)));
  return dfa;
}

Dfa random_permutation_reset_dfa(Random& random, std::size_t states, std::size_t letters, double reset) {
  Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.5));
  for (lang::Letter a = 0; a < letters; ++a) {
    std::vector<State> image;
    for (State s = 0; s < states; ++s) image.push_back(s);
    for (std::size_t k = states; k > 1; --k) std::swap(image[k - 1], image[random.below(k)]);
    const bool resets = random.chance(reset);
    for (State s = 0; s < states; ++s) dfa.connect(s, a, resets ? image[0] : image[s]);
  }
  return dfa;
}

Dfa random_monotone_dfa(Random& random, std::size_t states, std::size_t letters) {
  Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.5));
  for (lang::Letter a = 0; a < letters; ++a) {
    std::vector<State> image;
    for (std::size_t s = 0; s < states; ++s) image.push_back(static_cast<State>(random.below(states)));
    std::sort(image.begin(), image.end());
    for (State s = 0; s < states; ++s) dfa.connect(s, a, image[s]);
  }
  dfa.initial = static_cast<State>(random.below(states));
  return dfa;
}

Dfa random_clocked_dfa(Random& random, std::size_t states, std::size_t letters) {
  const std::size_t m = 2 + random.below(2);
  const Dfa inner = random_monotone_dfa(random, std::max<std::size_t>(states / m, 2), letters);
  Dfa dfa(first_letters(letters));
  for (std::size_t s = 0; s < inner.size() * m; ++s) dfa.add_state(random.chance(0.5));
  for (State s = 0; s < inner.size(); ++s)
    for (State phase = 0; phase < m; ++phase)
      for (lang::Letter a = 0; a < letters; ++a)
        dfa.connect(static_cast<State>(s * m + phase), a, static_cast<State>(inner.next(s, a) * m + (phase + 1) % m));
  return dfa;
}

std::string random_regex(Random& random, int size, int letters) {
  if (size <= 1) {
    if (random.chance(0.08)) return "()";
    if (random.chance(0.1)) return ".";
    if (random.chance(0.08)) return "[^a]";
    return std::string(1, static_cast<char>('a' + random.below(static_cast<std::uint64_t>(letters))));
  }
  const int left = 1 + static_cast<int>(random.below(static_cast<std::uint64_t>(size - 1)));
  const auto part = [&](int n) { return fmt::format("({})", random_regex(random, n, letters)); };
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
