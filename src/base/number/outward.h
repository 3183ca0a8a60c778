// Doubles with directed rounding, in two ways. Both leave results that are exact as they are, so that whole numbers and
// short binary fractions stay what they are.
//
// The error of a rounded sum is a double itself (Knuth's two-sum), and so is that of a product that is far from
// underflow (one fused multiply-add): its sign says whether the exact result is above or below the rounded one. Where
// something overflows the error is not a number, and the result is rounded outward whatever it is.
#pragma once

#include <cmath>
#include <limits>

namespace quench::outward {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Of the sign of (a + b) − fl(a + b).
inline double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}
/// Of the sign of a·b − fl(a·b); `otherwise` where the product is so small that its error may underflow.
inline double product_error(double a, double b, double product, double otherwise) {
  if (a == 0 || b == 0) return 0;
  if (std::fabs(product) < 1e-280) return otherwise;
  return std::fma(a, b, -product);
}

inline double up(double value, double error) {
  return error > 0 || error != error ? std::nextafter(value, kInfinity) : value;
}
inline double down(double value, double error) {
  return error < 0 || error != error ? std::nextafter(value, -kInfinity) : value;
}

/// Steps outward only where the exact result lies outside: the best bound that a double can be.
struct Sharp {
  static double add_up(double a, double b) { return up(a + b, sum_error(a, b, a + b)); }
  static double add_down(double a, double b) { return down(a + b, sum_error(a, b, a + b)); }
  /// 0 times anything is 0, also times what is not bounded.
  static double multiply_up(double a, double b) {
    return a == 0 || b == 0 ? 0 : up(a * b, product_error(a, b, a * b, 1));
  }
  static double multiply_down(double a, double b) {
    return a == 0 || b == 0 ? 0 : down(a * b, product_error(a, b, a * b, -1));
  }
};

/// Steps outward wherever the result is not exact, also where it lies outside already, and far from 1 in any case.
/// Certificates are written with these bounds: a sharper one moves some certified lengths by one.
struct Cautious {
  static double add_up(double a, double b) { return add(a, b, kInfinity); }
  static double add_down(double a, double b) { return add(a, b, -kInfinity); }
  static double multiply_up(double a, double b) { return multiply(a, b, kInfinity); }
  static double multiply_down(double a, double b) { return multiply(a, b, -kInfinity); }

 private:
  static bool tame(double x) { return x == 0 || (std::fabs(x) > 1e-200 && std::fabs(x) < 1e200); }
  static double add(double a, double b, double toward) {
    const double sum = a + b;
    const bool exact = tame(sum) && tame(a) && tame(b) && sum_error(a, b, sum) == 0;
    return exact ? sum : std::nextafter(sum, toward);
  }
  static double multiply(double a, double b, double toward) {
    if (a == 0 || b == 0) return 0;
    const double product = a * b;
    const bool exact = tame(product) && std::fma(a, b, -product) == 0;
    return exact ? product : std::nextafter(product, toward);
  }
};

}  // namespace quench::outward
