// Numbers of the checker: Arb balls with 192 bits. Sums and products of weights and thresholds are exact at that size;
// comparisons are true only if they are certain.
#pragma once

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include <climits>

#include "base/number/number_format.h"

namespace quench::check {

class Number {
 public:
  Number() { arb_init(x_); }
  Number(double value) : Number() { arb_set_d(x_, value); }  // NOLINT: numbers are numbers
  Number(const Number& other) : Number() { arb_set(x_, other.x_); }
  Number& operator=(const Number& other) {
    arb_set(x_, other.x_);
    return *this;
  }
  ~Number() { arb_clear(x_); }

  static Number two_to(long exponent) {
    Number result(1);
    arb_mul_2exp_si(result.x_, result.x_, exponent);
    return result;
  }

  friend Number operator+(const Number& a, const Number& b) { return by(arb_add, a, b); }
  friend Number operator-(const Number& a, const Number& b) { return by(arb_sub, a, b); }
  friend Number operator*(const Number& a, const Number& b) { return by(arb_mul, a, b); }
  friend Number operator/(const Number& a, const Number& b) { return by(arb_div, a, b); }
  Number& operator+=(const Number& b) { return *this = *this + b; }
  friend bool operator<=(const Number& a, const Number& b) { return arb_le(a.x_, b.x_) != 0; }
  friend bool operator<(const Number& a, const Number& b) { return arb_lt(a.x_, b.x_) != 0; }
  friend bool operator==(const Number& a, const Number& b) { return arb_eq(a.x_, b.x_) != 0; }
  friend Number min(const Number& a, const Number& b) { return by(arb_min, a, b); }
  friend Number max(const Number& a, const Number& b) { return by(arb_max, a, b); }
  Number absolute() const {
    Number result;
    arb_abs(result.x_, x_);
    return result;
  }
  Number exponential() const {
    Number result;
    arb_exp(result.x_, x_, kBits);
    return result;
  }
  Number logarithm() const {
    Number result;
    arb_log(result.x_, x_, kBits);
    return result;
  }
  Number root() const {
    Number result;
    arb_sqrt(result.x_, x_, kBits);
    return result;
  }
  Number power(unsigned exponent) const {
    Number result;
    arb_pow_ui(result.x_, x_, exponent, kBits);
    return result;
  }

  /// An order of all numbers, even of those that overlap: by their middles.
  friend bool before(const Number& a, const Number& b) { return arf_cmp(arb_midref(a.x_), arb_midref(b.x_)) < 0; }

  bool zero() const { return arb_is_zero(x_) != 0; }
  bool whole() const { return arb_is_int(x_) != 0; }
  bool finite() const { return arb_is_finite(x_) != 0; }
  Number floor() const {
    Number result;
    arb_floor(result.x_, x_, kBits);
    return result;
  }
  /// The upper end, as an exact number.
  Number top() const {
    Number result;
    arb_get_ubound_arf(arb_midref(result.x_), x_, kBits);
    return result;
  }
  /// For conversions from other kinds of numbers.
  arb_ptr data() { return x_; }
  static constexpr long bits() { return kBits; }

  double to_double() const { return arf_get_d(arb_midref(x_), ARF_RND_NEAR); }
  /// The least k with upper end ≤ 2^k, of what is not negative; of 0 less than of any other number, of what has no
  /// upper end more.
  long binade() const {
    constexpr long kBeyondAll = LONG_MAX / 4;
    const Number end = top();
    if (end.zero()) return -kBeyondAll;
    if (!end.finite()) return kBeyondAll;
    const long k = arf_abs_bound_lt_2exp_si(arb_midref(end.x_));
    return arf_cmpabs_2exp_si(arb_midref(end.x_), k - 1) == 0 ? k - 1 : k;
  }

 private:
  static constexpr long kBits = 192;
  static Number by(void (*operation)(arb_t, const arb_t, const arb_t, slong), const Number& a, const Number& b) {
    Number result;
    operation(result.x_, a.x_, b.x_, kBits);
    return result;
  }
  arb_t x_;
};

}  // namespace quench::check
