// Automata as sets of words: what is constructed accepts what it should, on every short word.
#include <gtest/gtest.h>

#include <set>

#include "automata/every_word.h"
#include "automata/formats/dot.h"
#include "automata/machine/boolean.h"
#include "automata/machine/determinise.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::Nfa;
using lang::State;

/// Myhill and Nerode: how many prefixes with an accepted continuation differ in which short continuations are accepted.
std::size_t residuals(const Dfa& dfa, std::size_t prefix, std::size_t suffix) {
  std::set<std::vector<bool>> different;
  for_every_word(dfa.alphabet.size(), true, prefix, [&](const Word& u) {
    std::vector<bool> row;
    bool any = false;
    for_every_word(dfa.alphabet.size(), true, suffix, [&](const Word& v) {
      row.push_back(dfa.accepting(dfa.run(dfa.run(dfa.initial, u), v)));
      any = any || row.back();
    });
    if (any || u.empty()) different.insert(row);
  });
  return different.size();
}

TEST(Minimise, HasAStateForEveryResidual) {
  Random random(1);
  for (int k = 0; k < 200; ++k) {
    const Dfa dfa = random_dfa(random, 1 + random.below(5), 1 + random.below(2), 0.2);
    const Dfa minimal = minimise(dfa);
    EXPECT_EQ(minimal.size(), residuals(dfa, 4, 5));
    for_every_word(dfa.alphabet.size(), true, 7, [&](const Word& w) { ASSERT_EQ(dfa.accepts(w), minimal.accepts(w)); });
    EXPECT_EQ(minimise(minimal), minimal);
  }
}

TEST(Minimise, GivesOneFormForEveryLanguage) {
  EXPECT_EQ(dfa_of("(a|b)*"), dfa_of("(a*b*)*"));
  EXPECT_EQ(dfa_of("a(ba)*"), dfa_of("(ab)*a"));
  EXPECT_NE(dfa_of("a(ba)*"), dfa_of("(ab)*a|b"));
}

TEST(Minimise, Corners) {
  const Dfa none = minimise(dfa_of("a&b"));
  EXPECT_EQ(none.size(), 1u);
  EXPECT_FALSE(none.accepts({}));
  EXPECT_EQ(dfa_of("()").size(), 1u);
  EXPECT_TRUE(dfa_of("()").accepts({}));
  EXPECT_EQ(dfa_of(".*").size(), 1u);
  Dfa unreachable(first_letters(1));
  unreachable.add_state(false);
  unreachable.add_state(true);
  EXPECT_EQ(minimise(unreachable).size(), 1u);
}

TEST(Boolean, ProductAndComplementAreWhatTheySay) {
  Random random(2);
  for (int k = 0; k < 100; ++k) {
    const Dfa a = random_dfa(random, 1 + random.below(5), 2), b = random_dfa(random, 1 + random.below(5), 2);
    const Dfa both = product(a, b, [](bool p, bool q) { return p && q; });
    const Dfa one = product(a, b, [](bool p, bool q) { return p != q; });
    const Dfa rest = complement(a);
    for_every_word(2, true, 6, [&](const Word& w) {
      ASSERT_EQ(both.accepts(w), a.accepts(w) && b.accepts(w));
      ASSERT_EQ(one.accepts(w), a.accepts(w) != b.accepts(w));
      ASSERT_EQ(rest.accepts(w), !a.accepts(w));
    });
  }
}

TEST(Difference, IsAShortestWordOrNothing) {
  Random random(3);
  int equal = 0, different = 0;
  for (int k = 0; k < 300; ++k) {
    const Dfa a = random_dfa(random, 1 + random.below(4), 2);
    const Dfa b = random.chance(0.3) ? minimise(a) : random_dfa(random, 1 + random.below(4), 2);
    const std::optional<Difference> found = difference(a, b);
    std::size_t shortest = SIZE_MAX;
    for_every_word(2, true, 7, [&](const Word& w) {
      if (a.accepts(w) != b.accepts(w)) shortest = std::min(shortest, w.size());
    });
    if (found) {
      ++different;
      EXPECT_EQ(found->word.size(), shortest);
      EXPECT_EQ(a.accepts(found->word), found->first_accepts);
      EXPECT_NE(a.accepts(found->word), b.accepts(found->word));
    } else {
      ++equal;
      EXPECT_EQ(shortest, SIZE_MAX);
    }
  }
  EXPECT_GT(equal, 20);
  EXPECT_GT(different, 20);
}

TEST(Difference, KnowsSymbolsThatOnlyOneMentions) {
  const Dfa any = dfa_of(".*"), letters = dfa_of("(a|b)*");
  const std::optional<Difference> found = difference(letters, any);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->word, Word{kUnmentioned});
  EXPECT_FALSE(difference(dfa_of("[ab]*"), dfa_of("[ba]*")));
}

TEST(Determinise, AcceptsTheSameWords) {
  Random random(4);
  for (int k = 0; k < 200; ++k) {
    const Nfa nfa = random_nfa(random, 1 + random.below(5), 2, 0.3);
    const Dfa dfa = determinise(nfa);
    for_every_word(2, false, 6, [&](const Word& w) {
      std::set<State> states(nfa.initial.begin(), nfa.initial.end());
      const auto silent = [&] {
        for (std::size_t before = 0; before != states.size();) {
          before = states.size();
          for (const State s : std::set<State>(states))
            for (const Nfa::Edge& edge : nfa.edges[s])
              if (edge.letter == Nfa::kSilent) states.insert(edge.to);
        }
      };
      silent();
      for (const Symbol symbol : w) {
        std::set<State> next;
        for (const State s : states)
          for (const Nfa::Edge& edge : nfa.edges[s])
            if (edge.letter == static_cast<lang::Letter>(symbol)) next.insert(edge.to);
        states = next;
        silent();
      }
      bool accepted = false;
      for (const State s : states) accepted = accepted || nfa.accepting[s];
      ASSERT_EQ(dfa.accepts(w), accepted);
    });
  }
}

TEST(Determinise, StopsAtTheLimit) {
  // The letter 30 places before the end is an a: 2^30 subsets.
  Nfa nfa;
  nfa.alphabet = first_letters(2);
  nfa.initial = {nfa.add_state(false)};
  nfa.edges[0] = {{0, 0}, {1, 0}, {0, 1}};
  for (State s = 1; s <= 30; ++s) {
    nfa.add_state(s == 30);
    if (s < 30) nfa.edges[s] = {{0, s + 1}, {1, s + 1}};
  }
  try {
    determinise(nfa);
    FAIL();
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("limit `"), std::string::npos) << error.what();
  }
}

TEST(Reversed, ReadsWordsBackwards) {
  const Dfa dfa = dfa_of("aab*c");
  const Dfa back = determinise(reversed(dfa));
  EXPECT_FALSE(difference(back, dfa_of("cb*aa")));
  for_every_word(3, false, 6,
                 [&](const Word& w) { ASSERT_EQ(dfa.accepts(w), back.accepts(Word(w.rbegin(), w.rend()))); });
}

TEST(Dot, HasAllStatesAndQuotesSymbols) {
  const std::string text = print_dot(dfa_of("('\"' '\\\\')*|a"));
  EXPECT_NE(text.find("digraph"), std::string::npos);
  EXPECT_NE(text.find("label=\"\\\"\""), std::string::npos) << text;
  EXPECT_NE(text.find("label=\"\\\\\""), std::string::npos) << text;
  EXPECT_NE(text.find("doublecircle"), std::string::npos);
}

}  // namespace
}  // namespace quench::automata
