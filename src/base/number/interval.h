// Closed intervals of doubles that enclose: ends are exact where a double holds them, and rounded outward otherwise, in
// one of the ways of base/number/outward.h.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/number/outward.h"

namespace quench {

template <class Rounding>
struct BasicInterval {
  double low = 0, high = 0;

  bool is_point() const { return low == high; }
  double magnitude() const { return std::fmax(std::fabs(low), std::fabs(high)); }
  friend BasicInterval operator+(const BasicInterval& a, const BasicInterval& b) {
    return {Rounding::add_down(a.low, b.low), Rounding::add_up(a.high, b.high)};
  }
  friend BasicInterval operator*(double factor, const BasicInterval& a) {
    const double one = factor < 0 ? a.high : a.low, other = factor < 0 ? a.low : a.high;
    return {Rounding::multiply_down(factor, one), Rounding::multiply_up(factor, other)};
  }
  friend BasicInterval operator*(const BasicInterval& a, const BasicInterval& b) {
    return {std::min({Rounding::multiply_down(a.low, b.low), Rounding::multiply_down(a.low, b.high),
                      Rounding::multiply_down(a.high, b.low), Rounding::multiply_down(a.high, b.high)}),
            std::max({Rounding::multiply_up(a.low, b.low), Rounding::multiply_up(a.low, b.high),
                      Rounding::multiply_up(a.high, b.low), Rounding::multiply_up(a.high, b.high)})};
  }
  friend BasicInterval hull(const BasicInterval& a, const BasicInterval& b) {
    return {std::fmin(a.low, b.low), std::fmax(a.high, b.high)};
  }
  friend BasicInterval relu(const BasicInterval& a) { return {std::fmax(a.low, 0.0), std::fmax(a.high, 0.0)}; }
  friend bool operator==(const BasicInterval&, const BasicInterval&) = default;
};

}  // namespace quench
