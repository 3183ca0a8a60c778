// Automata as formulas: every formula that comes out agrees with its automaton, by the direct semantics, at every
// position.
#include <gtest/gtest.h>

#include <bit>
#include <map>

#include "automata/classify/decision.h"
#include "automata/every_word.h"
#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "automata/translate/groups/abelian.h"
#include "automata/translate/groups/digits.h"
#include "automata/translate/naming.h"
#include "automata/translate/translate.h"
#include "lang/canonical.h"
#include "lang/print/print.h"
#include "oracle/evaluate.h"
#include "parse/parse_formula.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::Formula;
using lang::State;

/// At every position of the word, by running the automaton and the oracle.
void same_on(const Formula& formula, const Dfa& dfa, const Word& word) {
  Word as_formula;
  for (const Symbol symbol : word)
    as_formula.push_back(symbol == kUnmentioned
                             ? kUnmentioned
                             : formula.alphabet.find(dfa.alphabet.symbols()[static_cast<std::size_t>(symbol)]));
  const std::vector<std::uint8_t> truth = oracle::evaluate(formula, as_formula);
  State state = dfa.initial;
  for (std::size_t i = 0; i < word.size(); ++i) {
    state = dfa.next(state, dfa.letter(word[i]));
    ASSERT_EQ(truth[i] != 0, dfa.accepting(state)) << lang::print(formula) << dfa.alphabet.print(word) << " at " << i;
  }
}

void same_everywhere(const Formula& formula, const Dfa& dfa, Random& random) {
  const std::size_t letters = dfa.alphabet.size();
  for_every_word(letters, true,
                 letters <= 1   ? 9
                 : letters == 2 ? 6
                                : 4,
                 [&](const Word& w) {
                   if (!w.empty()) same_on(formula, dfa, w);
                 });
  for (int k = 0; k < 10; ++k) same_on(formula, dfa, random_word(random, letters, k == 0, 1 + random.below(200)));
}

/// All candidates of all strategies; whether there is any.
bool translates(const Dfa& dfa, Random& random) {
  Limits limits;
  limits.shrinking = 500'000;
  const Translation translation = translate(dfa, decide(dfa).modulus, limits);
  for (const Candidate& candidate : translation.candidates) same_everywhere(candidate.formula, dfa, random);
  return !translation.candidates.empty();
}

Formula best(const Dfa& dfa, const TranslationOptions& options = {}) {
  const Translation translation = translate(dfa, decide(dfa).modulus, {}, options);
  if (translation.candidates.empty()) throw std::runtime_error(translation.refusals.at(0).why);
  return translation.candidates.front().formula;
}

TEST(Translate, KnownLanguages) {
  Random random(20);
  for (const char* text : {"(ab)*",
                           ".*ab.*",
                           "(a(a(ab)*b)*b)*",
                           "a.*a|b.*b",
                           "(..)*&.*ab.*",
                           "b*(ab*ab*)*",
                           "1*",
                           "(10)*",
                           "~(.*000.*)",
                           "0*1*0*1*",
                           "~((.*0)?(11)*1(00)*0(1.*)?)",
                           "(00|11|(01|10)(00|11)*(01|10))*",
                           "(aa)*",
                           "(abab)*",
                           "aa*bb*cc*dd*ee*",
                           "[ab]*d[bc]*",
                           "[012]*02*",
                           "c[ab]*abd[abd]*",
                           "1.*",
                           ".*1",
                           "()",
                           ".*",
                           "~(.*)",
                           "a",
                           ".",
                           "a|()",
                           "aaa",
                           "(a|b)(a|b)b.*"})
    EXPECT_TRUE(translates(dfa_of(text), random)) << text;
}

TEST(Translate, ReadsWell) {
  EXPECT_EQ(lang::print(best(dfa_over("ab", "(..)*&.*ab.*"))), "H (Q_a | Q_b) & (prev O Q_a S Q_b & even & O Q_a)\n");
  EXPECT_EQ(lang::print(best(dfa_over("ab", "b*(ab*ab*)*"))), "H (Q_a | Q_b) & even(#<[Q_a])\n");
  EXPECT_EQ(lang::print(best(dfa_of("(..)*"))), "even\n");
  EXPECT_EQ(lang::print(best(dfa_of(".*a"))), "Q_a\n");
}

TEST(Translate, WithoutOtherSymbolsNothingIsSaidOfThem) {
  const TranslationOptions closed{true, true}, without_first{true, false};
  EXPECT_EQ(lang::print(best(dfa_over("ab", "b*(ab*ab*)*"), closed)), "alphabet {'a', 'b'}\neven(#<[Q_a])\n");
  EXPECT_EQ(lang::print(best(dfa_over("ab", "(ab)*"), closed)),
            "alphabet {'a', 'b'}\n!O (Q_a & prev Q_a | Q_b & !prev Q_a) & Q_b\n");
  EXPECT_EQ(lang::print(best(dfa_over("ab", "a|b|a.*a|b.*b"), closed)),
            "alphabet {'a', 'b'}\nQ_a & !O (Q_b & first) | Q_b & O (Q_b & first)\n");
  EXPECT_EQ(lang::print(best(dfa_over("ab", "a|b|a.*a|b.*b"), without_first)).find("first"), std::string::npos);
}

