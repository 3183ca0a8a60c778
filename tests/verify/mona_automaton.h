// The automaton that MONA prints, of words in which one position is marked.
#pragma once

#include <algorithm>
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include "automata/machine/minimise.h"
#include "lang/dfa.h"

namespace quench::test {

/// What MONA says of words with a mark. A letter of `dfa` is one of the word's, or so many more for one with the mark.
struct Marked {
  lang::Dfa dfa;
  std::size_t letters = 0;  ///< of the word

  /// What the formula is worth at every position.
  std::vector<bool> truth(const Word& word) const {
    std::vector<bool> result;
    lang::State before = dfa.initial;
    for (std::size_t i = 0; i < word.size(); ++i) {
      lang::State state = dfa.next(before, letter(word[i]) + letters);
      for (std::size_t j = i + 1; j < word.size(); ++j) state = dfa.next(state, letter(word[j]));
      result.push_back(dfa.accepting(state));
      before = dfa.next(before, letter(word[i]));
    }
    return result;
  }

  /// The words at the last position of which the formula holds: a state is that of the word without a mark, and whether
  /// the mark at its last letter is accepted.
  lang::Dfa at_the_end(const Alphabet& alphabet) const {
    lang::Dfa result(alphabet);
    const auto dead = static_cast<lang::State>(dfa.size());
    for (lang::State s = 0; s <= dead; ++s)
      for (const bool accepted : {false, true}) result.add_state(accepted);
    for (lang::State s = 0; s <= dead; ++s)
      for (lang::Letter a = 0; a < letters; ++a) {
        const lang::State from = s == dead ? lang::kNoState : s, to = dfa.next(from, a);
        for (const lang::State half : {0u, 1u})
          result.connect(2 * s + half, a,
                         2 * (to == lang::kNoState ? dead : to) + dfa.accepting(dfa.next(from, a + letters)));
      }
    result.initial = 2 * dfa.initial;
    return result;
  }

 private:
  lang::Letter letter(Symbol symbol) const {
    return symbol == kUnmentioned ? letters - 1 : static_cast<lang::Letter>(symbol);
  }
};

/// What `mona -w` prints. Its first step reads nothing of the word; a letter is the vector with one 1, or none, and then
/// the mark.
inline Marked read_automaton(const std::string& output, const Alphabet& alphabet, std::size_t symbols) {
  Marked marked;
  marked.letters = alphabet.size() + 1;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < 2 * marked.letters; ++k) names.push_back(std::to_string(k));
  lang::Dfa dfa{Alphabet(names)};
  std::istringstream lines(output);
  std::vector<std::uint32_t> accepting;
  std::uint32_t start = 0;
  const auto state = [&](std::uint32_t s) {
    while (dfa.size() <= s) dfa.add_state(false);
    return s;
  };
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("Accepting states:")) {
      std::istringstream numbers(line.substr(17));
      for (std::uint32_t s; numbers >> s;) accepting.push_back(s);
    }
    std::uint32_t from = 0, to = 0;
    char bits[64];
    if (std::sscanf(line.c_str(), "State %u: %63s -> state %u", &from, bits, &to) != 3) continue;
    if (from == 0) start = to;
    state(std::max(from, to));
    for (lang::Letter letter = 0; letter < 2 * marked.letters; ++letter) {
      const lang::Letter plain = letter % marked.letters;
      bool fits = bits[symbols] != (letter < marked.letters ? '1' : '0');
      for (std::size_t s = 0; s < symbols; ++s)
        fits = fits && bits[s] != (s == plain && plain < alphabet.size() ? '0' : '1');
      if (fits) dfa.connect(from, letter, to);
    }
  }
  for (const std::uint32_t s : accepting) dfa.accept(state(s), true);
  dfa.initial = start;
  marked.dfa = automata::minimise(dfa);
  return marked;
}

}  // namespace quench::test
