// t ≡ r (mod m) for sums of counts: what its parts are, and networks by every family of recipes.
#include "lower/congruence.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "base/text/diagnostic.h"
#include "driver/compile.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"
#include "support/all_words.h"

namespace quench {
namespace {

void right_by(const lang::Formula& formula, const lower::RecipeOptions& options) {
  const model::Transformer model = driver::compile(formula, options).model;
  const run::ReferenceExecutor executor(model);
  run::ReferenceExecutor::Workspace workspace;
  std::vector<double> outputs;
  const auto check = [&](const Word& word) {
    executor.outputs(word, workspace, outputs);
    ASSERT_EQ(run::booleans(outputs), oracle::evaluate(formula, word))
        << model.source << " by " << model.recipe << " on " << formula.alphabet.print(word);
  };
  test::for_all_words(formula.alphabet.size(), true, 5, check);
  Random random(5);
  for (const std::size_t length : {1u, 2u, 31u, 64u, 150u})
    check(random_word(random, formula.alphabet.size(), true, length));
  if (formula.alphabet.size() > 0) check(Word(100, 0));
}

TEST(Congruence, NetworksOfEveryFamilyAreRight) {
  for (const char* text :
       {"mod(5,0)(#<[Q_a] - 2*#<[Q_b] + 3)", "mod(3,1)(#<[Q_a] + #>[Q_a])", "even(#[Q_a] - #<[Q_b])",
        "mod(6,3)(3*#<[Q_a] + 2*#<[Q_b])", "mod(4,2)(2*#<[Q_a])", "mod(4,1)(2*#<[Q_a] + 8)", "odd(-#<[Q_a])",
        "mod(7,-2)(3*#<[Q_a] - 9)", "mod(3,2)(3*#<[Q_a] + 2)", "even(4)", "mod(1,0)(#<[Q_a] + #<[Q_b])",
        "#<[mod(3,0)(#<[Q_a] - #<[Q_b])] >= 2", "mod(1000,3)(7*#<[Q_a])"})
    for (const char* recipe : {"tight", "paper", "exact"}) {
      lower::RecipeOptions options;
      options.recipe = recipe;
      if (options.recipe == "exact") options.length = 256;
      right_by(driver::parse(text), options);
    }
}

/// Not a congruence: counts that turn out to be the same cancel out, and nothing is left to attend to.
TEST(Comparison, OfCountsThatCancelOutIsDecided) {
  for (const char* text : {"-2 >= 2*#<[Q_a] - 2*#<[Q_a & Q_a] - 1", "#<[Q_a] - #<[Q_a & Q_a] = 0"})
    for (const char* recipe : {"tight", "paper", "exact"}) {
      lower::RecipeOptions options;
      options.recipe = recipe;
      right_by(driver::parse(text), options);
    }
}

TEST(Congruence, OneCountAloneIsOnePredicate) {
  const auto parts = [](const char* text) {
    const lang::Formula formula = driver::parse(text);
    return lower::congruence_parts(formula, std::get<lang::Congruence>(formula[formula.root]));
  };
  const lower::CongruenceParts seven = parts("mod(1000,3)(7*#<[Q_a])");
  ASSERT_EQ(seven.counts.size(), 1u);
  ASSERT_EQ(seven.counts[0].rests.size(), 1u);
  EXPECT_EQ(seven.counts[0].rests[0].name, "mod(1000,429)");  // 7·429 = 3003
  EXPECT_EQ(parts("mod(6,4)(2*#<[Q_a])").counts[0].rests.at(0).name, "mod(3,2)");
  EXPECT_TRUE(parts("mod(6,3)(2*#<[Q_a])").counts[0].rests.empty());
  EXPECT_TRUE(parts("mod(3,1)(3*#<[Q_a] + 1)").counts.empty());
  EXPECT_EQ(parts("mod(5,0)(#<[Q_a] + 5*#<[Q_b] + 2*#<[Q_c])").counts.size(), 2u);
  EXPECT_FALSE(parts("mod(257,0)(#<[Q_a] + #<[Q_b])").tractable);
}

TEST(Congruence, OfSeveralCountsHasALargestModulus) {
  EXPECT_NO_THROW(driver::compile(driver::parse("mod(256,3)(#<[Q_a] + 2*#<[Q_b])")));
  try {
    driver::compile(driver::parse("Q_a & mod(257,3)(#<[Q_a] + 2*#<[Q_b])"));
    FAIL();
  } catch (const DiagnosticError& error) {
    EXPECT_EQ(error.diagnostics.at(0).code, "E109");
    EXPECT_EQ(error.diagnostics.at(0).span.begin, 6u);
  }
}

TEST(Congruence, TheDecoderAtTemperatureOneSaysThatItHasNone) {
  lower::RecipeOptions options;
  options.decoder = true;
  try {
    driver::compile(driver::parse("mod(3,0)(#<[Q_a] - #<[Q_b])"), options);
    FAIL();
  } catch (const DiagnosticError& error) {
    EXPECT_EQ(error.diagnostics.at(0).code, "E103");
  }
}

}  // namespace
}  // namespace quench
