// Depth follows the nesting of attention, heads are shared, coordinates are reused.
#include <gtest/gtest.h>

#include "driver/compile.h"

namespace quench {
namespace {

driver::Compilation compile(const std::string& text, const std::string& recipe) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  return driver::compile(driver::parse(text), options);
}

std::size_t layers(const std::string& text, const std::string& recipe) {
  return compile(text, recipe).model.layers.size();
}

TEST(Schedule, DepthIsTheNestingOfAttention) {
  EXPECT_EQ(layers("O Q_a", "15a"), 1u);
  EXPECT_EQ(layers("O (Q_a & !O Q_b)", "15a"), 2u);
  EXPECT_EQ(layers("((Q_a S Q_b) S Q_c) S Q_d", "15a"), 3u);
  EXPECT_EQ(layers("Y Y Y Q_a", "12a"), 3u);
  EXPECT_EQ(layers("O Q_a & O Q_b & O Q_c & O Q_d | O Q_e", "15a"), 1u);
  EXPECT_EQ(layers("#<[Q_a] > #<[Q_b]", "21"), 2u);  // mean, lookup
  EXPECT_EQ(layers("#<[#<[Q_a] > #<[Q_b]] > 3", "21"), 4u);
}

TEST(Schedule, BooleansOfOneLayerShareItsFeedForward) {
  EXPECT_EQ(layers("(O Q_a <-> O Q_b) xor (F Q_a & F Q_b)", "15a"), 1u);
  EXPECT_EQ(layers("O (O Q_a xor O Q_b)", "15a"), 2u);
}

TEST(Schedule, AttentionWithEqualScoresIsOneHead) {
  EXPECT_EQ(compile("Y Q_a & Y Q_b | Y Q_c", "12a").model.head_count(), 3u);  // even, odd, mark of the first position
  EXPECT_EQ(compile("O Q_a & (Q_a | Q_b S Q_a)", "15a").model.head_count(), 2u);
  EXPECT_EQ(compile("O Q_a | !O Q_a", "15a").model.head_count(), 0u);  // true
}

TEST(Schedule, EqualSubformulasAreComputedOnce) {
  const std::string once = "O (Q_a & Y Q_b)";
  EXPECT_EQ(compile(once + " & " + once, "17a").model.parameter_count(), compile(once, "17a").model.parameter_count());
}

TEST(Allocation, WidthFollowsTheLiveSetNotTheSize) {
  std::string chain = "Q_a";
  for (int k = 0; k < 200; ++k) chain = "(" + chain + " S Q_" + static_cast<char>('a' + k % 3) + ")";
  const driver::Compilation c = compile(chain, "15a");
  EXPECT_EQ(c.model.layers.size(), 200u);
  EXPECT_LE(c.model.width, 10u);
}

TEST(Allocation, NoTwoValuesShareACoordinateWhileBothAreNeeded) {
  const driver::Compilation c = compile("#<[#<[prev Q_1] = #>[Q_1]] = 0 & F (Q_1 & Y Y O Q_0)", "22a");
  const auto& placements = c.layout.placements;
  int shared = 0;
  for (const opt::Placement& a : placements)
    for (const opt::Placement& b : placements) {
      if (a.node == b.node || a.coordinate != b.coordinate || a.born > b.born) continue;
      // b is born after the feed-forward that clears a, the first at or after a's last reading.
      EXPECT_GT(b.born, 2 * std::max(1, (a.last_read + 1) / 2));
      ++shared;
    }
  EXPECT_GT(shared, 0);
}

TEST(Depth, OfAHundredThousandOperatorsOverflowsNothing) {
  std::string nested, closing;
  for (int k = 0; k < 100'000; ++k) {
    nested += k % 2 ? "(Q_a & " : "(Q_b | ";
    closing += ")";
  }
  EXPECT_LE(layers(nested + "Q_c" + closing, "15a"), 1u);
  std::string negations(100'000, '!');
  EXPECT_EQ(layers(negations + "O Q_a", "15a"), 1u);
  std::string since = "Q_a";
  for (int k = 0; k < 3'000; ++k) since += " S Q_b S Q_a";
  EXPECT_GT(layers(since, "15a"), 1'000u);
  std::string conjunction = "Y Q_a";
  for (int k = 0; k < 100'000; ++k) conjunction += k % 2 ? " & Y Q_a" : " & Q_b";
  EXPECT_LE(layers(conjunction, "12a"), 2u);
}

}  // namespace
}  // namespace quench
