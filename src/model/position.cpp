#include "model/position.h"

#include <cmath>

#include "base/error.h"

namespace quench::model {

namespace {

__extension__ typedef unsigned __int128 UInt128;  // NOLINT: __extension__ does not apply to `using`

/// i²·n correctly rounded: up to 192 bits. Bits below the top 128 only matter by not being zero.
double square_times(std::size_t i, std::size_t n) {
  const UInt128 square = static_cast<UInt128>(i) * i;
  const UInt128 low = static_cast<UInt128>(static_cast<std::uint64_t>(square)) * n;
  const UInt128 high = static_cast<UInt128>(static_cast<std::uint64_t>(square >> 64)) * n + (low >> 64);
  if (high >> 64 == 0) return static_cast<double>(high << 64 | static_cast<std::uint64_t>(low));
  const UInt128 sticky = static_cast<std::uint64_t>(low) != 0 ? 1 : 0;
  return static_cast<double>(high | sticky) * 0x1.0p64;
}

double predicate_value(const PositionFormula& formula, std::size_t x, std::size_t n) {
  QUENCH_ASSERT(formula.predicate);
  return predicate_holds(*formula.predicate, static_cast<std::int64_t>(x), static_cast<std::int64_t>(n)) ? 1 : 0;
}

double table_value(const PositionFormula& formula, std::size_t i) {
  if (i > formula.table.size())
    throw UserError("a position encoding of this model is a table that ends at position " +
                    std::to_string(formula.table.size()) + "; the word is longer");
  return formula.table[i - 1];
}

double power(std::size_t n) { return static_cast<double>(power_above(n)); }

}  // namespace

// Quotients are those of two doubles, hence correctly rounded for n ≤ 2^53; no word is longer. Logarithms are those of
// the C library, within one unit in the last place.
double position_value(const PositionFormula& formula, std::size_t i, std::size_t n) {
  const auto real_i = static_cast<double>(i), real_n = static_cast<double>(n);
  switch (formula.kind) {
    case PositionFormula::Kind::index:
      return real_i;
    case PositionFormula::Kind::index_sq:
      return static_cast<double>(static_cast<UInt128>(i) * i);
    case PositionFormula::Kind::length:
      return real_n;
    case PositionFormula::Kind::index_length:
      return static_cast<double>(static_cast<UInt128>(i) * n);
    case PositionFormula::Kind::index_sq_length:
      return square_times(i, n);
    case PositionFormula::Kind::index_over_length:
      return real_i / real_n;
    case PositionFormula::Kind::index_over_length_sq:
      return real_i / real_n * (real_i / real_n);
    case PositionFormula::Kind::inverse_index:
      return 1 / real_i;
    case PositionFormula::Kind::inverse_remaining:
      return 1 / static_cast<double>(n - i + 1);
    case PositionFormula::Kind::alternating:
      return i % 2 == 0 ? 1 : -1;
    case PositionFormula::Kind::index_over_power:
      return real_i / power(n);
    case PositionFormula::Kind::inverse_length:
      return 1 / real_n;
    case PositionFormula::Kind::log_index:
      return std::log(real_i);
    case PositionFormula::Kind::log_remaining:
      return std::log(static_cast<double>(n - i + 1));
    case PositionFormula::Kind::index_alternating:
      return i % 2 == 0 ? real_i : -real_i;
    case PositionFormula::Kind::digit_0:
      return static_cast<double>(i % 256);
    case PositionFormula::Kind::digit_1:
      return static_cast<double>(i / 256 % 256);
    case PositionFormula::Kind::digit_2:
      return 256 * static_cast<double>(i / 65536);
    case PositionFormula::Kind::digit_0_over_power:
      return static_cast<double>(i % 256) / power(n);
    case PositionFormula::Kind::digit_1_over_power:
      return 256 * static_cast<double>(i / 256 % 256) / power(n);
    case PositionFormula::Kind::digit_2_over_power:
      return 65536 * static_cast<double>(i / 65536) / power(n);
    case PositionFormula::Kind::table:
      return table_value(formula, i);
    case PositionFormula::Kind::predicate:
      return predicate_value(formula, i, n);
    case PositionFormula::Kind::predicate_at_zero:
      return predicate_value(formula, 0, n);
  }
  throw InternalError("position formula of unknown kind");
}

}  // namespace quench::model
