// Position encodings: which function of (i, n) a coordinate holds, its values per class of positions, its error.
//
// Most are exact numbers rounded to double and then to the format. i/N and the base-256 digits are whole numbers times
// a power of two, exact as long as the format has bits enough; all our heads rest on that, so that nothing is proved
// beyond.
#include <cmath>
#include <optional>

#include "base/number/rounding.h"
#include "bounds/ball.h"
#include "certify/proof.h"

namespace quench::certify {
namespace {

using Encoding = PositionFormula::Kind;

/// 1/k for whole k ≥ 2, or ≥ 3 where 2 cannot be, enclosed.
Set reciprocal_from(bool even_possible) { return Set::range(0, even_possible ? 0.5 : 0.375); }

struct Formula {
  Meaning meaning;
  double greatest;  ///< magnitude
  bool whole;       ///< an integer
};

Formula facts(Encoding kind, double n) {
  switch (kind) {
    case Encoding::index:
      return {Meaning::index, n, true};
    case Encoding::index_sq:
      return {Meaning::index_sq, n * n, true};
    case Encoding::length:
      return {Meaning::length, n, true};
    case Encoding::index_length:
      return {Meaning::index_length, n * n, true};
    case Encoding::index_sq_length:
      return {Meaning::index_sq_length, n * n * n, true};
    case Encoding::index_over_length:
      return {Meaning::ratio, 1, false};
    case Encoding::inverse_index:
      return {Meaning::inverse_index, 1, false};
    case Encoding::inverse_remaining:
      return {Meaning::inverse_remaining, 1, false};
    case Encoding::inverse_length:
      return {Meaning::inverse_length, 1, false};
    case Encoding::index_alternating:
      return {Meaning::signed_index, n, true};
    case Encoding::alternating:
    case Encoding::predicate:
    case Encoding::predicate_at_zero:
      return {Meaning::other, 1, true};
    default:
      throw NotProved("a position encoding this certifier does not know", -1);
  }
}

Set ideal_values(Encoding kind, const Formula& formula, const PositionClass& c) {
  switch (kind) {
    case Encoding::alternating:
      return Set::point(c.even ? 1 : -1);
    case Encoding::predicate:
    case Encoding::predicate_at_zero:
      return Set::integers(0, 1);
    case Encoding::inverse_index:
      return c.first ? Set::point(1) : reciprocal_from(c.even);
    case Encoding::inverse_remaining:
      return c.last ? Set::point(1) : reciprocal_from(true);
    case Encoding::inverse_length:
      return c.shortest == 1 ? Set::point(1) : c.shortest == 2 ? Set::range(0, 0.5) : Set::range(0, 0.375);
    case Encoding::index_over_length:
      return c.last ? Set::point(1) : Set::range(0, 1);
    case Encoding::index_alternating:
      return c.even ? Set::integers(2, std::fmax(2, formula.greatest)) : Set::integers(-formula.greatest, -1);
    default:
      break;
  }
  // Whole numbers up to N, N² or N³: beyond 2^53 the double may be rounded (twice), so a little more.
  const bool exact = formula.greatest < 0x1p53;
  return {exact, {{1, exact ? formula.greatest : formula.greatest * (1 + 0x1p-48)}}};
}

/// What i/N and its digits are: multiples of 1/N that are at most `most` multiples of `unit`/N, at every length.
struct Digit {
  Meaning meaning;
  double unit;  ///< the encoding is a whole number below `base`, times this (and 1/N)
  double base;
  bool over_power;  ///< divided by N
};

std::optional<Digit> digit(Encoding kind) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  switch (kind) {
    case Encoding::index_over_power:
      return Digit{Meaning::ratio_power, 1, kNoLimit, true};
    case Encoding::digit_0:
      return Digit{Meaning::digit_0, 1, 256, false};
    case Encoding::digit_1:
      return Digit{Meaning::digit_1, 1, 256, false};
    case Encoding::digit_2:
      return Digit{Meaning::digit_2, 256, kNoLimit, false};
    case Encoding::digit_0_over_power:
      return Digit{Meaning::digit_0_power, 1, 256, true};
    case Encoding::digit_1_over_power:
      return Digit{Meaning::digit_1_power, 256, 256, true};
    case Encoding::digit_2_over_power:
      return Digit{Meaning::digit_2_power, 65536, kNoLimit, true};
    default:
      return std::nullopt;
  }
}

/// A whole number k, times a power of two: exact where the format has as many bits as k, and exponents enough. Not
/// proved where it is not.
Value encode_digit(const Setting& setting, const PositionFormula& position, const Digit& digit) {
  const FloatFormat& storage = setting.arithmetic.storage;
  // What k counts: positions, hundreds or ten thousands of them (in base 256).
  const double step = position.kind == Encoding::digit_1 || position.kind == Encoding::digit_1_over_power   ? 256
                      : position.kind == Encoding::digit_2 || position.kind == Encoding::digit_2_over_power ? 65536
                                                                                                    : 1;
  const double most = std::fmin(digit.base - 1, std::floor(setting.length / step));
  Value value;
  value.meaning = digit.meaning;
  value.grid = digit.over_power ? -power_exponent(setting.length) : 0;
  value.on_grid = true;
  for (Set& set : value.ideal)
    set = digit.over_power ? Set::range(0, 1) : Set::integers(0, std::fmax(1, most) * digit.unit);
  const bool enough_bits = Upper(most) <= bounds::power_of_two(storage.precision);
  const bool in_range = value.grid >= storage.min_exponent - storage.precision + 1 &&
                        Upper(value.all().magnitude()) <= Upper(storage.max_finite);
  if (!enough_bits || !in_range)
    throw NotProved("position encoding " + to_string(position) + " is not exact in the format", -1);
  return value;
}

/// Logarithms of whole numbers up to n, within a unit in the last place of double, rounded to storage.
Value encode_logarithm(const Setting& setting, const PositionFormula& position) {
  const FloatFormat& storage = setting.arithmetic.storage;
  const bool of_index = position.kind == Encoding::log_index;
  const Upper most = upper_of(log(bounds::Ball(setting.length)));
  Value value;
  value.meaning = of_index ? Meaning::log_index : Meaning::log_remaining;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const bool zero = of_index ? kPositionClasses[c].first : kPositionClasses[c].last;
    value.ideal[c] = zero ? Set::point(0) : Set::range(0, most.to_double());
    if (zero) value.exact_classes |= 1U << c;
  }
  value.error = Upper(2) * bounds::rounding_error(kDouble, most);
  value.error += bounds::rounding_error(storage, most + value.error);
  if (!value.error.is_finite()) throw NotProved("position encoding " + to_string(position) + " overflows", -1);
  return value;
}

}  // namespace

