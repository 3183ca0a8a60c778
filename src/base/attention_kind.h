// What an attention head is, as plain data: its mask, its weighting function and its temperature formula.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace quench {

/// Which keys j a query i may see. Strict masks can leave a row empty; its result is then the zero vector.
enum class Mask : std::uint8_t { none, future, past, strict_future, strict_past };
// none: all j · future: j ≤ i · past: j ≥ i · strict_future: j < i · strict_past: j > i

/// Definitions 2 and 3 of the paper. `soft` is softmax_τ.
enum class Weighting : std::uint8_t { soft, lhardmax, rhardmax, ahardmax };

/// τ(i, n) of a head, written as in the model file.
enum class Temperature : std::uint8_t {
  one,           // 1
  inverse_n,     // 1/n
  inverse_i,     // 1/i
  inverse_i_sq,  // 1/i^2
  inverse_power,  // 1/N, N = 2^⌈log₂ n⌉
  inverse_n_cubed_log,  // 1/(n^3 ln(n+1))
  inverse_log,           // 1/ln(n+1)
  inverse_n_log,         // 1/(n ln(n+1))
  inverse_n_sq_log,      // 1/(n^2 ln(n+1))
};

/// Whether τ(i, n) differs between words of different lengths.
bool depends_on_length(Temperature temperature);

std::string_view to_string(Mask mask);
std::string_view to_string(Weighting weighting);
std::string_view to_string(Temperature temperature);
std::optional<Mask> mask_from(std::string_view text);
std::optional<Weighting> weighting_from(std::string_view text);
std::optional<Temperature> temperature_from(std::string_view text);

/// The keys visible from query i in a word of length n, as a 1-based inclusive range; empty if first > last.
struct KeyRange {
  std::size_t first, last;
};
KeyRange visible(Mask mask, std::size_t i, std::size_t n);

/// N = 2^⌈log₂ n⌉, the power of two at or above n ≥ 1.
std::size_t power_above(std::size_t n);

}  // namespace quench
