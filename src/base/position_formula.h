// What a position-encoding coordinate holds at position i of a word of length n, as plain data. Throughout,
// N = 2^⌈log₂ n⌉ is the power of two at or above n.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/predicate.h"

namespace quench {

struct PositionFormula {
  enum class Kind : std::uint8_t {
    index,            // i
    index_sq,         // i^2
    length,           // n
    index_length,     // i*n
    index_sq_length,  // i^2*n
    index_over_length,  // i/n
    index_over_length_sq,  // (i/n)^2
    inverse_index,      // 1/i
    inverse_remaining,  // 1/(n-i+1)
    alternating,        // (-1)^i
    index_over_power,   // i/N
    inverse_length,     // 1/n
    log_index,          // log(i)
    log_remaining,      // log(n-i+1)
    index_alternating,  // i*(-1)^i
    // The position in base 256, i = d0 + 256*d1 + 65536*d2 + …: each digit is exact in eight bits of mantissa.
    digit_0,             // d0
    digit_1,             // d1
    digit_2,             // 256*⌊i/65536⌋: both it and its query weight stay within float16
    digit_0_over_power,  // d0/N
    digit_1_over_power,  // 256*d1/N
    digit_2_over_power,  // 65536*⌊i/65536⌋/N
    table,               // values by position, whatever n: learned ones, cos(2πi/16), …
    predicate,          // θ_n(i)
    predicate_at_zero,  // θ_n(0), the same at every position
  };
  Kind kind = Kind::index;
  std::optional<Predicate> predicate = std::nullopt;  ///< of the last two kinds
  std::vector<double> table = {};                     ///< of `table`: the values at 1, 2, …

  auto tie() const { return std::tuple(static_cast<int>(kind), predicate ? predicate->name : std::string()); }
  friend bool operator==(const PositionFormula&, const PositionFormula&) = default;
};

/// "i/n", "(-1)^i", "1/(n-i+1)", "prime(i)", …
std::string to_string(const PositionFormula& formula);
std::string_view to_string(PositionFormula::Kind kind);
std::optional<PositionFormula::Kind> position_kind_from(std::string_view text);

}  // namespace quench
