// Randomness addressed by (seed, row, key): the same numbers whatever the order, the tiling or the thread count, so a
// backward pass can ask again instead of remembering.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/number/random.h"

namespace quench::attention {

inline std::uint64_t keyed_bits(std::uint64_t seed, std::uint64_t row, std::uint64_t key) {
  const std::uint64_t by_row = Random(seed ^ (row + 1) * 0xd1342543de82ef95ULL).bits();
  return Random(by_row ^ (key + 1) * 0xaf251af3b0f025b5ULL).bits();
}

/// Uniform in the open interval (0, 1).
inline double keyed_unit(std::uint64_t seed, std::uint64_t row, std::uint64_t key) {
  return (static_cast<double>(keyed_bits(seed, row, key) >> 12) + 0.5) * 0x1.0p-52;
}

/// Standard Gumbel, −ln(−ln U).
inline double keyed_gumbel(std::uint64_t seed, std::uint64_t row, std::uint64_t key) {
  return -std::log(-std::log(keyed_unit(seed, row, key)));
}

}  // namespace quench::attention
