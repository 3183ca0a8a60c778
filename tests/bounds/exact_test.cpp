// What docs/theory-exact.md says of sums: up to where they are exact, and how far off they can be.
#include "bounds/exact.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number/random.h"
#include "bounds/rounded.h"

namespace quench {
namespace {

using test::rounded;

TEST(ExactBounds, OfSumsHoldInAnyOrder) {
  Random random(1);
  double nearest = 0;
  for (int trial = 0; trial < 20'000; ++trial) {
    const int p = 8 + static_cast<int>(random.below(6)), way = static_cast<int>(random.below(3));
    std::vector<double> terms(1 + random.below(64));
    double exact = 0, sizes = 0;
    for (double& term : terms) {
      term = static_cast<double>(random.below(std::size_t{1} << random.below(14))) * (random.chance(0.7) ? -1 : 1);
      exact += term;
      sizes += std::fabs(term);
    }
    std::vector<double> sums = terms;  // any two of them are added, until one is left
    while (sums.size() > 1) {
      const std::size_t at = trial % 2 ? 0 : random.below(sums.size() - 1);
      sums[at] = rounded(sums[at] + sums[at + 1], p, way);
      sums.erase(sums.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    }
    const double bound = bounds::any_order_error(static_cast<double>(terms.size()), sizes, p);
    ASSERT_LE(std::fabs(sums[0] - exact), bound);
    if (bound > 0) nearest = std::max(nearest, std::fabs(sums[0] - exact) / bound);
  }
  EXPECT_GT(nearest, 0.05);
}

/// 2^p and then numbers just below 2, each of which is cut off.
TEST(ExactBounds, OfSumsAreNotMuchTooWide) {
  constexpr int p = 12;
  double sum = std::exp2(p), sizes = sum;
  for (int k = 0; k < 63; ++k) {
    sum = rounded(sum + 1.9375, p, 0);
    sizes += 1.9375;
  }
  EXPECT_GT(sizes - sum, bounds::any_order_error(64, sizes, p) / 3);
}

TEST(ExactBounds, SayNothingOfTooManyTerms) {
  EXPECT_TRUE(std::isfinite(bounds::any_order_error(128, 1, 8)));
  EXPECT_TRUE(std::isinf(bounds::any_order_error(129, 1, 8)));
}

TEST(ExactBounds, OfMatchesEndWhereTheBitsDo) {
  EXPECT_TRUE(bounds::equal_match_is_exact(0x1p20, 28, 24));
  EXPECT_FALSE(bounds::equal_match_is_exact(0x1p20, 29, 24));
  EXPECT_FALSE(bounds::equal_match_is_exact(0x1p21, 21, 24));
  EXPECT_EQ(bounds::match_unit(0x1p21, 24), 768);
  EXPECT_EQ(bounds::match_unit(0x1p22, 24), bounds::kEqualUnit);
}

}  // namespace
}  // namespace quench