/// What is decided by the symbol at a distance from the end takes an automaton of 2^distance states, and a formula of as
/// many operators.
TEST(Translate, LanguagesThatAreShortBackwards) {
  Random random(27);
  const Dfa dfa = dfa_of(".*a.{7}");
  EXPECT_EQ(dfa.size(), 256u);
  EXPECT_LE(size_of(best(dfa)).nodes, 8u);
  EXPECT_TRUE(translates(dfa, random));
  const Strategy backwards{.events = false, .backwards = true};
  for (const char* text :
       {".*a.{3}", "(a|b)*a(a|b){3}", ".*ab*", ".*ab*c?", "(a|b)*aa(b|c)*", "~(.*a[bc]*)", "[ab]*c[ab]"}) {
    const Dfa minimal = dfa_of(text);
    same_everywhere(translate_by(minimal, backwards), minimal, random);
  }
  for (const char* text : {"(ab)*", "(aa)*", "b*(ab*ab*)*"})  // which come back to where they were
    EXPECT_THROW(translate_by(dfa_of(text), backwards), UserError) << text;
}

/// On words of the listed symbols, at every position.
TEST(Translate, ClosedFormulasAgreeOnTheirOwnWords) {
  Random random(25);
  for (int k = 0; k < 60; ++k) {
    const Dfa dfa = minimise(random_dfa(random, 2 + random.below(4), 2, 0.4));
    for (const bool first : {false, true}) {
      const Translation translation = translate(dfa, decide(dfa).modulus, {}, {true, first});
      for (const Candidate& candidate : translation.candidates) {
        EXPECT_TRUE(candidate.formula.closed);
        for_every_word(2, false, 7, [&](const Word& word) {
          if (!word.empty()) same_on(candidate.formula, dfa, word);
        });
        for (int w = 0; w < 5; ++w)
          same_on(candidate.formula, dfa, random_word(random, 2, false, 1 + random.below(200)));
      }
    }
  }
}

/// Two letters that generate a group of permutations, acting on itself.
Dfa group_dfa(const Permutation& a, const Permutation& b) {
  const PermutationGroup group(a.size(), {a, b}, {});
  Dfa dfa(first_letters(2));
  for (const Permutation& element : group.elements()) dfa.add_state(element == identity_permutation(a.size()));
  for (State s = 0; s < group.size(); ++s) {
    dfa.connect(s, 0, static_cast<State>(group.number(compose(group.elements()[s], a))));
    dfa.connect(s, 1, static_cast<State>(group.number(compose(group.elements()[s], b))));
  }
  return minimise(dfa);
}

TEST(Translate, SolvableGroups) {
  Random random(21);
  EXPECT_TRUE(translates(group_dfa({1, 0, 2}, {1, 2, 0}), random));                                // S3
  EXPECT_TRUE(translates(group_dfa({1, 2, 0, 3}, {1, 0, 3, 2}), random));                          // A4
  EXPECT_TRUE(translates(group_dfa({1, 2, 3, 0}, {0, 3, 2, 1}), random));                          // D4
  EXPECT_TRUE(translates(group_dfa({1, 2, 3, 0, 5, 6, 7, 4}, {4, 7, 6, 5, 2, 1, 0, 3}), random));  // Q8
  EXPECT_TRUE(translates(group_dfa({1, 2, 3, 4, 0}, {0, 2, 4, 1, 3}), random));                    // F20
}

TEST(Translate, NeverGivesAFormulaOfANonSolvableGroup) {
  const Dfa a5 = group_dfa({1, 2, 0, 3, 4}, {1, 2, 3, 4, 0});
  const Translation translation = translate(a5, 0);
  EXPECT_TRUE(translation.candidates.empty());
  EXPECT_FALSE(translation.refusals.empty());
}

TEST(Translate, RandomAutomataOfEveryClass) {
  Random random(22);
  std::map<LanguageClass, int> translated, met;
  for (int k = 0; k < 200; ++k) {
    const std::size_t letters = 1 + random.below(3);
    Dfa dfa = random_dfa(random, 2 + random.below(4), letters, 0.35);
    if (k % 3 == 1) dfa = random_permutation_reset_dfa(random, 2 + random.below(3), letters, 0.4);
    if (k % 3 == 2) dfa = dfa_of(random_regex(random, 3 + static_cast<int>(random.below(6)), 2));
    dfa = minimise(dfa);
    const Decision decision = decide(dfa);
    ++met[decision.language_class];
    translated[decision.language_class] += translates(dfa, random);
  }
  for (const auto& [language_class, count] : met)
    EXPECT_EQ(translated[language_class], language_class == LanguageClass::non_solvable ? 0 : count)
        << name(language_class);
  EXPECT_GE(met.size(), 7u);
}

