#include "run/structured/methods/columns.h"

#include <algorithm>
#include <cmath>

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

constexpr std::size_t kBlockOfColumn = 1024;  // positions that are looked at before it is seen whether to go on

QUENCH_MULTIVERSION std::int64_t count_others(const double* x, std::size_t count, double a, double b) {
  std::int64_t others = 0;
  for (std::size_t p = 0; p < count; ++p) others += static_cast<std::int64_t>((x[p] != a) & (x[p] != b));
  return others;
}

bool has_others(const double* x, std::size_t count, double a, double b) {
  for (std::size_t p = 0; p < count; p += kBlockOfColumn)
    if (count_others(x + p, std::min(kBlockOfColumn, count - p), a, b) > 0) return true;
  return false;
}

}  // namespace

const double* Columns::q(std::size_t l, std::size_t first, std::size_t count) {
  const double* plain = column(work_.q[l], first, count, q_);
  if (even_) return plain;
  if (plain != q_.data()) q_.assign(plain, plain + count);
  multiply(work_.scale.data() + first, count, q_.data());
  return q_.data();
}

const double* Columns::column(const Plane& plane, std::size_t first, std::size_t count, std::vector<double>& gathered) {
  if (work_.words == 1) return plane.data() + first;
  gathered.resize(count);
  for (std::size_t p = 0; p < count; ++p) gathered[p] = plane[(first + p) * work_.words + word_];
  return gathered.data();
}

TwoValues first_two_values(const double* x, std::size_t count) {
  const double* other = std::find_if(x, x + count, [&](double y) { return y != x[0]; });
  if (other == x + count) return {x[0], x[0]};
  return {std::min(x[0], *other), std::max(x[0], *other)};
}

bool mark_two_values(const double* x, std::size_t count, const TwoValues& values, std::uint64_t bit,
                     std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; p += kBlockOfColumn) {
    const std::size_t size = std::min(kBlockOfColumn, count - p);
    if (count_others(x + p, size, values.low, values.high) > 0) {
      for (std::size_t marked = 0; marked < p; ++marked) codes[marked] &= ~bit;
      return false;
    }
    mark_equal(x + p, size, values.high, bit, codes + p);
  }
  return true;
}

bool all_equal(const double* x, std::size_t count) { return !has_others(x, count, x[0], x[0]); }

std::size_t count_equal(const double* x, std::size_t count, double value) {
  return count - static_cast<std::size_t>(count_others(x, count, value, value));
}

QUENCH_MULTIVERSION void mark_equal(const double* x, std::size_t count, double high, std::uint64_t bit,
                                    std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= x[p] == high ? bit : 0;
}
QUENCH_MULTIVERSION void mark_positive(const double* x, std::size_t count, std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= x[p] > 0 ? bit : 0;
}
QUENCH_MULTIVERSION void mark_small(const double* x, std::size_t count, double span, double least, std::uint64_t bit,
                                    std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= std::fabs(x[p]) * span < least ? bit : 0;
}
QUENCH_MULTIVERSION void mark_unequal(const double* x, std::size_t count, double span, const double* should,
                                      std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t p = 0; p < count; ++p) codes[p] |= std::fabs(x[p]) * span != should[p] ? bit : 0;
}
QUENCH_MULTIVERSION void set_sizes(const double* x, std::size_t count, double span, double* to) {
  for (std::size_t p = 0; p < count; ++p) to[p] = std::fabs(x[p]) * span;
}
QUENCH_MULTIVERSION void add_multiple(const double* x, std::size_t count, double factor, double* to) {
  for (std::size_t p = 0; p < count; ++p) to[p] += factor * x[p];
}
QUENCH_MULTIVERSION void add_positive_multiple(const double* x, std::size_t count, double factor, double* to) {
  for (std::size_t p = 0; p < count; ++p) to[p] += factor * x[p] > 0 ? factor * x[p] : 0;
}

}  // namespace quench::run
