// What a number format adds to an error, for sums of products in any order. Every elementary operation is off by at
// most u times its result, or by half the smallest subnormal number; m of them in a row by 1.01·m·u while m·u is below
// 1/100.
#pragma once

#include <cstddef>

#include "base/number/number_format.h"
#include "check/facts.h"
#include "check/number.h"

namespace quench::check {

class Rounded {
 public:
  explicit Rounded(NumberFormat format)
      : store_(storage_format(format)),
        unit_(Number::two_to(-compute_format(format).precision)),
        tiny_(Number::two_to(compute_format(format).min_exponent - compute_format(format).precision)),
        greatest_(compute_format(format).max_finite) {
    if (store_.precision == compute_format(format).precision) return;
    store_unit_ = Number::two_to(-store_.precision);
    store_tiny_ = Number::two_to(store_.min_exponent - store_.precision);
  }

  /// So many operations one after the other, on terms whose sizes add up to `size`.
  Number operations(std::size_t count, const Number& size) const {
    const Number m(static_cast<double>(count));
    if (!(m * unit_ < Number(0.01))) throw Rejected("the format is too coarse for sums of so many terms");
    if (!(size < Number(greatest_))) throw Rejected("a sum may overflow");
    return Number(1.01) * m * unit_ * size + m * tiny_;
  }
  /// A value of this size as it is stored.
  Number stored(const Number& size) const {
    if (!(size < Number(store_.max_finite))) throw Rejected("a value may overflow");
    return Number(1.01) * store_unit_ * size + store_tiny_;
  }
  /// How much of a weight may be lost when it is stored, as a share of it.
  Number of_weight(double weight) const {
    if (!(std::fabs(weight) <= store_.max_finite)) throw Rejected("a weight overflows");
    return round_to(store_, weight) == weight ? Number() : Number::two_to(-store_.precision) + tiny_share(weight);
  }
  bool holds(double value) const { return round_to(store_, value) == value; }
  int precision() const { return store_.precision; }
  const Number& unit() const { return unit_; }
  const Number& tiny() const { return tiny_; }

 private:
  Number tiny_share(double weight) const {
    return Number::two_to(store_.min_exponent - store_.precision) / Number(std::fabs(weight));
  }

  const FloatFormat& store_;
  Number unit_, tiny_, store_unit_, store_tiny_;
  double greatest_;
};

}  // namespace quench::check
