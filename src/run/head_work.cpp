#include "run/head_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

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

/// As integers, sizes have the same order.
QUENCH_LANES std::int64_t greatest_size(const double* x, std::size_t count) {
  std::int64_t most = 0;
  for (std::size_t p = 0; p < count; ++p)
    most = std::max(most, std::bit_cast<std::int64_t>(x[p]) & std::numeric_limits<std::int64_t>::max());
  return most;
}

QUENCH_LANES void drop_below(double tiny, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] = x[p] < tiny && -x[p] < tiny ? 0.0 : x[p];
}

}  // namespace

void drop_tiny_means(HeadWork& work) {
  for (std::size_t x = 0; x < work.v.size(); ++x)
    drop_below(kTinyMean * std::bit_cast<double>(greatest_size(work.v[x].data(), work.size())), work.size(),
               work.out[x].data());
}

double negligible(int precision, std::size_t n) {
  constexpr double kLn2 = 0.6931471805599454;  // rounded up
  return (precision + 3) * kLn2 + std::log(static_cast<double>(n));
}

bool all_finite(const Plane& plane) { return count_not_finite(plane.data(), plane.size()) == 0; }

bool values_are_finite(const HeadWork& work) { return std::all_of(work.v.begin(), work.v.end(), all_finite); }

}  // namespace quench::run
