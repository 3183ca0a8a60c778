// What a number format adds to an error: bounds for sums of products in any order, for storing, for rounded weights.
#pragma once

#include <cmath>

#include "base/number/number_format.h"
#include "soften/numbers/up.h"

namespace quench::soften {

/// How a format rounds; all zero in exact arithmetic.
struct Rounding {
  Up store, sum;              ///< unit roundoffs
  Up store_floor, sum_floor;  ///< half the smallest subnormal
  double greatest = kInfinity, greatest_stored = kInfinity;
  const FloatFormat* storage = nullptr;

  Rounding() = default;
  explicit Rounding(NumberFormat format) : storage(&storage_format(format)) {
    const FloatFormat& compute = compute_format(format);
    sum = std::ldexp(1.0, -compute.precision);
    sum_floor = std::ldexp(1.0, compute.min_exponent - compute.precision);
    greatest = compute.max_finite;
    greatest_stored = storage->max_finite;
    if (storage->precision < compute.precision) {
      store = std::ldexp(1.0, -storage->precision);
      store_floor = std::ldexp(1.0, storage->min_exponent - storage->precision);
    }
  }
  bool exact() const { return storage == nullptr; }
  /// A weight as stored: its relative error.
  Up of_weight(double weight) const {
    return exact() || round_to(*storage, weight) == weight ? Up() : Up(std::ldexp(1.0, -storage->precision));
  }
  /// Forming a sum of so many terms with these magnitudes in all: 1 % covers terms of higher order.
  Up of_sum(std::size_t terms, Up magnitude) const {
    if (exact()) return {};
    return Up(1.01) * Up(static_cast<double>(terms + 1)) * sum * magnitude + Up(static_cast<double>(terms)) * sum_floor;
  }
  Up of_storing(Up magnitude) const { return exact() ? Up() : Up(1.01) * store * magnitude + store_floor; }
};

inline bool is_power_of_two(double x) {
  int exponent = 0;
  return std::fabs(std::frexp(x, &exponent)) == 0.5;
}

}  // namespace quench::soften
