// Unary numerical predicates θ_n(x) as plain data (Definition 19, extended to x = 0). Evaluation is elsewhere, twice and
// independently: oracle/ for the direct semantics, model/ for position encodings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace quench {

/// Integer expression over x and n in postfix order. Comparisons and logic give 0 or 1; `/` and `%` round towards −∞.
/// Arithmetic is on 128-bit integers; overflow and division by zero are the user's error.
struct IntInstruction {
  enum class Op : std::uint8_t {
    constant, x, n,                          // push
    negate, logical_not,                     // unary
    add, subtract, multiply, divide, modulo, // binary
    equal, not_equal, less, less_equal, greater, greater_equal, logical_and, logical_or
  };
  Op op = Op::constant;
  std::int64_t value = 0;  ///< of a constant
  auto tie() const { return std::tuple(static_cast<int>(op), value); }
  friend bool operator==(const IntInstruction&, const IntInstruction&) = default;
};

struct Predicate {
  enum class Kind : std::uint8_t {
    odd, even, mod, prime, square, cube, pow2, triangular, fibonacci,  // of x alone
    first, last,                                                      // x = 1, x = n
    set, expression                                                   // user-defined
  };
  Kind kind = Kind::odd;
  std::string name;                     ///< as printed: "odd", "mod(3,1)", "p"
  std::int64_t modulus = 0, residue = 0;  ///< of mod(m, r): x ≡ r (mod m), m ≥ 1
  std::vector<std::int64_t> members;      ///< of a set: sorted, distinct, ≥ 0
  std::vector<IntInstruction> code;       ///< of an expression

  /// Whether θ_n(x) can depend on n.
  bool depends_on_length() const;
  auto tie() const { return std::tie(name, kind, modulus, residue, members, code); }
  friend bool operator==(const Predicate&, const Predicate&) = default;
};

/// r + mℤ, 0 ≤ r < m: what `odd`, `even` and `mod(m, r)` are true of, so that they make sense of negative numbers too.
struct ResidueClass {
  std::int64_t modulus, residue;
};
/// Nothing for all other predicates.
std::optional<ResidueClass> residue_class(const Predicate& predicate);

}  // namespace quench
