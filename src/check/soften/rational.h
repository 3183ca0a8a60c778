// Exact numbers of the checker (FLINT): what a hard-attention network computes is rational, and whether two scores tie
// has to be known, not enclosed.
#pragma once

#if __has_include(<flint/fmpq.h>)
#include <flint/fmpq.h>
#else
#include <fmpq.h>
#endif

#include <cmath>
#include <cstddef>

#include "check/number.h"

namespace quench::check {

class Rational {
 public:
  Rational() { fmpq_init(x_); }
  Rational(double value) : Rational() {  // NOLINT: numbers are numbers; every finite double is a fraction
    int exponent = 0;
    const double mantissa = std::frexp(value, &exponent);
    fmpz_set_si(fmpq_numref(x_), static_cast<slong>(std::ldexp(mantissa, 53)));
    if (exponent >= 53)
      fmpq_mul_2exp(x_, x_, static_cast<mp_bitcnt_t>(exponent - 53));
    else
      fmpq_div_2exp(x_, x_, static_cast<mp_bitcnt_t>(53 - exponent));
  }
  Rational(const Rational& other) : Rational() { fmpq_set(x_, other.x_); }
  Rational(Rational&& other) noexcept : Rational() { fmpq_swap(x_, other.x_); }
  Rational& operator=(const Rational& other) {
    fmpq_set(x_, other.x_);
    return *this;
  }
  Rational& operator=(Rational&& other) noexcept {
    fmpq_swap(x_, other.x_);
    return *this;
  }
  ~Rational() { fmpq_clear(x_); }

  static Rational quotient(std::size_t a, std::size_t b) {
    Rational result;
    fmpq_set_ui(result.x_, a, b);
    return result;
  }

  friend Rational operator+(const Rational& a, const Rational& b) { return by(fmpq_add, a, b); }
  friend Rational operator-(const Rational& a, const Rational& b) { return by(fmpq_sub, a, b); }
  friend Rational operator*(const Rational& a, const Rational& b) { return by(fmpq_mul, a, b); }
  Rational& operator+=(const Rational& b) {
    fmpq_add(x_, x_, b.x_);
    return *this;
  }
  void add_product(const Rational& a, const Rational& b) { fmpq_addmul(x_, a.x_, b.x_); }
  friend bool operator==(const Rational& a, const Rational& b) { return fmpq_equal(a.x_, b.x_) != 0; }
  friend bool operator<(const Rational& a, const Rational& b) { return fmpq_cmp(a.x_, b.x_) < 0; }

  bool zero() const { return fmpq_is_zero(x_) != 0; }
  bool whole() const { return fmpz_is_one(fmpq_denref(x_)) != 0; }
  Number number() const {
    Number result;
    arb_set_fmpq(result.data(), x_, Number::bits());
    return result;
  }
  Number size() const { return number().absolute(); }

 private:
  static Rational by(void (*operation)(fmpq_t, const fmpq_t, const fmpq_t), const Rational& a, const Rational& b) {
    Rational result;
    operation(result.x_, a.x_, b.x_);
    return result;
  }
  fmpq_t x_;
};

}  // namespace quench::check
