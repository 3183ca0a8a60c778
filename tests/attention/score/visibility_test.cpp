#include "attention/score/visibility.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/number/random.h"

namespace quench::attention {
namespace {

constexpr std::size_t kQueries = 9, kKeys = 7;

// allows, hull and list must tell the same story as `expected`.
template <class Expected>
void expect_sees(const Visibility& mask, Expected expected, const char* name) {
  std::vector<std::size_t> listed;
  for (std::size_t i = 0; i < kQueries; ++i) {
    std::vector<std::size_t> visible;
    const KeyInterval hull = mask.hull(i, kKeys);
    for (std::size_t j = 0; j < kKeys; ++j) {
      EXPECT_EQ(mask.allows(i, j), expected(i, j)) << name << ' ' << i << ' ' << j;
      const bool inside = hull.first <= j && j < hull.last;
      if (expected(i, j)) {
        visible.push_back(j);
        EXPECT_TRUE(inside) << name;
      }
      EXPECT_TRUE(!mask.solid() || inside == expected(i, j)) << name;
    }
    mask.list(i, kKeys, listed);
    EXPECT_EQ(listed, visible) << name << ' ' << i;
  }
}

BooleanTable random_table(Random& random, std::size_t rows, std::size_t cols) {
  BooleanTable table{rows, cols, std::vector<std::uint8_t>(rows * cols)};
  for (auto& cell : table.cells) cell = random.chance(0.4);
  return table;
}

TEST(Visibility, EachMaskIsItsInequality) {
  Random random(1);
  expect_sees(
      {}, [](auto, auto) { return true; }, "none");
  expect_sees(
      Mask::future, [](auto i, auto j) { return j <= i; }, "future");
  expect_sees(
      Mask::past, [](auto i, auto j) { return j >= i; }, "past");
  expect_sees(
      Mask::strict_future, [](auto i, auto j) { return j < i; }, "strict future");
  expect_sees(
      Mask::strict_past, [](auto i, auto j) { return j > i; }, "strict past");
  expect_sees(
      Visibility::padding(4), [](auto, auto j) { return j < 4; }, "padding");
  expect_sees(
      Visibility::window(2, 1), [](auto i, auto j) { return j + 2 >= i && j <= i + 1; }, "window");
  expect_sees(
      Visibility::window(SIZE_MAX, SIZE_MAX), [](auto, auto) { return true; }, "unbounded window");
  const BooleanTable table = random_table(random, kQueries, kKeys);
  expect_sees(Visibility::table(table), table, "table");
  const BooleanTable blocks = random_table(random, 3, 3);
  expect_sees(
      Visibility::blocks(3, blocks), [&](auto i, auto j) { return blocks(i / 3, j / 3); }, "blocks");
  expect_sees(
      Visibility::where([](auto i, auto j) { return (i + j) % 2 == 0; }),
      [](auto i, auto j) { return (i + j) % 2 == 0; }, "function");
}

TEST(Visibility, MasksCombineAsBooleans) {
  Random random(2);
  const std::vector<Visibility> masks = {Mask::none,
                                         Mask::future,
                                         Mask::strict_past,
                                         Visibility::padding(3),
                                         Visibility::window(1, 2),
                                         Visibility::table(random_table(random, 9, 7))};
  for (const Visibility& a : masks) {
    for (const Visibility& b : masks) {
      expect_sees(
          a & b, [&](auto i, auto j) { return a.allows(i, j) && b.allows(i, j); }, "and");
      expect_sees(
          a | b, [&](auto i, auto j) { return a.allows(i, j) || b.allows(i, j); }, "or");
      expect_sees(
          a & !b, [&](auto i, auto j) { return a.allows(i, j) && !b.allows(i, j); }, "and not");
    }
  }
}

TEST(Visibility, IntervalMasksStaySolidUnderIntersection) {
  EXPECT_TRUE((Visibility(Mask::future) & Visibility::padding(3) & Visibility::window(5, 0)).solid());
  EXPECT_FALSE((Visibility(Mask::future) | Visibility::padding(3)).solid());
}

TEST(Visibility, BlocksOfNothingAreRefused) { EXPECT_THROW(Visibility::blocks(0, {}), UserError); }

}  // namespace
}  // namespace quench::attention
