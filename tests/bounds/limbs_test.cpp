// [Q-limbs]: the plan's arithmetic, step by step in whole numbers of 128 bits, is the clipped sum, and never exceeds
// 2^p.
#include "bounds/limbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/number/int128.h"
#include "base/number/random.h"

namespace quench {
namespace {

Int128 within(Int128 x, Int128 low, Int128 high) { return std::max(low, std::min(x, high)); }

/// Counts are how often each Boolean holds; no more than n.
struct Limbs {
  const bounds::LimbPlan& plan;
  const std::vector<double>& coefficients;
  Int128 most = 0;  ///< that any number came to

  Int128 clipped(const std::vector<Int128>& counts, Int128 n) {
    Int128 total = 0;
    for (std::size_t k = plan.count; k-- > 0;) {
      Int128 sum = 0;
      for (std::size_t c = 0; c < counts.size(); ++c)
        sum += static_cast<Int128>(plan.digit(coefficients[c], k)) * counts[c];
      see(sum);
      const auto weight = static_cast<Int128>(plan.weight[k]);
      const auto above = static_cast<Int128>(plan.above[k]), below = static_cast<Int128>(plan.below[k]);
      if (!plan.from_the_top) {
        total += weight * (plan.count == 1 ? sum : within(sum, 0, above));
      } else {
        total = sum + weight * total;
        see(total + below);
        see(total - above);
        if (k > 0) total = within(total, -below, above);
      }
      see(total);
    }
    see(total - n - 1);
    return within(total, 0, n + 1);
  }
  void see(Int128 x) { most = std::max(most, x < 0 ? -x : x); }
};

void check_plan(const std::vector<double>& coefficients, double length, int p, Random& random) {
  const auto plan = bounds::limb_plan(coefficients, length, p);
  ASSERT_TRUE(plan.has_value()) << length << " " << p;
  Limbs limbs{*plan, coefficients};
  const auto longest = static_cast<std::int64_t>(length);
  for (int trial = 0; trial < 40; ++trial) {
    const std::int64_t n = trial < 10 ? longest : random.between(1, longest);
    std::vector<Int128> counts;
    Int128 exact = 0;
    for (const double c : coefficients) {
      const auto kind = trial < 4 ? static_cast<std::uint64_t>(trial) : random.below(4);  // all, none, few, many
      const std::int64_t count = kind == 0   ? n
                                 : kind == 1 ? 0
                                 : kind == 2 ? random.between(0, std::min<std::int64_t>(n, 3))
                                             : random.between(0, n);
      counts.push_back(count);
      exact += static_cast<Int128>(c) * count;
    }
    // Adversarial: the first Boolean with a coefficient of the other sign all but cancels the rest.
    for (std::size_t c = 0; trial % 2 == 1 && c < coefficients.size(); ++c)
      if ((coefficients[c] < 0) != (exact < 0) && exact != 0) {
        const auto unit = static_cast<Int128>(coefficients[c]);
        const Int128 wanted = within(counts[c] - exact / unit, 0, n);
        exact += (wanted - counts[c]) * unit;
        counts[c] = wanted;
      }
    EXPECT_TRUE(limbs.clipped(counts, n) == within(exact, 0, n + 1)) << length << " " << p << " " << n;
  }
  EXPECT_LE(static_cast<double>(limbs.most), std::exp2(p));
}

TEST(Limbs, AddUpToTheClippedSum) {
  Random random(1);
  for (const int p : {24, 53})
    for (const double length : {4.0, 64.0, 1024.0, 65536.0, 1048576.0})
      for (int trial = 0; trial < 60; ++trial) {
        std::vector<double> coefficients;
        const bool with_signs = trial % 2 == 1;
        for (int b = static_cast<int>(1 + random.below(22)); b-- > 0;) {
          const double size =
              trial % 3 == 0 ? std::exp2(b) : std::floor(std::exp2(static_cast<double>(random.below(20))));
          coefficients.push_back(with_signs && random.chance(0.5) ? -size : size);
        }
        if (bounds::limb_plan(coefficients, length, p)) check_plan(coefficients, length, p, random);
      }
}

std::vector<double> bits_and_opposites(int bits, bool both) {
  std::vector<double> result;
  for (int b = 0; b < bits; ++b) {
    result.push_back(std::exp2(b));
    if (both) result.push_back(-std::exp2(b));
  }
  return result;
}

/// Numbers of size N, with and without signs, up to the lengths that docs/theory-exact.md says.
TEST(Limbs, ReachTheseLengths) {
  Random random(2);
  for (const bool both : {false, true}) {
    const int longest = both ? 21 : 22;
    for (int bits = 2; bits <= longest; ++bits)
      check_plan(bits_and_opposites(bits + 1, both), std::exp2(bits), 24, random);
    EXPECT_FALSE(bounds::limb_plan(bits_and_opposites(longest + 2, both), std::exp2(longest + 1), 24).has_value());
    EXPECT_TRUE(bounds::limb_plan(bits_and_opposites(longest + 2, both), std::exp2(longest + 1), 53).has_value());
  }
  const auto plan = bounds::limb_plan(bits_and_opposites(21, false), 0x1p20, 24);
  EXPECT_EQ(plan->width, 4);
  EXPECT_EQ(plan->count, 6u);
  EXPECT_EQ(bounds::limb_plan(bits_and_opposites(21, true), 0x1p20, 24)->width, 2);
}

/// The bounds are no looser than they have to be: a limb that is cut off two earlier is missed.
TEST(Limbs, AreCutOffNoEarlierThanTheyMayBe) {
  const std::vector<double> coefficients = bits_and_opposites(21, true);
  auto plan = *bounds::limb_plan(coefficients, 0x1p20, 24);
  ASSERT_EQ(plan.width, 2);
  plan.above[1] -= 2;
  Limbs limbs{plan, coefficients};
  const Int128 n = 1 << 20;
  bool wrong = false;
  for (Int128 upper = n / 4 - 2; upper <= n / 4 + 2; ++upper)  // T_1 = 4·upper + …, about N, and S_0 = −3N
    for (Int128 one = 0; one < 4; ++one) {
      std::vector<Int128> counts(coefficients.size());
      counts[2 * 4] = upper;                                                        // 2^4
      counts[2 * 2] = one;                                                          // 2^2
      for (int b = 0; b < 2; ++b) counts[static_cast<std::size_t>(2 * b + 1)] = n;  // −1 and −2 everywhere
      wrong = wrong || limbs.clipped(counts, n) != within(16 * upper + 4 * one - 3 * n, 0, n + 1);
    }
  EXPECT_TRUE(wrong);
}

}  // namespace
}  // namespace quench
