#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "base/error.h"
#include "oracle/evaluate.h"
#include "parse/parse_text.h"

namespace quench {
namespace {

Predicate predicate(const std::string& definition) {
  return parse_text(fmt::format("pred p{}\np", definition)).predicates().front();
}

Predicate built_in(const std::string& name) { return parse_text(name).predicates().front(); }

std::string truth(const Predicate& p, int longest, int n) {
  std::string result;
  for (int x = 0; x <= longest; ++x) result += oracle::holds(p, x, n) ? '1' : '0';
  return result;
}

TEST(Predicates, ValuesFromZeroToSixteen) {
  EXPECT_EQ(truth(built_in("odd"), 16, 9), "01010101010101010");
  EXPECT_EQ(truth(built_in("even"), 16, 9), "10101010101010101");
  EXPECT_EQ(truth(built_in("mod(3,1)"), 16, 9), "01001001001001001");
  EXPECT_EQ(truth(built_in("mod(3,-1)"), 16, 9), "00100100100100100");
  EXPECT_EQ(truth(built_in("mod(1,0)"), 4, 9), "11111");
  EXPECT_EQ(truth(built_in("prime"), 16, 9), "00110101000101000");
  EXPECT_EQ(truth(built_in("square"), 16, 9), "11001000010000001");
  EXPECT_EQ(truth(built_in("cube"), 16, 9), "11000000100000000");
  EXPECT_EQ(truth(built_in("pow2"), 16, 9), "01101000100000001");
  EXPECT_EQ(truth(built_in("triangular"), 16, 9), "11010010001000010");
  EXPECT_EQ(truth(built_in("fibonacci"), 16, 9), "11110100100001000");
  EXPECT_EQ(truth(built_in("first"), 16, 9), "01000000000000000");
  EXPECT_EQ(truth(built_in("last"), 16, 9), "00000000010000000");
  EXPECT_EQ(truth(predicate(" = {0, 3, 5}"), 6, 9), "1001010");
}

TEST(Predicates, LargeNumbersAreExact) {
  constexpr std::int64_t kRoot = 3037000499;  // its square is the largest below 2^63
  EXPECT_TRUE(oracle::holds(built_in("square"), kRoot * kRoot, 1));
  EXPECT_FALSE(oracle::holds(built_in("square"), kRoot * kRoot - 1, 1));
  EXPECT_FALSE(oracle::holds(built_in("square"), INT64_MAX, 1));
  EXPECT_TRUE(oracle::holds(built_in("cube"), std::int64_t{2097151} * 2097151 * 2097151, 1));
  EXPECT_FALSE(oracle::holds(built_in("cube"), INT64_MAX, 1));
  EXPECT_TRUE(oracle::holds(built_in("triangular"), std::int64_t{3000000000} / 2 * 3000000001, 1));
  EXPECT_TRUE(oracle::holds(built_in("fibonacci"), 7540113804746346429, 1));
  EXPECT_FALSE(oracle::holds(built_in("fibonacci"), INT64_MAX, 1));
  EXPECT_TRUE(oracle::holds(built_in("pow2"), std::int64_t{1} << 62, 1));
  EXPECT_TRUE(oracle::holds(built_in("prime"), 1000000007, 1));
  EXPECT_FALSE(oracle::holds(built_in("prime"), std::int64_t{1000003} * 1000003, 1));
}

TEST(Predicates, ExpressionsFollowSchoolArithmetic) {
  EXPECT_EQ(truth(predicate("(i, n) = i*i <= n"), 5, 9), "111100");
  EXPECT_EQ(truth(predicate("(x) = 1 + 2*x = 7"), 5, 1), "000100");
  EXPECT_EQ(truth(predicate("(x) = 10 - x - 2 = 5"), 5, 1), "000100");
  EXPECT_EQ(truth(predicate("(x) = not x = 1 and x < 4 or x = 5"), 6, 1), "1011010");
  EXPECT_EQ(truth(predicate("(x) = x != 1 & (x < 4 | x >= 5)"), 6, 1), "1011011");
  EXPECT_EQ(truth(predicate("(x, len) = x > len / 2"), 5, 5), "000111");
}

TEST(Predicates, DivisionRoundsDownAndRemaindersFollowTheDivisor) {
  EXPECT_EQ(truth(predicate("(x) = (x - 4) / 3 = -1"), 6, 1), "0111000");
  EXPECT_EQ(truth(predicate("(x) = (x - 4) % 3 = 2"), 6, 1), "1001001");
  EXPECT_EQ(truth(predicate("(x) = x % -3 = -2"), 6, 1), "0100100");
  EXPECT_EQ(truth(predicate("(x) = -x / 2 = -2"), 6, 1), "0001100");
  EXPECT_EQ(truth(predicate("(x) = x / -2 = -2"), 6, 1), "0001100");
}

TEST(Predicates, OverflowAndDivisionByZeroAreTheUsersErrors) {
  const Predicate reciprocal = predicate("(x) = 6 / x = 2");
  EXPECT_TRUE(oracle::holds(reciprocal, 3, 1));
  EXPECT_THROW(oracle::holds(reciprocal, 0, 1), UserError);
  EXPECT_THROW(oracle::holds(predicate("(x) = 6 % x = 2"), 0, 1), UserError);
  const Predicate power = predicate("(x) = x*x*x*x*x*x*x*x > 0");
  EXPECT_TRUE(oracle::holds(power, 60000, 1));
  EXPECT_THROW(oracle::holds(power, 70000, 1), UserError);
  EXPECT_THROW(oracle::holds(predicate("(x) = 0 - x*x*x*x - x*x*x*x < 0"), 3037000500, 1), UserError);
  // Both sides of `and` and `or` are always worked out.
  EXPECT_THROW(oracle::holds(predicate("(x) = x = 0 or 1 / x = 1"), 0, 1), UserError);
}

TEST(Predicates, KnowWhetherTheyDependOnTheLength) {
  EXPECT_TRUE(built_in("last").depends_on_length());
  EXPECT_FALSE(built_in("first").depends_on_length());
  EXPECT_TRUE(predicate("(x, n) = x < n").depends_on_length());
  EXPECT_FALSE(predicate("(x, n) = x < 3").depends_on_length());
}

}  // namespace
}  // namespace quench
