// The heart of the matter: every recipe, on every example and on random formulas, computes what the oracle says at every
// position of every word tried; and every head attends as hard as its lemma promises.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/number/random.h"
#include "bounds/lemmas.h"
#include "driver/compile.h"
#include "ir/interpret.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lower/fragment.h"
#include "lower/lower.h"
#include "opt/simplify.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"
#include "support/all_words.h"
#include "support/examples.h"
#include "lower/recipe_fragment.h"

namespace quench {
namespace {

using lower::Recipe;
using ::testing::Contains;
using ::testing::Matches;

/// Words to try on an alphabet of `kinds` symbols, the unmentioned one included.
std::size_t exhaustive_length(std::size_t kinds) {
  if (kinds <= 2) return 8;
  if (kinds == 3) return 6;
  return kinds <= 5 ? 4 : 3;
}

class NetworkCheck {
 public:
  NetworkCheck(const lang::Formula& formula, const Recipe& recipe, std::optional<double> gamma = {},
               bool digits = false)
      : formula_(formula), compilation_(driver::compile(formula, options(recipe, gamma, digits))),
        soft_(compilation_.model), hard_(compilation_.model, {NumberFormat::f64, true}) {}

  const driver::Compilation& compilation() const { return compilation_; }

  /// Soft and hard attention, against the oracle at every position.
  void expect_right_on(const Word& word) {
    const std::vector<std::uint8_t> expected = oracle::evaluate(formula_, word);
    soft_.outputs(word, workspace_, outputs_);
    if (run::booleans(outputs_) != expected) report(word, expected, "soft");
    // After the rounding sublayer a Boolean is exact; comparisons of large counts may cross a binade (see build/).
    // Sums stay below 2^12 here, so each of a ramp's two units is off by at most half an ulp, 2^-42, times a slope of 16.
    constexpr double kBinade = 2 * 16 * 0x1.0p-42;
    for (const double y : outputs_) EXPECT_LE(std::min(std::fabs(y), std::fabs(y - 1)), kBinade);
    hard_.outputs(word, workspace_, outputs_);
    if (run::booleans(outputs_) != expected) report(word, expected, "hard");
  }

  /// How far every row of every head is from the intended one, against the lemma the head names: ‖intended − soft‖₁, or
  /// for sign heads the mass on positions of the parity that the intended row does not have.
  void expect_sharp_on(const Word& word) {
    using Key = std::tuple<std::size_t, std::size_t, std::size_t>;
    std::map<Key, std::vector<double>> intended;
    run::Observer collect;
    collect.row = [&](run::HeadIndex head, std::size_t i, std::size_t, const std::vector<double>& weights) {
      intended[{head.layer, head.head, i}] = weights;
    };
    hard_.run(word, workspace_, collect);
    run::Observer compare;
    compare.row = [&](run::HeadIndex head, std::size_t i, std::size_t, const std::vector<double>& weights) {
      const model::HeadClaim& claim = compilation_.model.layers[head.layer].heads[head.head].claim;
      const std::vector<double>& target = intended.at({head.layer, head.head, i});
      ASSERT_EQ(target.size(), weights.size());
      const double distance =
          claim.structure == HeadStructure::sign ? wrong_parity(target, weights) : l1(target, weights);
      const double rounding = claim.lemma.text().starts_with("Q-") ? 0x1p-51 * static_cast<double>(weights.size()) : 0;
      EXPECT_LE(distance, bound(claim) + rounding)
          << claim.lemma.text() << " at i = " << i << ", n = " << word.size() << " in " << lang::print(formula_)
          << " by " << compilation_.model.recipe;
      ++rows_;
    };
    soft_.run(word, workspace_, compare);
  }

  std::size_t rows() const { return rows_; }

 private:
  static lower::RecipeOptions options(const Recipe& recipe, std::optional<double> gamma, bool digits) {
    lower::RecipeOptions result;
    result.recipe = recipe.name;
    result.gamma = gamma;
    result.digits = digits;
    return result;
  }

  static double l1(const std::vector<double>& a, const std::vector<double>& b) {
    double distance = 0;
    for (std::size_t j = 0; j < a.size(); ++j) distance += std::fabs(a[j] - b[j]);
    return distance;
  }

  static double wrong_parity(const std::vector<double>& intended, const std::vector<double>& weights) {
    double mass[2] = {0, 0}, target[2] = {0, 0};
    for (std::size_t j = 0; j < weights.size(); ++j) mass[j % 2] += weights[j], target[j % 2] += intended[j];
    return target[0] > target[1] ? mass[1] : mass[0];
  }

  static double bound(const model::HeadClaim& claim) {
    if (claim.structure == HeadStructure::uniform || claim.structure == HeadStructure::sink) return 0;
    if (claim.structure == HeadStructure::previous) return 2 * bounds::previous_error(claim.gamma);
    if (claim.structure == HeadStructure::any) return 2 * bounds::any_error(claim.gamma);
    if (claim.lemma == Lemma::q_sign) return bounds::sign_error(claim.gamma);
    if (claim.lemma == Lemma::q_sign_lin) return bounds::linear_sign_error(claim.gamma);
    return bounds::hardmax_distance(claim.gamma);
  }

