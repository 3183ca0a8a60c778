// Random automata and regular expressions by the hundred: the class by its definition, a proved formula, and a network
// that says what the automaton says at every position; by [Q-scan] where there is no formula.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "automata/classify/by_definition.h"
#include "automata/classify/decision.h"
#include "automata/every_word.h"
#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "automata/translate/translate.h"
#include "driver/compile.h"
#include "run/executor.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::State;

constexpr std::size_t kSmallMonoid = 60;  // the definitions take its cube

/// How large the random ones are: automata whose transitions are drawn at random soon have enormous monoids.
struct Sizes {
  std::size_t at_random, with_many_letters;  ///< the most states
};

Dfa random_language(Random& random, int k, const Sizes& most) {
  const std::size_t letters = 1 + random.below(4),
                    states = 2 + random.below(letters > 2 ? most.with_many_letters - 1 : 11);
  switch (k % 5) {
    case 0:
      return random_dfa(random, std::min(states, most.at_random), letters, random.chance(0.5) ? 0.5 : 0.1);
    case 1:
      return random_permutation_reset_dfa(random, 2 + random.below(4), letters, 0.4);
    case 2:
      return random_monotone_dfa(random, states, letters);
    case 3:
      return random_clocked_dfa(random, states, letters);
    default:
      return dfa_over("ab", random_regex(random, 3 + static_cast<int>(random.below(8)), 2));
  }
}

/// At every position of the word, the network and the automaton.
class Comparison {
 public:
  Comparison(model::Transformer model, const Dfa& dfa)
      : dfa_(dfa), model_(std::move(model)), executor_(model_, {}, run::Engine::automatic, false) {}

  /// All words up to a length, half of it where there are many letters, and random ones up to 300.
  void everywhere(Random& random, bool unlisted, std::size_t all_to) {
    const std::size_t letters = dfa_.alphabet.size();
    for_every_word(letters, unlisted, letters <= 2 ? all_to : all_to / 2, [&](const Word& word) {
      if (!word.empty() && !::testing::Test::HasFailure()) on(word);
    });
    for (int k = 0; k < 3; ++k) on(random_word(random, letters, false, 1 + random.below(300)));
  }

  void on(const Word& word) {
    Word as_model;
    for (const Symbol symbol : word)
      as_model.push_back(symbol == kUnmentioned
                             ? kUnmentioned
                             : model_.alphabet.find(dfa_.alphabet.symbols()[static_cast<std::size_t>(symbol)]));
    executor_.outputs(as_model, workspace_, outputs_);
    const std::vector<std::uint8_t> truth = run::booleans(outputs_);
    State state = dfa_.initial;
    for (std::size_t i = 0; i < word.size(); ++i) {
      state = dfa_.next(state, dfa_.letter(word[i]));
      ASSERT_EQ(truth[i] != 0, dfa_.accepting(state)) << model_.source << dfa_.alphabet.print(word) << " at " << i;
    }
  }

 private:
  const Dfa& dfa_;
  model::Transformer model_;
  run::Executor executor_;
  run::Executor::Workspace workspace_;
  std::vector<double> outputs_;
};

struct Tally {
  std::map<LanguageClass, int> met, translated;
  int by_definition = 0, over_limit = 0, unclassified = 0, scanned = 0;

  void print() const {
    for (const auto& [language_class, count] : met) {
      const auto found = translated.find(language_class);
      fmt::print("{}: {}, {} by a formula\n", name(language_class), count,
                 found == translated.end() ? 0 : found->second);
    }
    fmt::print("{} classified by definition too, {} by scan; over a limit: {} classes, {} formulas\n", by_definition,
               scanned, unclassified, over_limit);
  }
};

void compare_scan(const Dfa& dfa, Random& random, std::size_t all_to, Tally& tally) {
  lower::RecipeOptions options;
  options.recipe = "scan";
  options.length = 300;
  Comparison(driver::compile(dfa, options).model, dfa).everywhere(random, true, all_to);
  ++tally.scanned;
}

/// One language through everything.
void try_language(const Dfa& dfa, Random& random, std::size_t all_to, const Limits& limits, Tally& tally) {
  Decision decision;
  try {
    decision = decide(dfa, limits);
  } catch (const UserError&) {
    ++tally.unclassified;
    return compare_scan(dfa, random, all_to, tally);
  }
  ++tally.met[decision.language_class];
  if (const ByWords monoid(dfa, kSmallMonoid); monoid.size() <= kSmallMonoid) {
    agrees_with_definitions(dfa, monoid, decision);
    ++tally.by_definition;
  }
  const Translation translation = translate(dfa, decision.modulus, limits, {random.chance(0.5), true});
  if (!decision.solvable) {
    EXPECT_TRUE(translation.candidates.empty());
    return compare_scan(dfa, random, all_to, tally);
  }
  if (translation.candidates.empty()) {
    for (const Refusal& refusal : translation.refusals)
      EXPECT_EQ(refusal.why.find("is not equal to the automaton"), std::string::npos) << refusal.why;
    ++tally.over_limit;
    return compare_scan(dfa, random, all_to, tally);
  }
  ++tally.translated[decision.language_class];
  const lang::Formula& formula = translation.candidates.front().formula;
  EXPECT_FALSE(difference(formula, dfa));
  Comparison(driver::compile(formula).model, dfa).everywhere(random, !formula.closed, all_to);
}

void try_languages(std::uint64_t seed, int count, std::size_t all_to, const Sizes& most, const Limits& limits) {
  Random random(seed);
  Tally tally;
  for (int k = 0; k < count && !::testing::Test::HasFailure(); ++k)
    try_language(minimise(random_language(random, k, most)), random, all_to, limits, tally);
  tally.print();
  EXPECT_GE(tally.met.size(), 8u);
  EXPECT_GE(tally.by_definition, count / 3);
  EXPECT_LE(tally.over_limit, count / 50);
  for (const LanguageClass enriched :
       {LanguageClass::aperiodic, LanguageClass::quasi_aperiodic, LanguageClass::solvable})
    EXPECT_GE(tally.translated[enriched], count / 50) << name(enriched);
}

TEST(MassOfLanguages, AreDecidedTranslatedAndCompiled) {
  Limits limits;
  limits.shrinking = 1'000'000;
  limits.proof = 10'000'000;
  try_languages(31, 200, 6, {6, 6}, limits);
}

TEST(SlowMassOfLanguages, AreDecidedTranslatedAndCompiled) {
  Limits limits;
  limits.shrinking = 4'000'000;
  limits.monoid = 30'000;
  try_languages(32, 2'000, 8, {12, 12}, limits);
}

TEST(SlowMassOfLanguages, RegularExpressions) {
  Random random(33);
  Tally tally;
  Limits limits;
  limits.shrinking = 2'000'000;
  for (int k = 0; k < 2'000 && !::testing::Test::HasFailure(); ++k)
    try_language(dfa_over("ab", random_regex(random, 2 + static_cast<int>(random.below(14)), 2)), random, 8, limits,
                 tally);
  tally.print();
  EXPECT_GE(tally.met.size(), 7u);
  EXPECT_LE(tally.over_limit, 20);
}

}  // namespace
}  // namespace quench::automata
