// The transition monoid, against what words do: every product by running words, Green's relations by their definition.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "automata/every_word.h"
#include "automata/machine/minimise.h"
#include "automata/monoid/green.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::State;

/// What a word does to every state, by running it.
std::vector<State> deeds(const Dfa& dfa, const Word& word) {
  std::vector<State> result;
  for (State s = 0; s < dfa.size(); ++s) result.push_back(dfa.run(s, word));
  return result;
}

TEST(TransitionMonoid, HasAnElementForEverythingThatWordsDo) {
  Random random(7);
  for (int k = 0; k < 200; ++k) {
    const Dfa dfa = minimise(random_dfa(random, 1 + random.below(4), 1 + random.below(2)));
    const TransitionMonoid monoid(dfa);
    if (monoid.size() > 120) continue;
    std::set<std::vector<State>> by_words, by_elements;
    for (Element m = 0; m < monoid.size(); ++m) by_elements.insert(deeds(dfa, monoid.word(m)));
    EXPECT_EQ(by_elements.size(), monoid.size());
    for_every_word(dfa.alphabet.size(), false, 7, [&](const Word& w) { by_words.insert(deeds(dfa, w)); });
    for (const std::vector<State>& seen : by_words) EXPECT_TRUE(by_elements.contains(seen));
    for (Element m = 0; m < monoid.size(); ++m)
      for (Element n = 0; n < monoid.size(); ++n) {
        Word both = monoid.word(m);
        for (const Symbol symbol : monoid.word(n)) both.push_back(symbol);
        ASSERT_EQ(deeds(dfa, monoid.word(monoid.multiply(m, n))), deeds(dfa, both));
      }
  }
}

TEST(Green, IsItsDefinition) {
  Random random(8);
  for (int k = 0; k < 100; ++k) {
    const Dfa dfa = minimise(random_dfa(random, 1 + random.below(4), 2, 0.2));
    const TransitionMonoid monoid(dfa);
    if (monoid.size() > 40) continue;
    const Green green(monoid);
    const auto reaches = [&](Element m, Element n, bool left, bool right) {
      for (Element x = 0; x < monoid.size(); ++x)
        for (Element y = 0; y < monoid.size(); ++y)
          if ((left || x == 0) && (right || y == 0) && monoid.multiply(monoid.multiply(x, m), y) == n) return true;
      return false;
    };
    for (Element m = 0; m < monoid.size(); ++m)
      for (Element n = 0; n < monoid.size(); ++n) {
        ASSERT_EQ(green.r[m] == green.r[n], reaches(m, n, false, true) && reaches(n, m, false, true));
        ASSERT_EQ(green.l[m] == green.l[n], reaches(m, n, true, false) && reaches(n, m, true, false));
        ASSERT_EQ(green.h[m] == green.h[n], green.r[m] == green.r[n] && green.l[m] == green.l[n]);
        if (monoid.size() <= 12) {
          ASSERT_EQ(green.j[m] == green.j[n], reaches(m, n, true, true) && reaches(n, m, true, true));
        }
      }
    for (const Element e : green.idempotents) EXPECT_EQ(monoid.multiply(e, e), e);
  }
}

TEST(TransitionMonoid, Corners) {
  EXPECT_EQ(TransitionMonoid(dfa_of("~(.*)")).size(), 1u);
  EXPECT_EQ(TransitionMonoid(dfa_of(".*")).size(), 1u);
  EXPECT_EQ(TransitionMonoid(dfa_of("(aa)*")).size(), 2u);
  EXPECT_EQ(TransitionMonoid(dfa_of("(ab)*")).size(), 6u);
  EXPECT_EQ(TransitionMonoid(dfa_of("()")).size(), 1u);  // the one letter that there is leads nowhere and is left out
  EXPECT_TRUE(TransitionMonoid(dfa_of("(aa)*")).is_word(0));
  EXPECT_FALSE(TransitionMonoid(dfa_of("ab")).is_word(0));
}

TEST(TransitionMonoid, StopsAtTheLimit) {
  Limits limits;
  limits.monoid = 100;
  Random random(9);
  EXPECT_THROW(TransitionMonoid(random_dfa(random, 12, 3, 0), limits), UserError);
}

}  // namespace
}  // namespace quench::automata
