#include "run/head_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/lanes.h"

namespace quench::run {

namespace {

/// Counted in integers, which vectorises: a number is infinite or NaN iff its exponent bits are all ones.
QUENCH_LANES std::uint64_t count_not_finite(const double* x, std::size_t count) {
  constexpr std::uint64_t kExponent = 0x7ffULL << 52;
  std::uint64_t bad = 0;
  for (std::size_t p = 0; p < count; ++p) bad += (std::bit_cast<std::uint64_t>(x[p]) & kExponent) == kExponent ? 1 : 0;
  return bad;
}

}  // namespace

double negligible(const HeadWork& work) {
  constexpr double kLn2 = 0.6931471805599454;  // rounded up
  return (work.precision + 3) * kLn2 + std::log(static_cast<double>(work.n));
}

bool all_finite(const Plane& plane) { return count_not_finite(plane.data(), plane.size()) == 0; }

bool values_are_finite(const HeadWork& work) { return std::all_of(work.v.begin(), work.v.end(), all_finite); }

}  // namespace quench::run
