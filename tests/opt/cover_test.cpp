#include "opt/cover.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "opt/ramp.h"

namespace quench::opt {
namespace {

using ir::Literal;
using ir::NodeId;

bool holds(const Cube& cube, unsigned valuation) {
  for (const Literal literal : cube)
    if (((valuation >> literal.node.index) & 1u) == literal.negated) return false;
  return true;
}

int count_true(const std::vector<Cube>& cubes, unsigned valuation) {
  int count = 0;
  for (const Cube& cube : cubes) count += holds(cube, valuation);
  return count;
}

/// A random expression over four variables as a cover, with its truth table.
struct Expression {
  Cover cover;
  unsigned table;  // bit v: value at valuation v
};

Expression random_expression(Random& random, int depth) {
  if (depth == 0) {
    const auto variable = random.below(4);
    unsigned table = 0;
    for (unsigned v = 0; v < 16; ++v) table |= ((v >> variable) & 1u) << v;
    return {Cover::of({NodeId(variable), false}), table};
  }
  Expression a = random_expression(random, depth - 1), b = random_expression(random, depth - 1);
  if (random.chance(0.5)) a = {a.cover.negated(), ~a.table & 0xFFFFu};
  if (random.chance(0.5)) b = {b.cover.negated(), ~b.table & 0xFFFFu};
  return {conjunction({}, {a.cover, b.cover}), a.table & b.table};
}

TEST(Cover, CubesExcludeEachOtherAndSumToTheFunction) {
  Random random(3);
  int both = 0;
  for (int round = 0; round < 2000; ++round) {
    const Expression e = random_expression(random, static_cast<int>(random.below(4)));
    for (unsigned v = 0; v < 16; ++v) {
      const int value = static_cast<int>((e.table >> v) & 1u);
      if (e.cover.on) {
        EXPECT_EQ(count_true(*e.cover.on, v), value);
      }
      if (e.cover.off) {
        EXPECT_EQ(count_true(*e.cover.off, v), 1 - value);
      }
    }
    both += e.cover.on && e.cover.off;
  }
  EXPECT_GT(both, 1000);
}

TEST(Cover, AConjunctionOfManyLiteralsIsOneCube) {
  Cube literals;
  for (std::size_t k = 0; k < 100'000; ++k) literals.push_back({NodeId(k), k % 2 == 0});
  const Cover cover = conjunction(literals, {});
  ASSERT_TRUE(cover.on);
  EXPECT_EQ(cover.on->size(), 1u);
  EXPECT_FALSE(cover.off);
}

TEST(Cover, PairsThatDifferInOneSignBecomeOneCube) {
  const Cover a = Cover::of({NodeId(0), false}), b = Cover::of({NodeId(1), false});
  // (a ∧ b) ∨ (a ∧ ¬b) = a
  const Cover both = conjunction({}, {conjunction({}, {a, b}).negated(), conjunction({}, {a, b.negated()}).negated()});
  ASSERT_TRUE(both.off);
  EXPECT_EQ(*both.off, (std::vector<Cube>{{{NodeId(0), false}}}));
}

// A ramp decides every combination that the literals' errors allow.
TEST(Ramp, SeparatesAllTrueFromAnyFalse) {
  Random random(9);
  int found = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::size_t exact = random.below(4), count = 1 + random.below(4);
    std::vector<Approximation> literals;
    for (std::size_t k = 0; k < count; ++k) {
      const double no = 0.4 * random.unit(), yes = 1 - 0.4 * random.unit();
      const Approximation x{no - random.unit(), no, yes, yes + random.unit()};
      literals.push_back(random.chance(0.5) ? x : x.negated());
    }
    const auto ramp = find_ramp(exact, literals);
    if (!ramp) continue;
    ++found;
    for (unsigned truth = 0; truth < (1u << (exact + count)); ++truth) {
      double low = 0, high = 0;  // of the sum
      for (std::size_t k = 0; k < exact; ++k) low = high += ramp->exact_weight * ((truth >> k) & 1u);
      for (std::size_t k = 0; k < count; ++k) {
        const bool value = (truth >> (exact + k)) & 1u;
        low += value ? literals[k].yes : literals[k].low;
        high += value ? literals[k].high : literals[k].no;
      }
      if (truth + 1 == 1u << (exact + count))
        EXPECT_GE(low, ramp->to);
      else
        EXPECT_LE(high, ramp->from + 1e-12);  // the sums here are rounded, the ramp's ends are not
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(Ramp, OfOneBooleanIsTheRoundingOfLemma9) {
  const auto ramp = find_ramp(0, {{0, 0.095, 0.905, 1}});
  ASSERT_TRUE(ramp);
  EXPECT_EQ(ramp->from, 0.25);
  EXPECT_EQ(ramp->to, 0.75);
}

TEST(Ramp, RefusesWhatCannotBeToldApart) {
  EXPECT_FALSE(find_ramp(0, {{0, 0.5, 0.5, 1}}));
  EXPECT_FALSE(find_ramp(1, {{-1e300, -0.75, -0.25, std::numeric_limits<double>::infinity()}}));
  EXPECT_TRUE(find_ramp(0, {{-1e300, -0.75, -0.25, std::numeric_limits<double>::infinity()}}));
}

}  // namespace
}  // namespace quench::opt
