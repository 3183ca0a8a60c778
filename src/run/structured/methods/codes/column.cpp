#include "run/structured/methods/codes/column.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/number/multiversion.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION std::int32_t count_others(const float* x, std::size_t count, float a, float b) {
  std::int32_t others = 0;
  for (std::size_t p = 0; p < count; ++p) others += static_cast<std::int32_t>((x[p] != a) & (x[p] != b));
  return others;
}
QUENCH_MULTIVERSION std::int64_t count_others(const double* x, std::size_t count, double a, double b) {
  std::int64_t others = 0;
  for (std::size_t p = 0; p < count; ++p) others += static_cast<std::int64_t>((x[p] != a) & (x[p] != b));
  return others;
}

QUENCH_MULTIVERSION void equals(const float* x, float value, std::size_t count, unsigned char* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = x[p] == value;
}
QUENCH_MULTIVERSION void equals(const double* x, double value, std::size_t count, unsigned char* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = x[p] == value;
}

/// Eight bytes that are 0 or 1, as bits: byte k, at bit 8k, goes to bit 56 + k of the product, and no two meet.
std::uint64_t eight_bits(const unsigned char* bytes) {
  std::uint64_t eight = 0;
  std::memcpy(&eight, bytes, sizeof eight);
  return eight * 0x0102040810204080 >> 56;
}

QUENCH_MULTIVERSION std::size_t count_bits(const std::uint64_t* blocks, std::size_t count) {
  std::size_t ones = 0;
  for (std::size_t b = 0; b < count; ++b) ones += static_cast<std::size_t>(std::popcount(blocks[b]));
  return ones;
}

/// Far apart for products of the same factors, whatever roundings.
bool differ(double x, double y) {
  constexpr double kByRounding = 1e-6;
  return std::fabs(x - y) > kByRounding * std::fmax(std::fabs(x), std::fabs(y));
}

}  // namespace

std::size_t count_ones(const std::uint64_t* blocks, std::size_t count) { return count_bits(blocks, count); }

bool may_be_multiples(const Column& a, const Column& b) {
  if (a.many || b.many) return true;
  const bool a_is_even = a.low == a.high, b_is_even = b.low == b.high;
  if (a_is_even || b_is_even) return a_is_even == b_is_even || (a_is_even ? a.low : b.low) == 0;
  return a.bits == b.bits ? !differ(a.low * b.high, a.high * b.low) : !differ(a.low * b.low, a.high * b.high);
}

void Column::turn(std::size_t n) {
  std::swap(low, high);
  const std::uint64_t none = n % kColumnBits == 0 ? 0 : ~std::uint64_t{0} << n % kColumnBits;
  for (std::size_t b = 0; b < bits.size(); ++b) bits[b] = ~(bits[b] | ((b + 1) % apart == 0 ? none : 0));
  for (std::size_t& count : ones) count = n - count;
}

template <class T>
ColumnMaker<T>::ColumnMaker(std::size_t n, std::size_t words) : n_(n) {
  column_.apart = (n + kColumnBits - 1) / kColumnBits;
  column_.bits.resize(column_.apart * words);
}

/// Other values than those that may be; takes up new ones while there are fewer than two.
template <class T>
bool ColumnMaker<T>::has_others(const T* x, std::size_t count) {
  for (; values_ < 2; value_[values_++] = *x) {
    const T* other = values_ == 0 ? x : std::find_if(x, x + count, [&](T y) { return y != value_[0]; });
    if (other == x + count) return false;
    count -= static_cast<std::size_t>(other - x);
    x = other;
  }
  return count_others(x, count, value_[0], value_[1]) > 0;
}

template <class T>
void ColumnMaker<T>::take(const T* x, std::size_t count, std::size_t word, std::size_t first) {
  column_.size = std::max(column_.size, greatest_size(x, count));
  column_.many = column_.many || has_others(x, count);
  if (column_.many || values_ < 2) return;
  std::uint64_t* bits = column_.bits.data() + word * column_.apart;
  unsigned char high[kColumnBits] = {};
  for (std::size_t end = first + count; first < end;) {
    const std::size_t in = first % kColumnBits, block = std::min(kColumnBits - in, end - first);
    equals(x, value_[1], block, high + in);
    std::fill(high, high + in, 0);
    std::fill(high + in + block, high + kColumnBits, 0);
    for (std::size_t k = 0; k < 8; ++k) bits[first / kColumnBits] |= eight_bits(high + 8 * k) << 8 * k;
    first += block;
    x += block;
  }
}

template <class T>
Column ColumnMaker<T>::made() {
  if (values_ == 1) value_[1] = value_[0];
  column_.low = value_[0];
  column_.high = value_[1];
  if (column_.many || values_ < 2) column_.bits.clear();
  for (auto block = column_.bits.begin(); block != column_.bits.end(); block += static_cast<std::ptrdiff_t>(column_.apart))
    column_.ones.push_back(count_ones(&*block, column_.apart));
  if (column_.low > column_.high) column_.turn(n_);
  return std::move(column_);
}

template class ColumnMaker<float>;
template class ColumnMaker<double>;

}  // namespace quench::run
