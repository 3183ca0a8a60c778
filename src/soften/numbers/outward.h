// Doubles with directed rounding: results are rounded outward, and only where they are not exact, so that whole numbers
// and short binary fractions stay points and a tie of such scores stays a tie.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace quench::soften {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace outward {

/// The sign of (a + b) − fl(a + b): Knuth's two-sum is exact while nothing overflows.
inline double sum_error(double a, double b, double sum) {
  const double part = sum - a;
  return (a - (sum - part)) + (b - part);
}
/// The sign of a·b − fl(a·b); where the product is so small that its error may underflow, any nonzero value.
inline double product_error(double a, double b, double product, double direction) {
  if (a == 0 || b == 0) return 0;
  if (std::fabs(product) < 1e-280) return direction;
  return std::fma(a, b, -product);
}

inline double up(double value, double error) {
  return error > 0 || error != error ? std::nextafter(value, kInfinity) : value;
}
inline double down(double value, double error) {
  return error < 0 || error != error ? std::nextafter(value, -kInfinity) : value;
}

inline double add_up(double a, double b) { return up(a + b, sum_error(a, b, a + b)); }
inline double add_down(double a, double b) { return down(a + b, sum_error(a, b, a + b)); }
inline double multiply_up(double a, double b) { return up(a * b, product_error(a, b, a * b, 1)); }
inline double multiply_down(double a, double b) { return down(a * b, product_error(a, b, a * b, -1)); }

}  // namespace outward

/// A non-negative number known from above.
struct Up {
  double value = 0;
  Up() = default;
  Up(double x) : value(x) {}  // NOLINT: a number bounds itself
  friend Up operator+(Up a, Up b) {
    return std::isinf(a.value) || std::isinf(b.value) ? Up(kInfinity) : Up(outward::add_up(a.value, b.value));
  }
  friend Up operator*(Up a, Up b) {
    if (a.value == 0 || b.value == 0) return {};
    return std::isinf(a.value) || std::isinf(b.value) ? Up(kInfinity) : Up(outward::multiply_up(a.value, b.value));
  }
  Up& operator+=(Up b) { return *this = *this + b; }
};

struct Interval {
  double low = 0, high = 0;

  bool is_point() const { return low == high; }
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
  friend Interval operator+(const Interval& a, const Interval& b) {
    return {outward::add_down(a.low, b.low), outward::add_up(a.high, b.high)};
  }
  friend Interval operator*(double factor, const Interval& a) {
    return factor >= 0 ? Interval{outward::multiply_down(factor, a.low), outward::multiply_up(factor, a.high)}
                       : Interval{outward::multiply_down(factor, a.high), outward::multiply_up(factor, a.low)};
  }
  friend Interval operator*(const Interval& a, const Interval& b) {
    using namespace outward;
    return {std::min({multiply_down(a.low, b.low), multiply_down(a.low, b.high), multiply_down(a.high, b.low),
                      multiply_down(a.high, b.high)}),
            std::max({multiply_up(a.low, b.low), multiply_up(a.low, b.high), multiply_up(a.high, b.low),
                      multiply_up(a.high, b.high)})};
  }
  friend bool operator==(const Interval&, const Interval&) = default;
};

inline Interval hull(const Interval& a, const Interval& b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}
inline Interval relu(const Interval& a) { return {std::max(a.low, 0.0), std::max(a.high, 0.0)}; }

}  // namespace quench::soften
