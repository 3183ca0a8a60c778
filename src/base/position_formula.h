// What a position-encoding coordinate holds at position i of a word of length n, as plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

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
    predicate,          // θ_n(i)
    predicate_at_zero,  // θ_n(0), the same at every position
  };
  Kind kind = Kind::index;
  std::optional<Predicate> predicate;  ///< of the last two kinds

  auto tie() const { return std::tuple(static_cast<int>(kind), predicate ? predicate->name : std::string()); }
  friend bool operator==(const PositionFormula&, const PositionFormula&) = default;
};

/// "i/n", "(-1)^i", "1/(n-i+1)", "prime(i)", …
std::string to_string(const PositionFormula& formula);
std::string_view to_string(PositionFormula::Kind kind);
std::optional<PositionFormula::Kind> position_kind_from(std::string_view text);

}  // namespace quench