/// Values are the exact ones rounded to double, then to storage.
Value encode(const Setting& setting, const PositionFormula& position) {
  if (const std::optional<Digit> dyadic = digit(position.kind)) return encode_digit(setting, position, *dyadic);
  if (position.kind == Encoding::log_index || position.kind == Encoding::log_remaining)
    return encode_logarithm(setting, position);
  const double n = setting.length;
  const FloatFormat& storage = setting.arithmetic.storage;
  const Formula formula = facts(position.kind, n);
  Value value;
  value.meaning = formula.meaning;
  value.fraction = reciprocal_fraction(formula.meaning);
  value.on_grid = formula.whole;
  value.not_negative = position.kind != Encoding::alternating && position.kind != Encoding::index_alternating;
  for (std::size_t c = 0; c < kClasses; ++c) value.ideal[c] = ideal_values(position.kind, formula, kPositionClasses[c]);
  // Reciprocals are exact where they are 1, and at most ½ elsewhere.
  const bool reciprocal = !formula.whole && formula.meaning != Meaning::ratio;
  const Upper greatest(reciprocal ? 0.5 : value.all().magnitude());
  if (formula.whole && representable(storage, greatest, 0)) return value;
  value.error = bounds::rounding_error(storage, greatest);
  value.relative = bounds::unit_roundoff(storage);
  if (storage.precision < 53) {
    value.error += bounds::rounding_error(kDouble, greatest);
    value.relative += Upper(0x1p-52);
  }
  // Reciprocals can be as small as 1/N, where a narrow exponent range ends in subnormal numbers.
  if (!formula.whole && bounds::power_of_two(-storage.min_exponent) < Upper(n))
    value.relative += bounds::power_of_two(storage.min_exponent - storage.precision) * Upper(n);
  for (std::size_t c = 0; c < kClasses; ++c)  // 1/1 and n/n
    if (!formula.whole && value.ideal[c].is_point(1)) value.exact_classes |= 1U << c;
  if (reciprocal) value.cap = 0.5;
  if (formula.meaning == Meaning::ratio) value.cap = 1;
  if (!value.error.is_finite()) throw NotProved("position encoding " + to_string(position) + " overflows", -1);
  return value;
}

}  // namespace quench::certify
