// A non-negative real known from above: every operation rounds up, and is exact where 64 bits suffice. The error terms
// of certificates are of this type, so that no bound can be lost to rounding. What is not defined, such as 0·∞, is
// bounded by ∞.
#pragma once

#if __has_include(<flint/arf.h>)
#include <flint/arf.h>
#else
#include <arf.h>
#endif

#include "base/number/number_format.h"

namespace quench::bounds {

class Upper {
 public:
  Upper() { arf_init(value_); }
  Upper(double x) : Upper() {  // NOLINT: constants are bounds of themselves
    arf_set_d(value_, x);
    settle();
  }
  Upper(const Upper& other) : Upper() { arf_set(value_, other.value_); }
  Upper(Upper&& other) noexcept : Upper() { arf_swap(value_, other.value_); }
  Upper& operator=(Upper other) noexcept {
    arf_swap(value_, other.value_);
    return *this;
  }
  ~Upper() { arf_clear(value_); }

  Upper& operator+=(const Upper& other) {
    arf_add(value_, value_, other.value_, kBits, ARF_RND_UP);
    settle();
    return *this;
  }
  Upper& operator*=(const Upper& other) {
    arf_mul(value_, value_, other.value_, kBits, ARF_RND_UP);
    settle();
    return *this;
  }
  friend Upper operator+(Upper a, const Upper& b) { return a += b; }
  friend Upper operator*(Upper a, const Upper& b) { return a *= b; }
  friend bool operator<(const Upper& a, const Upper& b) { return arf_cmp(a.value_, b.value_) < 0; }
  friend bool operator<=(const Upper& a, const Upper& b) { return arf_cmp(a.value_, b.value_) <= 0; }
  friend bool operator>(const Upper& a, const Upper& b) { return b < a; }

  bool is_zero() const { return arf_is_zero(value_); }
  bool is_finite() const { return arf_is_finite(value_); }
  /// Rounded up.
  double to_double() const { return arf_get_d(value_, ARF_RND_UP); }
  /// The smallest k with value ≤ 2^k; below every exponent of a number where the value is 0, above all where it is ∞.
  long ceil_log2() const;

  /// Makes what is not a number ∞.
  void settle() {
    if (arf_is_nan(value_)) arf_pos_inf(value_);
  }

  arf_srcptr get() const { return value_; }
  arf_ptr get() { return value_; }

 private:
  static constexpr long kBits = 64;
  arf_t value_;
};

inline const Upper& max(const Upper& a, const Upper& b) { return a < b ? b : a; }
inline const Upper& min(const Upper& a, const Upper& b) { return b < a ? b : a; }

/// 2^exponent, exactly.
Upper power_of_two(long exponent);

/// u = 2^−p: the relative error of one rounding in the normal range.
Upper unit_roundoff(const FloatFormat& format);

/// The absolute error of rounding any real of magnitude at most `magnitude` to the format: half the spacing in the
/// binade (2^{k−1}, 2^k] of the magnitude (2^k itself is representable), but never less than half the smallest
/// subnormal. Monotone in the magnitude. Infinite where the magnitude exceeds the greatest finite number.
Upper rounding_error(const FloatFormat& format, const Upper& magnitude);

/// (1+u)^count − 1, the relative error of `count` roundings in a row.
Upper accumulated(const Upper& u, double count);

}  // namespace quench::bounds
