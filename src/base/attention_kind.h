// What an attention head is, as plain data: its mask, its weighting function and its temperature formula.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "base/named_enum.h"

namespace quench {

/// Which keys j a query i may see. Strict masks can leave a row empty; its result is then the zero vector.
#define QUENCH_MASKS(X)                         \
  X(none, "none")                   /* all j */ \
  X(future, "future")               /* j ≤ i */ \
  X(past, "past")                   /* j ≥ i */ \
  X(strict_future, "strict_future") /* j < i */ \
  X(strict_past, "strict_past")     /* j > i */
QUENCH_NAMED_ENUM(Mask, QUENCH_MASKS)

/// Definitions 2 and 3 of the paper. `soft` is softmax_τ; of the keys that tie at the top, lhardmax takes the first,
/// rhardmax the last, and ahardmax shares the weight among all of them.
#define QUENCH_WEIGHTINGS(X) X(soft, "soft") X(lhardmax, "lhardmax") X(rhardmax, "rhardmax") X(ahardmax, "ahardmax")
QUENCH_NAMED_ENUM(Weighting, QUENCH_WEIGHTINGS)

/// τ(i, n) of a head, written as in the model file; N = 2^⌈log₂ n⌉.
#define QUENCH_TEMPERATURES(X)                \
  X(one, "1")                                 \
  X(inverse_n, "1/n")                         \
  X(inverse_i, "1/i")                         \
  X(inverse_i_sq, "1/i^2")                    \
  X(inverse_power, "1/N")                     \
  X(inverse_n_cubed_log, "1/(n^3 ln(n+1))")   \
  X(inverse_log, "1/ln(n+1)")                 \
  X(inverse_n_log, "1/(n ln(n+1))")           \
  X(inverse_n_sq_log, "1/(n^2 ln(n+1))")
QUENCH_NAMED_ENUM(Temperature, QUENCH_TEMPERATURES)

/// Whether τ(i, n) differs between words of different lengths.
bool depends_on_length(Temperature temperature);

inline std::string_view to_string(Mask mask) { return name_of(mask); }
inline std::string_view to_string(Weighting weighting) { return name_of(weighting); }
inline std::string_view to_string(Temperature temperature) { return name_of(temperature); }
inline std::optional<Mask> mask_from(std::string_view text) { return from_name<Mask>(text); }
inline std::optional<Weighting> weighting_from(std::string_view text) { return from_name<Weighting>(text); }
inline std::optional<Temperature> temperature_from(std::string_view text) { return from_name<Temperature>(text); }

/// The keys visible from query i in a word of length n, as a 1-based inclusive range; empty if first > last.
struct KeyRange {
  std::size_t first, last;
};
KeyRange visible(Mask mask, std::size_t i, std::size_t n);

/// N = 2^⌈log₂ n⌉, the power of two at or above n ≥ 1.
std::size_t power_above(std::size_t n);

}  // namespace quench
