// What a position-encoding coordinate holds at position i of a word of length n, as plain data. Throughout,
// N = 2^⌈log₂ n⌉ is the power of two at or above n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/named_enum.h"
#include "base/predicate.h"

namespace quench {

/// The position in base 256 is i = d0 + 256*d1 + 65536*d2 with d2 = ⌊i/65536⌋: each digit is exact in eight bits of
/// mantissa, and 256*d2 as well as its query weight stay within float16. A table holds values by position, whatever n:
/// learned ones, cos(2πi/16), …; a predicate is θ_n(i), or θ_n(0), the same at every position.
#define QUENCH_POSITION_KINDS(X)              \
  X(index, "i")                               \
  X(index_sq, "i^2")                          \
  X(length, "n")                              \
  X(index_length, "i*n")                      \
  X(index_sq_length, "i^2*n")                 \
  X(index_over_length, "i/n")                 \
  X(index_over_length_sq, "(i/n)^2")          \
  X(inverse_index, "1/i")                     \
  X(inverse_remaining, "1/(n-i+1)")           \
  X(alternating, "(-1)^i")                    \
  X(index_over_power, "i/N")                  \
  X(inverse_length, "1/n")                    \
  X(log_index, "log(i)")                      \
  X(log_remaining, "log(n-i+1)")              \
  X(index_alternating, "i*(-1)^i")            \
  X(digit_0, "d0")                            \
  X(digit_1, "d1")                            \
  X(digit_2, "256*d2")                        \
  X(digit_0_over_power, "d0/N")               \
  X(digit_1_over_power, "256*d1/N")           \
  X(digit_2_over_power, "65536*d2/N")         \
  X(table, "table")                           \
  X(predicate, "predicate")                   \
  X(predicate_at_zero, "predicate_at_zero")
QUENCH_NAMED_ENUM(PositionKind, QUENCH_POSITION_KINDS)

struct PositionFormula {
  using Kind = PositionKind;
  Kind kind = Kind::index;
  std::optional<Predicate> predicate = std::nullopt;  ///< of the last two kinds
  std::vector<double> table = {};                     ///< of `table`: the values at 1, 2, …

  auto tie() const { return std::tuple(static_cast<int>(kind), predicate ? predicate->name : std::string()); }
  friend bool operator==(const PositionFormula&, const PositionFormula&) = default;
};

/// "i/n", "(-1)^i", "1/(n-i+1)", "prime(i)", …
std::string to_string(const PositionFormula& formula);
inline std::string_view to_string(PositionKind kind) { return name_of(kind); }
inline std::optional<PositionKind> position_kind_from(std::string_view text) { return from_name<PositionKind>(text); }

}  // namespace quench
