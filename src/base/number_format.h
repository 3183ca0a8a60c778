// The number formats a model can be run and certified in: how values are stored and in what the sums are formed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace quench {

/// A binary floating-point format. Rounding is to nearest, ties to even; subnormals are kept.
struct FloatFormat {
  int precision;     ///< significant bits, the hidden one included
  int min_exponent;  ///< exponent of the smallest normal number, 2^min_exponent
  double max_finite;
  bool has_infinity;  ///< false (f8e4m3): overflow gives NaN
};

/// m8 … m20 are emulated, for study: every elementary operation rounds to 8 … 20 significant bits, exponents range as
/// in f32. The proofs that give f64 its lengths give these short ones, which words can reach.
enum class NumberFormat : std::uint8_t {
  f64,
  f32,
  bf16,
  f16,
  bf16_pure,
  f16_pure,
  f8e4m3,
  f8e5m2,
  m8,
  m9,
  m10,
  m11,
  m12,
  m13,
  m14,
  m15,
  m16,
  m17,
  m18,
  m19,
  m20
};

std::string_view to_string(NumberFormat format);
std::optional<NumberFormat> number_format_from(std::string_view text);
/// Those that engines have, without the emulated ones …
const std::vector<NumberFormat>& all_number_formats();
/// … and those.
const std::vector<NumberFormat>& emulated_number_formats();

/// Weights and activations are stored in this …
const FloatFormat& storage_format(NumberFormat format);
/// … and q·k, softmax and sums are formed in this: float32 for bf16 and f16 as fused kernels do, the format itself
/// else.
const FloatFormat& compute_format(NumberFormat format);

/// `x` rounded to the format. A double operation on values of a format of at most 24 bits, then rounded, is the
/// correctly rounded operation of that format (53 ≥ 2·24 + 2), so emulation by doubles is exact for + − × ÷ √.
double round_to(const FloatFormat& format, double x);

}  // namespace quench
