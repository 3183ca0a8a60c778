// Every example by every recipe that covers it, on the fast executor: the reference's soft values within the stated
// bound, the same Booleans, and no head that needs quadratic time.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <type_traits>

#include "base/number/random.h"
#include "bits/evaluator.h"
#include "driver/compile.h"
#include "lower/recipe.h"
#include "support/agreement.h"
#include "support/examples.h"

namespace quench {
namespace {

using lower::Recipe;

/// Nothing where the recipe does not cover the formula.
std::optional<model::Transformer> compiled(const lang::Formula& formula, const Recipe& recipe) {
  lower::RecipeOptions options;
  options.recipe = recipe.name;
  try {
    return driver::compile(formula, options).model;
  } catch (const DiagnosticError&) {
    return std::nullopt;
  }
}

/// Random symbols, one symbol throughout, two halves, one odd one out: what makes runs, ties and empty prefixes.
std::vector<Word> words_of(std::size_t length, std::size_t symbols, Random& random) {
  const auto symbol = [&] { return static_cast<Symbol>(random.below(symbols + 1)) - 1; };
  std::vector<Word> words(4, Word(length));
  const Symbol a = symbol(), b = symbol();
  for (std::size_t i = 0; i < length; ++i) {
    words[0][i] = symbol();
    words[1][i] = a;
    words[2][i] = 2 * i < length ? a : b;
    words[3][i] = i == length / 3 ? b : a;
  }
  return words;
}

void expect_agreement(const model::Transformer& model, const Word& word, NumberFormat format, bool dense) {
  static run::StructuredExecutor::Workspace space;
  const test::Agreement found = test::agreement(model, word, {{format, false}, dense, true}, space);
  EXPECT_EQ(run::booleans(found.outputs), run::booleans(run::outputs(model, word)));
  for (const auto& layer : space.methods)
    for (const run::HeadMethod& head : layer)
      EXPECT_EQ(head.method == run::Method::dense, dense) << head.name << ": " << head.reason;
}

class FastByRecipe : public ::testing::TestWithParam<std::string> {
 protected:
  template <class Check>
  void for_examples(Check check) {
    const Recipe& recipe = *lower::find_recipe(GetParam());
    for (const test::ExampleFile& example : test::formula_examples()) {
      SCOPED_TRACE(example.name);
      const lang::Formula formula = driver::parse(example.text);
      const std::optional<model::Transformer> model = compiled(formula, recipe);
      if (!model) continue;
      if constexpr (std::is_invocable_v<Check, const model::Transformer&>)
        check(*model);
      else
        check(*model, formula);
      if (HasFailure()) return;
    }
  }
};

TEST_P(FastByRecipe, AgreesOnShortWords) {
  for_examples([](const model::Transformer& model) {
    Random random(3);
    for (std::size_t length = 1; length <= 64; length += length < 12 ? 1 : 13)
      for (const Word& word : words_of(length, model.alphabet.size(), random))
        for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32})
          expect_agreement(model, word, format, false);
  });
}

void check_longer(const model::Transformer& model, std::size_t length) {
  Random random(4);
  const std::vector<Word> words = words_of(length, model.alphabet.size(), random);
  expect_agreement(model, words[0], NumberFormat::f64, false);
  expect_agreement(model, words[3], NumberFormat::f32, false);
}

TEST_P(FastByRecipe, AgreesOnLongerWords) {
  for_examples([](const model::Transformer& model) { check_longer(model, 300); });
}

TEST_P(FastByRecipe, SlowAgreesOnWordsOfAThousand) {
  for_examples([](const model::Transformer& model) { check_longer(model, 1000); });
}

TEST_P(FastByRecipe, DenseAgreesToo) {
  for_examples([](const model::Transformer& model) {
    Random random(5);
    for (const std::size_t length : {1, 7, 50, 200})
      expect_agreement(model, words_of(length, model.alphabet.size(), random)[0], NumberFormat::f64, true);
    expect_agreement(model, words_of(100, model.alphabet.size(), random)[0], NumberFormat::f32, true);
  });
}

TEST_P(FastByRecipe, SlowAgreesOnWordsOfFourThousand) {
  for_examples([](const model::Transformer& model) {
    Random random(6);
    const std::vector<Word> words = words_of(4096, model.alphabet.size(), random);
    for (const std::size_t k : {0, 3}) expect_agreement(model, words[k], NumberFormat::f64, false);
  });
}

TEST_P(FastByRecipe, AllEnginesRoundToTheBits) {
  for_examples([](const model::Transformer& model, const lang::Formula& formula) {
    ASSERT_EQ(model.alphabet.symbols(), formula.alphabet.symbols());
    Random random(9);
    bits::Evaluator evaluator(formula);
    run::StructuredExecutor::Workspace space;
    for (const std::size_t length : {1, 64, 150})
      for (const Word& word : words_of(length, model.alphabet.size(), random)) {
        const bits::Plane& plane = evaluator.evaluate(word);
        std::vector<std::uint8_t> truth;
        for (std::size_t i = 0; i < length; ++i) truth.push_back(plane[i / bits::kBits] >> i % bits::kBits & 1);
        EXPECT_EQ(run::booleans(run::outputs(model, word)), truth);
        for (const bool dense : {false, true}) {
          std::vector<double> outputs;
          run::StructuredExecutor(model, {{}, dense, false}).outputs(run::Batch::of(word), space, outputs);
          EXPECT_EQ(run::booleans(outputs), truth);
        }
      }
  });
}

TEST_P(FastByRecipe, ABatchIsItsWords) {
  for_examples([](const model::Transformer& model) {
    Random random(7);
    const run::StructuredExecutor fast(model, {});
    run::StructuredExecutor::Workspace space;
    for (const std::size_t length : {1, 5, 20, 70}) {
      std::vector<Word> words;  // more than the lanes of a row, and not a multiple of them
      while (words.size() < 37)
        for (const Word& word : words_of(length, model.alphabet.size(), random)) words.push_back(word);
      run::Batch batch{length, words.size(), {}};
      for (std::size_t i = 0; i < length; ++i)
        for (const Word& word : words) batch.symbols.push_back(word[i]);
      std::vector<double> together;
      fast.outputs(batch, space, together);
      for (std::size_t w = 0; w < words.size(); ++w) {
        std::vector<double> mine;
        for (std::size_t i = 0; i < length; ++i) mine.push_back(together[i * words.size() + w]);
        EXPECT_EQ(run::booleans(mine), run::booleans(run::outputs(model, words[w])));
      }
    }
  });
}

TEST_P(FastByRecipe, ThreadsChangeNothing) {
  for_examples([](const model::Transformer& model) {
    Random random(8);
    const Word word = words_of(17000, model.alphabet.size(), random)[0];
    run::StructuredExecutor::Workspace space;
    std::vector<double> alone, together;
    run::StructuredExecutor(model, {{}, false, false}).outputs(run::Batch::of(word), space, alone);
    run::StructuredExecutor(model, {{}, false, true}).outputs(run::Batch::of(word), space, together);
    EXPECT_EQ(alone, together);
  });
}

std::vector<std::string> recipe_names() {
  std::vector<std::string> names;
  for (const Recipe& recipe : lower::recipes()) names.emplace_back(recipe.name);
  return names;
}

std::string test_name(std::string recipe) {
  std::replace(recipe.begin(), recipe.end(), '-', '_');
  return "recipe_" + recipe;
}

INSTANTIATE_TEST_SUITE_P(All, FastByRecipe, ::testing::ValuesIn(recipe_names()),
                         [](const auto& instance) { return test_name(instance.param); });

}  // namespace
}  // namespace quench
