#include "bounds/upper.h"

#include <gtest/gtest.h>

#include <limits>

namespace quench::bounds {
namespace {

const Upper kInfinite(std::numeric_limits<double>::infinity());

TEST(Upper, RoundsUpOrNotAtAll) {
  EXPECT_EQ((Upper(0.5) + Upper(0.25)).to_double(), 0.75);
  const Upper third = Upper(1.0 / 3) * Upper(1.0 / 3);  // 106 bits, which 64 do not hold
  EXPECT_LE(1.0L / 3 * (1.0L / 3) * (1 - 0x1p-52L), static_cast<long double>(third.to_double()));
  EXPECT_GE(third.to_double(), 1.0 / 3 * (1.0 / 3));
}

TEST(Upper, WhatIsNotDefinedIsInfinite) {
  EXPECT_FALSE((Upper(0.0) * kInfinite).is_finite());
  EXPECT_TRUE(kInfinite <= Upper(0.0) * kInfinite);
  EXPECT_TRUE(kInfinite <= Upper(std::numeric_limits<double>::quiet_NaN()));
  const Upper undefined = Upper(0.0) * kInfinite;
  EXPECT_EQ(min(undefined, Upper(2.0)).to_double(), 2);
  EXPECT_FALSE(rounding_error(compute_format(NumberFormat::f32), undefined).is_finite());
}

}  // namespace
}  // namespace quench::bounds
