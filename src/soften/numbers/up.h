// A non-negative number known from above, as a double that is rounded up. bounds/upper.h has the same idea with more
// bits and any exponent, for the few error terms of a certificate; here every entry of every weight matrix has one.
#pragma once

#include <cmath>

#include "base/number/interval.h"

namespace quench::soften {

using outward::kInfinity;
using Outward = outward::Sharp;
using Interval = BasicInterval<Outward>;

struct Up {
  double value = 0;
  Up() = default;
  Up(double x) : value(x) {}  // NOLINT: a number bounds itself
  friend Up operator+(Up a, Up b) {
    return std::isinf(a.value) || std::isinf(b.value) ? Up(kInfinity) : Up(Outward::add_up(a.value, b.value));
  }
  friend Up operator*(Up a, Up b) {
    if (a.value == 0 || b.value == 0) return {};
    return std::isinf(a.value) || std::isinf(b.value) ? Up(kInfinity) : Up(Outward::multiply_up(a.value, b.value));
  }
  Up& operator+=(Up b) { return *this = *this + b; }
};

}  // namespace quench::soften
