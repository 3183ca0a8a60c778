// The words of test_suite.h tell an automaton from every other one that has no more states.
#include "verify/test_suite.h"

#include <gtest/gtest.h>

#include "automata/machine/boolean.h"
#include "automata/machine/minimise.h"
#include "base/number/random.h"

namespace quench::test {
namespace {

constexpr std::size_t kLetters = 2;  ///< the third of the automaton, of symbols that are not listed, is left out

lang::Dfa random_automaton(Random& random, std::size_t states) {
  lang::Dfa dfa(Alphabet({"a", "b"}));
  for (std::size_t s = 0; s < states; ++s) dfa.add_state(random.chance(0.4));
  for (lang::State s = 0; s < states; ++s)
    for (lang::Letter a = 0; a < kLetters; ++a)
      if (random.chance(0.9)) dfa.connect(s, a, static_cast<lang::State>(random.below(states)));
  return dfa;
}

bool accepts(const lang::Dfa& dfa, const TestSuite::Letters& word) {
  lang::State state = dfa.initial;
  for (const lang::Letter letter : word) state = dfa.next(state, letter);
  return dfa.accepting(state);
}

TEST(TestSuite, TellsAnAutomatonFromAllThatHaveNoMoreStates) {
  Random random(7);
  int equal = 0, different = 0;
  for (int k = 0; k < 300; ++k) {
    const lang::Dfa drawn = random_automaton(random, 1 + random.below(6));
    const lang::Dfa given = automata::minimise(drawn);
    const TestSuite suite(given, kLetters);
    const auto words = suite.words();
    for (int other = 0; other < 20; ++other) {
      // One that nearly is the given one, or any: with the state of words that are lost, as many states as it has.
      lang::Dfa candidate = other % 2 == 0 && suite.states() > 1 ? random_automaton(random, suite.states() - 1) : given;
      if (other % 2 == 1) {
        const auto state = static_cast<lang::State>(random.below(given.size()));
        if (other % 4 == 1)
          candidate.accept(state, !given.accepting(state));
        else
          candidate.connect(state, random.below(kLetters), static_cast<lang::State>(random.below(given.size())));
      }
      const bool same = !automata::difference(given, candidate);
      const bool agree = std::all_of(words.begin(), words.end(), [&](const TestSuite::Letters& word) {
        return accepts(given, word) == accepts(candidate, word);
      });
      EXPECT_EQ(agree, same);
      ++(same ? equal : different);
    }
  }
  EXPECT_GT(equal, 100);
  EXPECT_GT(different, 3000);
}

}  // namespace
}  // namespace quench::test
