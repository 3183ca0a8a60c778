// Which Boolean function of earlier Booleans a coordinate is at positions of one class, as a truth table: enough to see
// that two coordinates agree there (φ and "φ and first" at the first position), which sinks depend on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace quench::certify {

/// A Boolean function of few values, each known by the number it got when it was computed (Value::id). Reduced: it
/// depends on every one of them; they increase. Bit k of an index into the table is the k-th value.
struct LocalFunction {
  std::vector<int> of;
  std::vector<std::uint8_t> table{0};

  static LocalFunction constant(bool x) { return {{}, {static_cast<std::uint8_t>(x)}}; }
  static LocalFunction itself(int id) { return {{id}, {0, 1}}; }
  friend auto operator<=>(const LocalFunction&, const LocalFunction&) = default;
};

inline constexpr std::size_t kMostVariables = 8;

/// The function without variables it does not depend on.
LocalFunction reduced(LocalFunction function);

}  // namespace quench::certify
