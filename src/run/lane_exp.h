// exp of a non-positive double without branches or calls, so that loops over lanes vectorise whatever the target is.
//
//   x = k ln 2 + r,  k = round(x log₂e),  |r| ≤ ½ ln 2 + 2^−40 < 0.3466;   e^x = 2^k e^r
//
// Errors, u = 2^−53. ln 2 = high + low with high of 34 bits: k·high is exact for |k| ≤ 2^11 and x − k·high is exact
// (Sterbenz, or k = 0); k·low and the last subtraction lose at most 2^−30·u + |r|u. The Taylor sum to degree 13 leaves
// out at most 0.3466^14/14! < 4.2e−18 < 0.04u; Horner's rule loses at most u·(1 + 2|r|e^{|r|}) < 2u on e^r ≥ 0.7.
// Together below 3.5u·e^x, that is 3.5 ulp at worst and mostly 1 (tests/run/lane_exp_test.cpp measures it).
// Below −708, where e^x nears the subnormal numbers, the result is 0. −∞ gives 0.
#pragma once

#include <bit>
#include <cstdint>

namespace quench::run {

inline double lane_exp(double x) {
  constexpr double kLowest = -708, kLog2e = 0x1.71547652b82fep+0, kShifter = 0x1.8p+52;
  constexpr double kLn2High = 0x1.62e42fefap-1, kLn2Low = 0x1.cf79abc9e3b39p-40;
  const double clamped = x < kLowest ? kLowest : x;
  const double shifted = clamped * kLog2e + kShifter;  // k in the low bits of the mantissa
  const double k = shifted - kShifter;
  const double r = (clamped - k * kLn2High) - k * kLn2Low;
  double sum = 1.0 / 6227020800;
  sum = sum * r + 1.0 / 479001600;
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1;
  sum = sum * r + 1;
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + (1023ULL << 52));
  return x < kLowest ? 0.0 : sum * power;
}

}  // namespace quench::run
