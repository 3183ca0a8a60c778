// Rounding a double to a narrower binary format, inline so that executors can fix the format at compile time.
// base/number/number_format.h is the interface by name.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/number/number_format.h"

namespace quench {

inline constexpr FloatFormat kDouble{53, -1022, 0x1.fffffffffffffp1023, true};
inline constexpr FloatFormat kSingle{24, -126, 0x1.fffffep127, true};
inline constexpr FloatFormat kBfloat16{8, -126, 0x1.fep127, true};
inline constexpr FloatFormat kHalf{11, -14, 65504, true};
inline constexpr FloatFormat kFloat8E4M3{4, -6, 448, false};
inline constexpr FloatFormat kFloat8E5M2{3, -14, 57344, true};

/// The exponents of f32 with `precision` significant bits: greatest number (2 − 2^{1−precision})·2^127.
constexpr FloatFormat emulated_format(int precision) {
  return {precision, -126, (2 - 2.0 / static_cast<double>(1 << precision)) * 0x1p127, true};
}
inline constexpr int kFewestEmulatedBits = 8;
inline constexpr std::array<FloatFormat, 13> kEmulated = [] {
  std::array<FloatFormat, 13> formats{};
  for (std::size_t k = 0; k < formats.size(); ++k)
    formats[k] = emulated_format(kFewestEmulatedBits + static_cast<int>(k));
  return formats;
}();

/// `x` rounded to a format of at most 24 bits, ties to even. Adding and subtracting 1.5·2^52 quanta leaves a multiple
/// of the quantum: the double addition does the rounding, subnormals included, because the quantum stops shrinking at
/// min_exponent.
inline double round_narrow(const FloatFormat& format, double x) {
  const double magnitude = std::fabs(x);
  const double overflow =
      format.has_infinity ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  // Also catches infinity; NaN fails the comparison and falls through to stay NaN.
  if (magnitude >= 2 * format.max_finite) return std::copysign(overflow, x);
  int exponent = static_cast<int>((std::bit_cast<std::uint64_t>(magnitude) >> 52)) - 1023;
  if (exponent < format.min_exponent) exponent = format.min_exponent;
  if (exponent > 1023) return x;  // NaN
  const int quantum = exponent - format.precision + 1;
  const double shift = std::bit_cast<double>((static_cast<std::uint64_t>(quantum + 52 + 1023) << 52) | (1ULL << 51));
  const double rounded = (magnitude + shift) - shift;
  return std::copysign(rounded > format.max_finite ? overflow : rounded, x);
}

/// `x` rounded to `format`, which the compiler knows: nothing at all for double, one conversion for float.
template <const FloatFormat& format>
inline double round_as(double x) {
  if constexpr (format.precision == 53) {
    return x;
  } else if constexpr (format.precision == 24) {
    return static_cast<double>(static_cast<float>(x));
  } else {
    return round_narrow(format, x);
  }
}

}  // namespace quench