  void report(const Word& word, const std::vector<std::uint8_t>& expected, const char* how) {
    ADD_FAILURE() << lang::print(formula_) << "\nby " << compilation_.model.recipe << ", " << how << ", on "
                  << formula_.alphabet.print(word) << ": expected " << ::testing::PrintToString(expected) << ", got "
                  << ::testing::PrintToString(outputs_);
  }

  const lang::Formula& formula_;
  driver::Compilation compilation_;
  run::ReferenceExecutor soft_, hard_;
  run::ReferenceExecutor::Workspace workspace_;
  std::vector<double> outputs_;
  std::size_t rows_ = 0;
};

bool covers(const Recipe& recipe, const lang::Formula& formula) {
  lower::RecipeOptions options;
  options.recipe = recipe.name;
  try {
    lower::choose_recipe(formula, options);
    return true;
  } catch (const DiagnosticError&) {
    return false;
  }
}

void check_everywhere(const lang::Formula& formula, const Recipe& recipe, std::uint64_t seed) {
  NetworkCheck check(formula, recipe);
  const std::size_t symbols = formula.alphabet.size();
  test::for_all_words(symbols, true, exhaustive_length(symbols + 1), [&](const Word& word) {
    check.expect_right_on(word);
    if (word.size() <= 3) check.expect_sharp_on(word);
  });
  Random random(seed);
  for (const std::size_t length : {std::size_t{9}, std::size_t{33}, 1 + random.below(200), std::size_t{200}}) {
    const Word word = random_word(random, symbols, random.chance(0.5) || symbols == 0, length);
    check.expect_right_on(word);
    check.expect_sharp_on(word);
  }
}

void check_random_formulas(const Recipe& recipe, int count) {
  Random random(static_cast<std::uint64_t>(&recipe - lower::recipes().data()));
  for (int k = 0; k < count; ++k) {
    lang::RandomFormulaOptions options;
    options.fragment = lower::fragment_for(recipe);
    options.symbols = 1 + k % 2;
    options.operators = 1 + static_cast<int>(random.below(10));
    const lang::Formula formula = lang::random_formula(random, options);
    check_everywhere(formula, recipe, random.bits());
    if (::testing::Test::HasFailure()) return;
  }
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : lower::recipes()) names.emplace_back(recipe.name);
  return names;
}

class EveryRecipe : public ::testing::TestWithParam<std::string> {
 protected:
  const Recipe& recipe() { return *lower::find_recipe(GetParam()); }
};

TEST_P(EveryRecipe, ComputesEveryExampleItCovers) {
  for (const test::ExampleFile& example : test::formula_examples()) {
    SCOPED_TRACE(example.name);
    const lang::Formula formula = driver::parse(example.text);
    if (covers(recipe(), formula)) check_everywhere(formula, recipe(), 7);
  }
}

TEST_P(EveryRecipe, ComputesRandomFormulas) { check_random_formulas(recipe(), 20); }

TEST_P(EveryRecipe, SlowComputesManyRandomFormulas) { check_random_formulas(recipe(), 300); }

TEST_P(EveryRecipe, UsesOnlyItsOwnTemperatureMasksAndPositionEncodings) {
  Random random(5);
  for (int k = 0; k < 20; ++k) {
    lang::RandomFormulaOptions options;
    options.fragment = lower::fragment_for(recipe());
    const lang::Formula formula = lang::random_formula(random, options);
    const NetworkCheck check(formula, recipe());
    const model::Transformer& model = check.compilation().model;
    for (const model::PositionEncoding& pe : model.position_encodings)
      EXPECT_TRUE(pe.formula.predicate || Matches(Contains(pe.formula.kind))(recipe().position_encodings));
    for (const model::Layer& layer : model.layers)
      for (const model::Head& head : layer.heads) {
        EXPECT_EQ(head.temperature,
                  head.claim.structure == HeadStructure::sink ? Temperature::one : recipe().temperature);
        EXPECT_TRUE(!recipe().decoder || head.mask == Mask::future);
      }
  }
}

std::string test_name(std::string recipe) {
  std::replace(recipe.begin(), recipe.end(), '-', '_');
  return "recipe_" + recipe;
}

INSTANTIATE_TEST_SUITE_P(All, EveryRecipe, ::testing::ValuesIn(recipe_names()),
                         [](const auto& instance) { return test_name(instance.param); });

// Corner cases by name, by every recipe that covers them.

void check_corner(const char* text, const std::vector<const char*>& words) {
  const lang::Formula formula = driver::parse(text);
  int covered = 0;
  for (const Recipe& recipe : lower::recipes()) {
    if (!covers(recipe, formula)) continue;
    NetworkCheck check(formula, recipe);
    for (const char* word : words) check.expect_right_on(formula.alphabet.parse(word));
    ++covered;
  }
  EXPECT_GT(covered, 0) << text;
}

TEST(Corners, OnePositionIsFirstAndLast) {
  for (const char* text : {"prev Q_a", "next Q_a", "Q_a since Q_a", "Q_a until Q_a", "#<[Q_a] >= 1", "#>[Q_a] >= 1",
                           "#[Q_a] >= 1", "#<[Q_a] = 0", "#>[Q_a] = 0", "#[Q_a] = 0", "#<[Q_a] = #>[Q_a]"})
    check_corner(text, {"a", "b"});
}

TEST(Corners, PreviousIsFalseAtTheFirstAndNextAtTheLastPosition) {
  check_corner("prev true", {"a", "aa", "aaa", "aaaa"});
  check_corner("next true", {"a", "aa", "aaa", "aaaa"});
  check_corner("!prev Q_a", {"a", "aa", "ba"});
  check_corner("prev !Q_a", {"a", "aa", "ba"});
}

TEST(Corners, ACountOfOneIsNotTakenForZero) {
  check_corner("#<[Q_a] = 0", {"a", "ab", "ba", "bb", "bba", "abbbb"});
  check_corner("#>[Q_a] = 0", {"a", "ab", "ba", "bb", "bba", "abbbb"});
  check_corner("#[Q_a] = 1", {"a", "ab", "ba", "bb", "bba", "abbbb"});
}

TEST(Corners, PredicatesOfZero) {
  for (const char* theta : {"odd", "even", "mod(3,0)", "mod(3,1)", "prime", "square", "cube", "pow2", "triangular",
                            "fibonacci", "first", "last"})
    for (const char* count : {"#<[Q_a]", "#>[Q_a]", "#[Q_a]"})
      check_corner((std::string(theta) + "(" + count + ")").c_str(), {"b", "a", "bb", "bbbb", "abab", "aaaaaaaa"});
  check_corner("pred p = {0, 2}\np(#<[Q_a])", {"b", "a", "aa", "bbb"});
  check_corner("pred q(i, n) = i + 2 <= n\nq(#<[Q_a])", {"b", "a", "bb", "bbb", "abab", "aaaa"});
}

TEST(Corners, SymbolsThatNoRuleMentions) {
  check_corner("!Q_a & prev !Q_a", {"z", "zz", "az", "za", "zzz"});
  check_corner("true since !Q_a", {"a", "z", "az", "za"});
  check_corner("#<[!Q_a] > #<[Q_a]", {"z", "a", "zaz"});
}

TEST(Corners, ConstantsAndSymbolsAloneNeedNoAttention) {
  for (const char* text : {"true", "false", "Q_a", "!Q_a", "Q_a | Q_b", "Q_a & Q_b", "0 >= 1", "#<[Q_a] >= 0 | true"})
    check_corner(text, {"a", "b", "z", "abz"});
}

TEST(Corners, LargeCoefficientsAndConstantsOfEitherSign) {
  check_corner("7*#<[Q_a] - 5*#<[Q_b] >= 3", {"a", "ab", "abb", "aabbb", "bbbbbaaaa"});
  check_corner("-2*#<[Q_a] + 4*#<[Q_b] = 2", {"a", "ab", "abb", "aabbb", "b"});
  check_corner("3*#<[Q_a] < -1", {"a", "b", "bbb"});
  check_corner("#<[Q_a] + 5 != 7", {"a", "aa", "aaa"});
}

TEST(Gamma, ASharperNetworkIsStillRight) {
  const lang::Formula formula = driver::parse("(!Q_a S Q_b) & #<[prev Q_a] >= #>[Q_b]");
  for (const char* recipe : {"22a", "tight", "tight-position"})
    for (const double gamma : {2.78, 5.0, 16.0, 32.0}) {
      NetworkCheck check(formula, *lower::find_recipe(recipe), gamma);
      test::for_all_words(2, true, 5, [&](const Word& word) {
        check.expect_right_on(word);
        check.expect_sharp_on(word);
      });
      EXPECT_GT(check.rows(), 0u);
    }
}

// The same programs one level higher: the IR, interpreted exactly.

TEST(Ir, MeansWhatTheOracleSaysBeforeAndAfterSimplification) {
  Random random(11);
  for (const Recipe& recipe : lower::recipes()) {
    for (int k = 0; k < 6; ++k) {
      lang::RandomFormulaOptions options;
      options.fragment = lower::fragment_for(recipe);
      options.operators = 6;
      const lang::Formula formula = lang::random_formula(random, options);
      const ir::Graph lowered = lower::lower(formula, recipe, {3, false, 4});
      const ir::Graph simplified = opt::simplify(lowered);
      EXPECT_LE(simplified.size(), lowered.size() + 1);  // + the conjunction that holds a negated output
      test::for_all_words(formula.alphabet.size(), true, 3, [&](const Word& word) {
        const auto expected = oracle::evaluate(formula, word);
        EXPECT_EQ(ir::interpret(lowered, word, oracle::holds), expected) << lang::print(formula);
        EXPECT_EQ(ir::interpret(simplified, word, oracle::holds), expected) << lang::print(formula);
      });
    }
  }
}

}  // namespace
}  // namespace quench
