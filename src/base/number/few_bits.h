// Whole numbers that narrow formats have.
#pragma once

#include <algorithm>
#include <cmath>

namespace quench {

/// The least whole number from x ≥ 1 on that has so many significant bits.
inline double rounded_up_to_bits(double x, int bits) {
  const double grid = std::exp2(std::max(0.0, std::floor(std::log2(x)) - (bits - 1)));
  return std::ceil(x / grid) * grid;
}

}  // namespace quench
