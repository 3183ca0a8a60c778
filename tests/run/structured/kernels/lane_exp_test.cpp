// The vectorisable exp stays within the bound derived above it.
#include "run/structured/kernels/lane_exp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/number/random.h"

namespace quench::run {
namespace {

double error_in_units(double x) {
  const long double exact = std::exp(static_cast<long double>(x));  // 64-bit mantissa: its own error is below 0.001u
  return static_cast<double>(std::fabs((static_cast<long double>(lane_exp(x)) - exact) / exact) / 0x1p-53L);
}

TEST(LaneExp, StaysWithinTheProvedUnits) {
  Random random(1);
  double worst = 0;
  for (int k = 0; k < 2'000'000; ++k) {
    const double range = k % 3 == 0 ? 1 : k % 3 == 1 ? 40 : 708;
    worst = std::max(worst, error_in_units(-range * random.unit()));
  }
  for (int k = 0; k <= 1021; ++k)  // around the points where the reduction changes its mind
    for (const double nudge : {-1e-13, 0.0, 1e-13})
      worst = std::max(worst, error_in_units(std::max(-708.0, -(k + 0.5) * 0.6931471805599453 + nudge)));
  EXPECT_LE(worst, 1.8);
  RecordProperty("worst_units", std::to_string(worst));
}

TEST(LaneExp, KnowsTheEnds) {
  EXPECT_EQ(lane_exp(0), 1);
  EXPECT_EQ(lane_exp(-0.0), 1);
  EXPECT_EQ(lane_exp(-709), 0);
  EXPECT_EQ(lane_exp(-std::numeric_limits<double>::infinity()), 0);
  EXPECT_GT(lane_exp(-708), 0);
  EXPECT_EQ(lane_exp(-std::numeric_limits<double>::denorm_min()), 1);
}

}  // namespace
}  // namespace quench::run
