// Closed intervals of doubles that enclose: ends are exact where a double holds them and one step outward otherwise (the
// sign of the error of a double sum or product is known exactly from its residual). Ideal values of coordinates, which
// are small integers and thresholds, are nearly always exact.
#pragma once

#include <cmath>
#include <limits>

namespace quench::certify {

namespace outward {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Residuals are exact only away from overflow and underflow; outside, step outward whatever they say.
inline bool tame(double x) { return x == 0 || (std::fabs(x) > 1e-200 && std::fabs(x) < 1e200); }

/// a + b rounded down or up. TwoSum: the residual of a double addition is a double.
inline double add(double a, double b, double toward) {
  const double sum = a + b;
  if (!tame(sum) || !tame(a) || !tame(b)) return std::nextafter(sum, toward);
  const double b_part = sum - a;
  const double residual = (a - (sum - b_part)) + (b - b_part);
  return residual == 0 ? sum : std::nextafter(sum, toward);
}

inline double multiply(double a, double b, double toward) {
  const double product = a * b;
  if (a == 0 || b == 0) return 0;
  if (!tame(product)) return std::nextafter(product, toward);
  return std::fma(a, b, -product) == 0 ? product : std::nextafter(product, toward);
}

}  // namespace outward

struct Interval {
  double low = 0, high = 0;

  bool is_point() const { return low == high; }
  friend bool operator==(const Interval&, const Interval&) = default;
  friend Interval operator+(Interval a, Interval b) {
    return {outward::add(a.low, b.low, -outward::kInfinity), outward::add(a.high, b.high, outward::kInfinity)};
  }
  friend Interval operator*(double w, Interval x) {
    const double one = w < 0 ? x.high : x.low, other = w < 0 ? x.low : x.high;
    return {outward::multiply(w, one, -outward::kInfinity), outward::multiply(w, other, outward::kInfinity)};
  }
};

inline Interval hull(Interval a, Interval b) { return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)}; }
inline double magnitude(Interval x) { return std::fmax(std::fabs(x.low), std::fabs(x.high)); }
inline bool is_integer(double x) { return std::fabs(x) < 0x1p53 && std::trunc(x) == x; }

}  // namespace quench::certify
