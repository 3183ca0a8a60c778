// Number formats, engines and ways to sum: what a model is run in, and what certificates speak of.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <quench/error.h>

namespace quench::api {

/// How values are stored. In bf16 and f16 products and sums are formed in float32, as fused kernels do it; `_pure` ones
/// and all that follow round every elementary operation. m8 … m20 have so many significant bits; they are emulated, for
/// study.
enum class Format : std::uint8_t {
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

/// "f32", "bf16-pure": as on the command line and in certificates.
std::string_view name_of(Format format);
std::optional<Format> format_from(std::string_view name);
/// All of them, in their order.
std::vector<Format> all_formats();

/// What runs the network. `automatic` is `structured` (linear time) where the format and the weighting allow it,
/// otherwise `reference` (the definition, every format); `dense` computes every pair of positions. `bits` computes no
/// attention at all: the formula answers for the network, where a certificate proves that they agree.
enum class Engine : std::uint8_t { automatic, reference, dense, structured, bits };

/// How an engine is assumed to form sums over positions, from the weakest assumption to the strongest.
enum class Summation : std::uint8_t {
  any,             ///< in any order; weights may be normalised before they are summed
  normalise_last,  ///< in any order; the sum of weighted values is divided by the sum of weights
  exact_count,     ///< exactly, or in a wider format, and rounded once; then divided
};
std::string_view name_of(Summation summation);

}  // namespace quench::api
