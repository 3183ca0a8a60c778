// The number formats a model can be run and certified in: how values are stored and in what the sums are formed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/named_enum.h"

namespace quench {

/// A binary floating-point format. Rounding is to nearest, ties to even; subnormals are kept.
struct FloatFormat {
  int precision;     ///< significant bits, the hidden one included
  int min_exponent;  ///< exponent of the smallest normal number, 2^min_exponent
  double max_finite;
  bool has_infinity;  ///< false (f8e4m3): overflow gives NaN
};

/// The formats that engines have: X(format, name, storage, compute). Weights and activations are stored in the first;
/// q·k, softmax and sums are formed in the second: float32 for bf16 and f16 as fused kernels do, the format itself else.
#define QUENCH_ENGINE_FORMATS(X)                       \
  X(f64, "f64", kDouble, kDouble)                      \
  X(f32, "f32", kSingle, kSingle)                      \
  X(bf16, "bf16", kBfloat16, kSingle)                  \
  X(f16, "f16", kHalf, kSingle)                        \
  X(bf16_pure, "bf16-pure", kBfloat16, kBfloat16)      \
  X(f16_pure, "f16-pure", kHalf, kHalf)                \
  X(f8e4m3, "f8e4m3", kFloat8E4M3, kFloat8E4M3)        \
  X(f8e5m2, "f8e5m2", kFloat8E5M2, kFloat8E5M2)

/// Emulated ones, for study: every elementary operation rounds to 8 … 20 significant bits, exponents range as in f32.
/// The proofs that give f64 its lengths give these short ones, which words can reach.
#define QUENCH_EMULATED_FORMATS(X)             \
  X(m8, "m8", kEmulated[0], kEmulated[0])      \
  X(m9, "m9", kEmulated[1], kEmulated[1])      \
  X(m10, "m10", kEmulated[2], kEmulated[2])    \
  X(m11, "m11", kEmulated[3], kEmulated[3])    \
  X(m12, "m12", kEmulated[4], kEmulated[4])    \
  X(m13, "m13", kEmulated[5], kEmulated[5])    \
  X(m14, "m14", kEmulated[6], kEmulated[6])    \
  X(m15, "m15", kEmulated[7], kEmulated[7])    \
  X(m16, "m16", kEmulated[8], kEmulated[8])    \
  X(m17, "m17", kEmulated[9], kEmulated[9])    \
  X(m18, "m18", kEmulated[10], kEmulated[10])  \
  X(m19, "m19", kEmulated[11], kEmulated[11])  \
  X(m20, "m20", kEmulated[12], kEmulated[12])

#define QUENCH_NUMBER_FORMATS(X) QUENCH_ENGINE_FORMATS(X) QUENCH_EMULATED_FORMATS(X)
QUENCH_NAMED_ENUM(NumberFormat, QUENCH_NUMBER_FORMATS)
#define QUENCH_FORMAT_CASE(format, ...) case ::quench::NumberFormat::format:

inline std::string_view to_string(NumberFormat format) { return name_of(format); }
inline std::optional<NumberFormat> number_format_from(std::string_view text) { return from_name<NumberFormat>(text); }
/// Those that engines have, without the emulated ones …
const std::vector<NumberFormat>& all_number_formats();
/// … and those.
const std::vector<NumberFormat>& emulated_number_formats();

const FloatFormat& storage_format(NumberFormat format);
const FloatFormat& compute_format(NumberFormat format);

/// `x` rounded to the format. A double operation on values of a format of at most 24 bits, then rounded, is the
/// correctly rounded operation of that format (53 ≥ 2·24 + 2), so emulation by doubles is exact for + − × ÷ √.
double round_to(const FloatFormat& format, double x);

}  // namespace quench
