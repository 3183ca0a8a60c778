// A real number in a ball (Arb): what the lemmas compute with. Results are turned into upper bounds at the end.
#pragma once

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include "bounds/upper.h"

namespace quench::bounds {

class Ball {
 public:
  Ball() { arb_init(value_); }
  Ball(double x) : Ball() { arb_set_d(value_, x); }                // NOLINT: numbers are balls
  Ball(const Upper& x) : Ball() { arb_set_arf(value_, x.get()); }  // NOLINT: the bound itself
  Ball(const Ball& other) : Ball() { arb_set(value_, other.value_); }
  Ball& operator=(const Ball& other) {
    arb_set(value_, other.value_);
    return *this;
  }
  ~Ball() { arb_clear(value_); }

  friend Ball operator+(const Ball& a, const Ball& b) { return apply(arb_add, a, b); }
  friend Ball operator-(const Ball& a, const Ball& b) { return apply(arb_sub, a, b); }
  friend Ball operator*(const Ball& a, const Ball& b) { return apply(arb_mul, a, b); }
  friend Ball operator/(const Ball& a, const Ball& b) { return apply(arb_div, a, b); }
  friend Ball exp(const Ball& a) {
    Ball result;
    arb_exp(result.value_, a.value_, kPrecision);
    return result;
  }
  friend Ball log(const Ball& a) {
    Ball result;
    arb_log(result.value_, a.value_, kPrecision);
    return result;
  }
  friend Ball sqrt(const Ball& a) {
    Ball result;
    arb_sqrt(result.value_, a.value_, kPrecision);
    return result;
  }
  friend Ball expm1(const Ball& a) {
    Ball result;
    arb_expm1(result.value_, a.value_, kPrecision);
    return result;
  }

  /// Whether every number of the ball is positive.
  bool is_positive() const { return arb_is_positive(value_) != 0; }

  /// The upper end; infinite if the ball is not finite.
  friend Upper upper_of(const Ball& a) {
    Upper result;
    if (arb_is_finite(a.value_) == 0)
      arf_pos_inf(result.get());
    else
      arb_get_ubound_arf(result.get(), a.value_, kPrecision);
    return result;
  }

 private:
  static constexpr long kPrecision = 128;
  static Ball apply(void (*operation)(arb_t, const arb_t, const arb_t, slong), const Ball& a, const Ball& b) {
    Ball result;
    operation(result.value_, a.value_, b.value_, kPrecision);
    return result;
  }
  arb_t value_;
};

}  // namespace quench::bounds
