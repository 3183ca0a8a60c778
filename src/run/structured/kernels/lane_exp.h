// exp of a non-positive double without branches or calls, so that loops over lanes vectorise whatever the target is.
//
//   x = k ln 2 + r,  k = round(x log₂e),  |r| ≤ ½ ln 2 + 2^−40 < 0.3466;   e^x = 2^k e^r
//
// with e^r = 1 + (r + r²·t(r)), t the Taylor sum to degree 13 by Estrin's scheme: its depth, not its length, is what a
// single exponential waits for.
//
// Errors relative to e^x, u = 2^−53, without fused multiply-add (none is used: -ffp-contract=off).
//   reduction   ln 2 = high + low with high of 34 bits: k·high is exact for |k| ≤ 2^11 and x − k·high is exact
//   (Sterbenz,
//               or k = 0); k·low and the last subtraction lose at most 2^−29·u + |r|u: 0.347u
//   series      what Taylor leaves out and the rounding of its coefficients: 0.048u, by sollya's supnorm
//   evaluation  Estrin's scheme as it stands below: 1.33u, by gappa
//   together    below 1.8u (scripts/prove_exp.py repeats the proofs, tests/run/structured/kernels/lane_exp_test.cpp measures it).
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
  const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
  const double t2 = 0.5 + r * (1.0 / 6), t4 = 1.0 / 24 + r * (1.0 / 120);
  const double t6 = 1.0 / 720 + r * (1.0 / 5040), t8 = 1.0 / 40320 + r * (1.0 / 362880);
  const double t10 = 1.0 / 3628800 + r * (1.0 / 39916800), t12 = 1.0 / 479001600 + r * (1.0 / 6227020800);
  const double tail = ((t2 + t4 * r2) + (t6 + t8 * r2) * r4) + (t10 + t12 * r2) * r8;
  const double sum = 1 + (r + r2 * tail);
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + (1023ULL << 52));
  return x < kLowest ? 0.0 : sum * power;
}

}  // namespace quench::run
