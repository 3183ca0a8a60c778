#include "run/structured/methods/head_work.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void drop_below(double least, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] = x[p] < least && -x[p] < least ? 0.0 : x[p];
}

}  // namespace

QUENCH_MULTIVERSION void multiply(const double* by, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] *= by[p];
}

// As integers, sizes have the same order; so the loops vectorise.
QUENCH_MULTIVERSION double greatest_size(const double* x, std::size_t count) {
  std::int64_t most = 0;
  for (std::size_t p = 0; p < count; ++p)
    most = std::max(most, std::bit_cast<std::int64_t>(x[p]) & std::numeric_limits<std::int64_t>::max());
  return std::bit_cast<double>(std::min(most, std::int64_t{0x7ff} << 52));
}
QUENCH_MULTIVERSION double greatest_size(const float* x, std::size_t count) {
  std::int32_t most = 0;
  for (std::size_t p = 0; p < count; ++p)
    most = std::max(most, std::bit_cast<std::int32_t>(x[p]) & std::numeric_limits<std::int32_t>::max());
  return static_cast<double>(std::bit_cast<float>(std::min(most, std::int32_t{0xff} << 23)));
}

void drop_subnormal_means(HeadWork& work) {
  const double least = work.precision == 24 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  for (Plane& plane : work.out) drop_below(least, plane.size(), plane.data());
}

double negligible(int precision, std::size_t n) {
  constexpr double kLn2 = 0.6931471805599454;  // rounded up
  return (precision + 3) * kLn2 + std::log(static_cast<double>(n));
}

bool all_finite(const Plane& plane) { return std::isfinite(greatest_size(plane.data(), plane.size())); }

bool values_are_finite(HeadWork& work) {
  for (std::size_t x = 0; x < work.v.size(); ++x)
    if (work.v_columns.empty() ? !all_finite(work.need_v(x)) : !std::isfinite(work.v_columns[x]->size)) return false;
  return true;
}

}  // namespace quench::run
