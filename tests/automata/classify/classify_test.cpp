// Classes of languages: known ones, and random ones against the definitions, with the monoid made of words.
#include <gtest/gtest.h>

#include <map>

#include "automata/classify/by_definition.h"
#include "automata/classify/decision.h"
#include "automata/classify/witness_check.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::State;

/// The automaton whose letters permute points 0 … n−1 as given, accepting where point 0 is at home.
Dfa group_dfa(const std::vector<std::vector<State>>& letters) {
  Dfa dfa(first_letters(letters.size()));
  // States are permutations, so that the group acts on itself.
  std::map<std::vector<State>, State> number;
  std::vector<std::vector<State>> queue;
  std::vector<State> one;
  for (State p = 0; p < letters[0].size(); ++p) one.push_back(p);
  const auto visit = [&](const std::vector<State>& p) {
    if (number.try_emplace(p, static_cast<State>(queue.size())).second) {
      queue.push_back(p);
      dfa.add_state(p == one);
    }
    return number[p];
  };
  visit(one);
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (std::size_t a = 0; a < letters.size(); ++a) {
      std::vector<State> next;
      for (const State p : queue[k]) next.push_back(letters[a][p]);
      dfa.connect(static_cast<State>(k), a, visit(next));
    }
  return dfa;
}

LanguageClass class_of(std::string_view letters, std::string_view regex) {
  return decide(dfa_over(letters, regex)).language_class;
}

TEST(Decide, KnownLanguages) {
  using enum LanguageClass;
  EXPECT_EQ(class_of("ab", ".*ab"), definite);
  EXPECT_EQ(class_of("ab", "ab|ba"), definite);
  EXPECT_EQ(class_of("ab", "ab.*"), reverse_definite);
  EXPECT_EQ(class_of("ab", ".*a.*b.*"), piecewise_testable);
  EXPECT_EQ(class_of("ab", "a*"), piecewise_testable);
  EXPECT_EQ(class_of("abc", "c*a.*"), r_trivial);
  EXPECT_EQ(class_of("ab", ".*ab.*&~(.*bb.*)"), locally_testable);
  EXPECT_EQ(class_of("ab", "(ab)*"), locally_testable);
  EXPECT_EQ(class_of("abc", ".*a[^b]*"), da);
  EXPECT_EQ(class_of("ab", "a.*a|b.*b|a|b"), locally_testable);
  EXPECT_EQ(class_of("ab", "(a(ab)*b)*"), aperiodic);
  EXPECT_EQ(class_of("a", "(aa)*"), quasi_aperiodic);
  EXPECT_EQ(class_of("ab", "(..)*&.*ab.*"), quasi_aperiodic);
  EXPECT_EQ(class_of("ab", "b*(ab*ab*)*"), solvable);
  EXPECT_EQ(class_of("ab", ".*"), definite);
  EXPECT_EQ(class_of("ab", "~(.*)"), definite);
}

TEST(Decide, ModulusAndWitnesses) {
  EXPECT_EQ(decide(dfa_of("(aa)*")).modulus, 2u);
  EXPECT_EQ(decide(dfa_of("(aaaaaa)*|(aaaa)*")).modulus, 12u);
  EXPECT_EQ(decide(dfa_of("(ab)*")).modulus, 1u);
  const Decision tomita3 = decide(dfa_of("~(.*0)?(11)*1(00)*0(1.*)?|()"));
  EXPECT_FALSE(tomita3.aperiodic);
  const Dfa parity = dfa_of("b*(ab*ab*)*");
  const Decision d = decide(parity);
  EXPECT_EQ(d.modulus, 0u);
  ASSERT_TRUE(d.not_aperiodic && d.not_quasi_aperiodic);
  EXPECT_TRUE(holds(parity, *d.not_aperiodic));
  EXPECT_TRUE(holds(parity, *d.not_quasi_aperiodic));
  EXPECT_EQ(d.largest_group, 2u);
}

TEST(Decide, Groups) {
  const Dfa s3 = minimise(group_dfa({{1, 0, 2}, {1, 2, 0}}));
  EXPECT_EQ(decide(s3).largest_group, 6u);
  EXPECT_EQ(decide(s3).language_class, LanguageClass::solvable);
  const Dfa s4 = minimise(group_dfa({{1, 0, 2, 3}, {1, 2, 3, 0}}));
  EXPECT_TRUE(decide(s4).solvable);
  for (const Dfa& dfa : {minimise(group_dfa({{1, 2, 0, 3, 4}, {1, 2, 3, 4, 0}})),
                         minimise(group_dfa({{1, 0, 2, 3, 4}, {1, 2, 3, 4, 0}}))}) {
    const Decision d = decide(dfa);
    EXPECT_EQ(d.language_class, LanguageClass::non_solvable);
    ASSERT_TRUE(d.not_solvable);
    EXPECT_TRUE(holds(dfa, *d.not_solvable));
    EXPECT_TRUE(holds(dfa, *d.not_aperiodic));
    EXPECT_TRUE(holds(dfa, *d.not_quasi_aperiodic));
  }
}

TEST(WitnessCheck, RefusesWhatIsNotAWitness) {
  const Dfa parity = dfa_of("b*(ab*ab*)*");
  EXPECT_FALSE(holds(parity, CycleWitness{{0, 0}, {0, 1}}));
  EXPECT_FALSE(holds(parity, CycleWitness{{0}, {0}}));
  EXPECT_FALSE(holds(parity, CycleWitness{{0}, {0, 1, 0, 1}}));
  EXPECT_FALSE(holds(parity, EqualLengthWitness{{0}, {1, 1}, {0, 1}}));
  EXPECT_FALSE(holds(parity, EqualLengthWitness{{0}, {0}, {0, 1}}));
  EXPECT_FALSE(holds(parity, PerfectGroupWitness{{{0}}, {0, 1}}));
  EXPECT_FALSE(holds(parity, PerfectGroupWitness{{{1}}, {0, 1}}));
}

TEST(Decide, AgreesWithDefinitionsOnRandomAutomata) {
  Random random(14);
  std::map<LanguageClass, int> met;
  for (int k = 0; k < 600; ++k) {
    const std::size_t letters = 1 + random.below(3);
    const Dfa dfa =
        minimise(random.chance(0.3) ? random_permutation_reset_dfa(random, 2 + random.below(3), letters, 0.3)
                                    : random_dfa(random, 2 + random.below(4), letters, random.chance(0.5) ? 0.5 : 0.1));
    const ByWords m(dfa, 400);
    if (m.size() > 60) continue;
    const Decision d = decide(dfa);
    ++met[d.language_class];
    agrees_with_definitions(dfa, m, d);
  }
  EXPECT_GE(met.size(), 7u);
}

}  // namespace
}  // namespace quench::automata
