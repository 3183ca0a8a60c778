// Random automata and regular expressions by the hundred: the class by its definition, a proved formula, and a network
// that says what the automaton says at every position.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "automata/by_definition.h"
#include "automata/classify/decision.h"
#include "automata/every_word.h"
#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "automata/random_languages.h"
#include "automata/regex_text.h"
#include "automata/translate/translate.h"
#include "driver/compile.h"
#include "run/executor.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::State;

constexpr std::size_t kSmallMonoid = 60;  // the definitions take its cube

/// Letters keep the order of the states, so a word that permutes some of them leaves them alone: aperiodic.
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

/// The state and the position modulo m together decide: mostly quasi-aperiodic.
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

Dfa random_language(Random& random, int k) {
  const std::size_t letters = 1 + random.below(4), states = 2 + random.below(letters > 2 ? 5 : 11);
  switch (k % 5) {
    case 0:
      return random_dfa(random, std::min<std::size_t>(states, 6), letters, random.chance(0.5) ? 0.5 : 0.1);
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
  Comparison(const lang::Formula& formula, const Dfa& dfa)
      : dfa_(dfa), model_(driver::compile(formula).model), executor_(model_, {}, run::Engine::automatic, false) {}

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
  int by_definition = 0, over_limit = 0;
};

/// One language through everything.
void try_language(const Dfa& dfa, Random& random, std::size_t all_to, const Limits& limits, Tally& tally) {
  const Decision decision = decide(dfa);
  ++tally.met[decision.language_class];
  if (const ByWords monoid(dfa, kSmallMonoid); monoid.size() <= kSmallMonoid) {
    agrees_with_definitions(dfa, monoid, decision);
    ++tally.by_definition;
  }
  const Translation translation = translate(dfa, decision.modulus, limits, {random.chance(0.5), true});
  if (decision.language_class == LanguageClass::non_solvable) {
    EXPECT_TRUE(translation.candidates.empty());
    return;
  }
  if (translation.candidates.empty()) {
    for (const Refusal& refusal : translation.refusals)
      EXPECT_EQ(refusal.why.find("is not equal to the automaton"), std::string::npos) << refusal.why;
    ++tally.over_limit;
    return;
  }
  ++tally.translated[decision.language_class];
  const lang::Formula& formula = translation.candidates.front().formula;
  EXPECT_FALSE(difference(formula, dfa));
  Comparison comparison(formula, dfa);
  const std::size_t letters = dfa.alphabet.size();
  for_every_word(letters, !formula.closed, letters <= 2 ? all_to : all_to / 2, [&](const Word& word) {
    if (!word.empty() && !::testing::Test::HasFailure()) comparison.on(word);
  });
  for (int k = 0; k < 3; ++k) comparison.on(random_word(random, letters, false, 1 + random.below(300)));
}

void try_languages(std::uint64_t seed, int count, std::size_t all_to, const Limits& limits) {
  Random random(seed);
  Tally tally;
  for (int k = 0; k < count && !::testing::Test::HasFailure(); ++k)
    try_language(minimise(random_language(random, k)), random, all_to, limits, tally);
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
  try_languages(31, 200, 6, limits);
}

TEST(SlowMassOfLanguages, AreDecidedTranslatedAndCompiled) {
  Limits limits;
  limits.shrinking = 4'000'000;
  try_languages(32, 2'000, 8, limits);
}

TEST(SlowMassOfLanguages, RegularExpressions) {
  Random random(33);
  Tally tally;
  Limits limits;
  limits.shrinking = 2'000'000;
  for (int k = 0; k < 2'000 && !::testing::Test::HasFailure(); ++k)
    try_language(dfa_over("ab", random_regex(random, 2 + static_cast<int>(random.below(14)), 2)), random, 8, limits,
                 tally);
  EXPECT_GE(tally.met.size(), 7u);
  EXPECT_LE(tally.over_limit, 20);
}

}  // namespace
}  // namespace quench::automata
