// First failures where theory says what they are: [Q-dyadic] is exact up to 2^(p−2) for p bits of mantissa, wrong
// after.
#include "verify/find_failure.h"

#include <gtest/gtest.h>

#include "driver/compile.h"

namespace quench::verify {
namespace {

FailureReport search(const char* text, const char* recipe, NumberFormat format, std::size_t from, std::size_t to) {
  const lang::Formula formula = driver::parse(text);
  lower::RecipeOptions options;
  options.recipe = recipe;
  FailureSearch search;
  search.from = from;
  search.to = to;
  search.run.format = format;
  return search_failure(driver::compile(formula, options).model, formula, search);
}

TEST(FindFailure, IsWhereDyadicScoresRunOutOfBits) {
  for (const auto& [format, length] : {std::pair{NumberFormat::bf16_pure, 65u}, std::pair{NumberFormat::m9, 129u},
                                       std::pair{NumberFormat::m12, 1025u}}) {
    const FailureReport report = search("Q_a S Q_b", "tight", format, length - 40, length + 40);
    ASSERT_TRUE(report.failure) << to_string(format);
    EXPECT_EQ(report.failure->length, length) << to_string(format);
    EXPECT_EQ(report.failure->whole, length <= 1024) << to_string(format);
    EXPECT_NE(report.failure->expected, report.failure->got);
  }
}

TEST(FindFailure, FindsNoneWhereThereIsNone) {
  const FailureReport report = search("Q_a S Q_b", "tight", NumberFormat::m12, 1000, 1024);
  EXPECT_FALSE(report.failure);
  EXPECT_EQ(report.unknown_from, 0u);
  EXPECT_GT(report.words, 10u);
}

/// A sum of signs in p bits is exact up to 2^p, so blocks of two symbols are counted rightly up to 2^(p+1).
TEST(FindFailure, IsWhereAFormatStopsCounting) {
  const FailureReport report = search("#<[Q_a] >= #<[Q_b]", "tight", NumberFormat::m9, 900, 1030);
  ASSERT_TRUE(report.failure);
  EXPECT_GT(report.failure->length, 900u);
  EXPECT_LE(report.failure->length, 1030u);
}

TEST(FindFailure, SlowIsWhereSinglePrecisionRunsOutOfBits) {
  const FailureReport report = search("Q_a S Q_b", "tight", NumberFormat::f32, 1, 5'000'000);
  ASSERT_TRUE(report.failure);
  EXPECT_EQ(report.failure->length, 4'194'305u);
  EXPECT_FALSE(report.failure->whole);
}

}  // namespace
}  // namespace quench::verify
