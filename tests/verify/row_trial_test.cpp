// Rows against whole words, and against promises that are false.
#include "verify/row_trial.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "driver/compile.h"
#include "verify/words/adversarial_words.h"

namespace quench::verify {
namespace {

model::Transformer compile(const lang::Formula& formula, const char* recipe) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  return driver::compile(formula, options).model;
}

/// Where nothing fails, keys and values of other positions are what they should be, so a row computed by itself is as
/// far off as in the whole word; and of all rows none is further off than the furthest.
TEST(RowTrial, AgreesWithWholeWords) {
  for (const auto& [text, recipe] :
       {std::pair{"prev (Q_a S Q_b)", "18a"}, std::pair{"#<[Q_a] >= #>[Q_b]", "22a"},
        std::pair{"(Q_a U Q_b) & #<[Q_a] > #<[Q_b]", "tight"}, std::pair{"Y Q_a & #<[Q_a] >= 3", "tight-decoder"}}) {
    const lang::Formula formula = driver::parse(text);
    const model::Transformer model = compile(formula, recipe);
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::m20}) {
      RowTrial whole(model, formula, format), rows(model, formula, format);
      rows.whole_up_to = 0;
      for (const Pattern& pattern : adversarial_patterns(formula)) {
        const std::optional<Word> word = pattern_word(formula, pattern, 60, 3);
        if (!word) continue;
        const RowTrial::Outcome all = whole.run(*word, 1, true), some = rows.run(*word, 1, true);
        ASSERT_TRUE(all.whole && !some.whole && some.ideal);
        EXPECT_TRUE(all.wrong.empty() && some.wrong.empty()) << text << " by " << recipe << " in " << to_string(format);
        EXPECT_EQ(some.rows, 60u);  // so short that all are chosen
        EXPECT_EQ(some.head_errors, all.head_errors) << text << " by " << recipe << " in " << to_string(format);
      }
    }
  }
}

TEST(RowTrial, SeesThatAFormatIsTooNarrow) {
  const lang::Formula formula = driver::parse("Q_a S Q_b");
  const model::Transformer model = compile(formula, "15a");
  const std::optional<Word> word = pattern_word(formula, {Shape::random, 0, 0}, 3000, 3);
  ASSERT_TRUE(word);
  EXPECT_TRUE(RowTrial(model, formula, NumberFormat::f32).run(*word, 1, false).wrong.empty());
  const RowTrial::Outcome outcome = RowTrial(model, formula, NumberFormat::bf16).run(*word, 1, true);
  EXPECT_FALSE(outcome.wrong.empty());
  EXPECT_GT(outcome.head_errors[0], 0.25);
}

/// At this length three positions in a thousand have a key whose score equals that of the key before it. Rows taken at
/// random miss them.
TEST(RowTrial, LooksWhereScoresTie) {
  const lang::Formula formula = driver::parse("Q_a S Q_b");
  const model::Transformer model = compile(formula, "15a");
  for (const std::size_t n : {7600, 7700, 7800}) {
    const std::optional<Word> word = pattern_word(formula, {Shape::random, 0, 0}, n, 3);
    ASSERT_TRUE(word);
    RowTrial trial(model, formula, NumberFormat::m16);
    trial.effort = 0;
    const RowTrial::Outcome outcome = trial.run(*word, 1, false);
    EXPECT_LT(outcome.rows, 50u);
    EXPECT_FALSE(outcome.wrong.empty()) << n;
  }
}

TEST(AdversarialWords, ReachThresholdsOfCounts) {
  const lang::Formula formula = driver::parse("2*#<[Q_a] >= 3*#<[Q_b] + 1");
  const auto counts = [&](Shape shape) {
    const std::optional<Word> word = pattern_word(formula, {shape, 0, 1}, 1000, 1);
    EXPECT_TRUE(word);
    const auto a = static_cast<int>(std::count(word->begin(), word->end(), 0));
    return std::pair(a, 1000 - a);
  };
  for (const auto& [at, below] :
       {std::pair{Shape::block_true, Shape::block_false}, std::pair{Shape::spread_true, Shape::spread_false}}) {
    const auto [a, b] = counts(at);
    EXPECT_GE(2 * a, 3 * b + 1);
    EXPECT_EQ(counts(below), std::pair(a - 1, b + 1));
    EXPECT_LT(2 * (a - 1), 3 * (b + 1) + 1);
  }
  EXPECT_FALSE(pattern_word(formula, {Shape::block_true, 1, -1}, 1000, 1));  // b never helps
}

}  // namespace
}  // namespace quench::verify
