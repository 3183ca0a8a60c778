// The embedding: constants, tests of the symbol, position encodings.
#include <cmath>

#include "base/rounding.h"
#include "certify/proof.h"

namespace quench::certify {
namespace {

using Kind = PositionFormula::Kind;

/// 1/k for whole k ≥ 2, or ≥ 3 where 2 cannot be, enclosed.
Set reciprocal_from(bool even_possible) { return Set::range(0, even_possible ? 0.5 : 0.375); }

struct Formula {
  Meaning meaning;
  double greatest;  ///< magnitude
  bool whole;       ///< an integer
};

Formula facts(Kind kind, double n) {
  switch (kind) {
    case Kind::index: return {Meaning::index, n, true};
    case Kind::index_sq: return {Meaning::index_sq, n * n, true};
    case Kind::length: return {Meaning::length, n, true};
    case Kind::index_length: return {Meaning::index_length, n * n, true};
    case Kind::index_sq_length: return {Meaning::index_sq_length, n * n * n, true};
    case Kind::index_over_length: return {Meaning::ratio, 1, false};
    case Kind::inverse_index: return {Meaning::inverse_index, 1, false};
    case Kind::inverse_remaining: return {Meaning::inverse_remaining, 1, false};
    case Kind::alternating:
    case Kind::predicate:
    case Kind::predicate_at_zero: return {Meaning::other, 1, true};
    default: throw NotProved("a position encoding this certifier does not know", -1);
  }
}

Set ideal_values(Kind kind, const Formula& formula, const PositionClass& c) {
  switch (kind) {
    case Kind::alternating: return Set::point(c.even ? 1 : -1);
    case Kind::predicate:
    case Kind::predicate_at_zero: return Set::integers(0, 1);
    case Kind::inverse_index: return c.first ? Set::point(1) : reciprocal_from(c.even);
    case Kind::inverse_remaining: return c.last ? Set::point(1) : reciprocal_from(true);
    case Kind::index_over_length: return c.last ? Set::point(1) : Set::range(0, 1);
    default: break;
  }
  // Whole numbers up to N, N² or N³: beyond 2^53 the double may be rounded (twice), so a little more.
  const bool exact = formula.greatest < 0x1p53;
  return {exact, {{1, exact ? formula.greatest : formula.greatest * (1 + 0x1p-48)}}};
}

/// Values are the exact ones rounded to double, then to storage.
Value encode(const Setting& setting, const PositionFormula& position) {
  const double n = setting.length;
  const FloatFormat& storage = setting.arithmetic.storage;
  const Formula formula = facts(position.kind, n);
  Value value;
  value.meaning = formula.meaning;
  value.not_negative = position.kind != Kind::alternating;
  for (std::size_t c = 0; c < kClasses; ++c)
    value.ideal[c] = ideal_values(position.kind, formula, kPositionClasses[c]);
  const Upper greatest(magnitude(value.all()));
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
  if (formula.meaning == Meaning::inverse_index || formula.meaning == Meaning::inverse_remaining) value.cap = 0.5;
  if (!value.error.is_finite()) throw NotProved("position encoding " + to_string(position) + " overflows", -1);
  return value;
}

}  // namespace

State embed(const Setting& setting) {
  const model::Transformer& model = setting.model;
  State state(model.width, Value::constant(0));
  std::vector<Interval> range(model.width);
  bool first = true;
  for (const SparseMatrix::Row& row : model.embedding.rows) {
    std::vector<double> dense(model.width);
    for (const auto& [column, value] : row) {
      require_exact_weight(setting, value, "the embedding");
      if (!is_integer(value)) throw NotProved("the embedding holds numbers that are not whole", -1);
      dense[column] = value;
    }
    for (std::size_t k = 0; k < model.width; ++k)
      range[k] = first ? Interval{dense[k], dense[k]} : hull(range[k], {dense[k], dense[k]});
    first = false;
  }
  for (std::size_t k = 0; k < model.width; ++k) {
    state[k].ideal.fill(Set::integers(range[k].low, range[k].high));
    state[k].not_negative = range[k].low >= 0;
  }
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    if (!state[encoding.coordinate].is_constant(0))
      throw NotProved("a position encoding shares its coordinate", -1);
    state[encoding.coordinate] = encode(setting, encoding.formula);
  }
  return state;
}

}  // namespace quench::certify