TEST(Translate, WithoutEventsAnAperiodicLanguageNeedsNoCounts) {
  Random random(23);
  int tried = 0;
  for (int k = 0; k < 150; ++k) {
    const Dfa dfa = minimise(random_dfa(random, 2 + random.below(4), 2, 0.5));
    if (!decide(dfa).aperiodic) continue;
    ++tried;
    const Formula formula = translate_by(dfa, {1, false, false, false});
    for (std::size_t n = 0; n < formula.size(); ++n)
      EXPECT_FALSE(std::holds_alternative<lang::CountPredicate>(formula[lang::FormulaId(n)])) << lang::print(formula);
  }
  EXPECT_GT(tried, 30);
}

TEST(Shrink, KeepsTheLanguage) {
  const Dfa dfa = dfa_of("(a(a(ab)*b)*b)*");
  const Formula formula = translate_by(minimise(dfa), {1, false, false, false});
  const Formula small = shrink(formula, dfa);
  EXPECT_LE(size_of(small), size_of(formula));
  EXPECT_FALSE(difference(small, dfa));
}

TEST(AbelianQuotient, HasCoordinatesForEveryClass) {
  // Z4 × Z2 × Z3 on 9 points.
  const Permutation four{1, 2, 3, 0, 4, 5, 6, 7, 8}, two{0, 1, 2, 3, 5, 4, 6, 7, 8}, three{0, 1, 2, 3, 4, 5, 7, 8, 6};
  const PermutationGroup group(9, {four, two, three}, {}), one(9, {}, {});
  const AbelianQuotient quotient(group, one, {}, 24);
  EXPECT_EQ(quotient.size(), 24u);
  std::size_t product = 1;
  for (const std::size_t order : quotient.orders()) product *= order;
  EXPECT_EQ(product, 24u);
  for (const Permutation& a : group.elements())
    for (const Permutation& b : group.elements()) {
      const auto& x = quotient.coordinates(quotient.class_of(a));
      const auto& y = quotient.coordinates(quotient.class_of(b));
      const auto& z = quotient.coordinates(quotient.class_of(compose(a, b)));
      for (std::size_t k = 0; k < z.size(); ++k) ASSERT_EQ(z[k], (x[k] + y[k]) % quotient.orders()[k]);
    }
}

TEST(FewestDigits, AddUpToTheNumbers) {
  for (std::size_t m = 2; m <= 16; ++m)
    for (std::size_t set = 1; set < std::size_t{1} << std::min<std::size_t>(m - 1, 8); ++set) {
      std::vector<std::size_t> numbers;
      for (std::size_t r = 1; r < m && r <= 8; ++r)
        if (set >> (r - 1) & 1) numbers.push_back(r);
      const std::vector<Digit> digits = fewest_digits(m, numbers);
      EXPECT_LE(digits.size(), numbers.size());
      EXPECT_LE(digits.size(), static_cast<std::size_t>(std::bit_width(m - 1)));
      for (const std::size_t number : numbers) {
        std::size_t sum = 0;
        for (const Digit& digit : digits)
          if (std::find(digit.of.begin(), digit.of.end(), number) != digit.of.end()) sum += digit.weight;
        EXPECT_EQ(sum % m, number);
      }
    }
  EXPECT_EQ(fewest_digits(5, {1, 2, 3, 4}).size(), 3u);
  EXPECT_EQ(fewest_digits(9, {3, 4, 7}).size(), 2u);
}

TEST(Naming, KeepsTheFormulaAndSaysWhereItIs) {
  Random random(26);
  for (const char* text : {"~((.*0)?(11)*1(00)*0(1.*)?)", "(a(a(ab)*b)*b)*", "aa*bb*cc*dd*", "(abab)*"}) {
    const Dfa dfa = dfa_of(text);
    const Candidate candidate = translate(dfa, decide(dfa).modulus).candidates.at(0);
    const std::string people = text_for_people(candidate, dfa);
    EXPECT_EQ(people.rfind("// made from an automaton: " + candidate.strategy, 0), 0u) << people;
    parse::ParsedFormula parsed = parse::parse_formula(people);
    ASSERT_TRUE(parsed.formula) << people;
    same_everywhere(*parsed.formula, dfa, random);
    EXPECT_EQ(size_of(lang::canonical(*parsed.formula)), candidate.size) << people;
  }
}

TEST(Limits, OfTranslationAreErrorsThatNameThem) {
  const Dfa dfa = dfa_of("(a(a(a(ab)*b)*b)*b)*");
  const auto refused = [&](const Limits& limits, const char* limit) {
    const Translation translation = translate(dfa, 1, limits);
    bool named = false;
    for (const Refusal& refusal : translation.refusals)
      named |= refusal.why.find("`" + std::string(limit) + "`") != std::string::npos;
    EXPECT_TRUE(named) << limit;
  };
  Limits limits;
  limits.translation = 50;
  refused(limits, "translation");
  limits = {};
  limits.proof = 100;
  refused(limits, "proof");
  limits = {};
  limits.configurations = 3;
  refused(limits, "configurations");
  limits = {};
  limits.image_sets = 3;
  refused(limits, "image_sets");
  limits = {};
  limits.shrinking = 0;  // no error: only nothing is shrunk
  EXPECT_FALSE(translate(dfa, 1, limits).candidates.empty());
}

}  // namespace
}  // namespace quench::automata
