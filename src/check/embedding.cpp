#include "base/number/rounding.h"
#include "check/facts.h"

namespace quench::check {
namespace {

using Kind = PositionFormula::Kind;

Fact range(const Number& from, const Number& to, bool whole) {
  Fact fact;
  fact.spans = {{from, to}};
  fact.whole = whole;
  return fact;
}

/// A whole number of at most `most`, times `unit`, or that divided by N: exact if the format has bits enough.
Fact digits(const Claim& claim, Role role, const Number& most, double unit, bool over_power) {
  Fact fact = over_power ? range(0, 1, false) : range(0, max(most, 1) * Number(unit), true);
  fact.role = role;
  fact.grid = over_power ? -log_of_power(claim) : 0;
  fact.gridded = true;
  if (!(most <= Number::two_to(claim.store.precision)) || !(fact.size() <= Number(claim.store.max_finite)) ||
      fact.grid <= claim.store.min_exponent - claim.store.precision)
    throw Rejected("a position encoding is not exact in the format");
  return fact;
}

/// i/N and the digits of i in base 256.
std::optional<Fact> digit(const Claim& claim, Kind formula) {
  const Number n(claim.longest), byte(255);
  const Number hundreds = min(byte, (n / Number(256)).floor()), thousands = (n / Number(65536)).floor();
  switch (formula) {
    case Kind::index_over_power:
      return digits(claim, Role::i_over_power, n, 1, true);
    case Kind::digit_0:
      return digits(claim, Role::digit_0, min(byte, n), 1, false);
    case Kind::digit_1:
      return digits(claim, Role::digit_1, hundreds, 1, false);
    case Kind::digit_2:
      return digits(claim, Role::digit_2, thousands, 256, false);
    case Kind::digit_0_over_power:
      return digits(claim, Role::digit_0_over_power, min(byte, n), 1, true);
    case Kind::digit_1_over_power:
      return digits(claim, Role::digit_1_over_power, hundreds, 1, true);
    case Kind::digit_2_over_power:
      return digits(claim, Role::digit_2_over_power, thousands, 1, true);
    default:
      return std::nullopt;
  }
}

/// log of a whole number up to n, which is 1 at one end; the C library is right to a unit of double.
Fact logarithm(const Claim& claim, Role role, bool of_one) {
  const Number most = Number(claim.longest).logarithm().top();
  Fact fact = of_one ? range(0, 0, false) : range(0, most, false);
  fact.role = role;
  if (of_one) return fact;
  fact.error = Number(2) * half_step(kDouble, most);
  fact.error += half_step(claim.store, most + fact.error);
  return fact;
}

/// A whole number from 1 on.
Fact counted(Role role, const Number& most) {
  Fact fact = range(1, most, most <= Number::two_to(53));
  fact.role = role;
  fact.gridded = true;  // whole numbers round to whole numbers
  return fact;
}

/// A quotient that is 1 where `one`, and at most `most` elsewhere.
Fact fraction(Role role, bool one, double most, Share::Of of) {
  Fact fact = one ? range(1, 1, true) : range(0, most, false);
  fact.role = role;
  fact.share.of = of;
  fact.share.one = of != Share::Of::nothing;
  fact.share.edge = 1;
  return fact;
}

Fact signed_index(const Number& n, int kind) {
  Fact fact = counted(Role::signed_i, max(n, 2));
  fact.spans[0].from = is_even(kind) ? Number(2) : Number(0) - n;
  fact.spans[0].to = is_even(kind) ? max(n, 2) : Number(-1);
  return fact;
}

/// A whole number as it is stored.
Fact stored_whole(const Claim& claim, Fact fact) {
  const Number most = fact.size();
  if (fits(claim.store, most, 0)) return fact;
  fact.relative = relative_step(claim.store);
  if (claim.store.precision < 53) fact.relative += Number::two_to(-52);
  if (fact.is(1)) return fact;
  fact.error = half_step(claim.store, most);
  if (claim.store.precision < 53) fact.error += half_step(kDouble, most);
  return fact;
}

/// A quotient as it is stored.
Fact stored_fraction(const Claim& claim, Fact fact) {
  const Number n(claim.longest), most(fact.share.one ? 0.5 : 1);
  fact.relative = relative_step(claim.store);
  if (claim.store.precision < 53) fact.relative += Number::two_to(-52);
  if (Number::two_to(-claim.store.min_exponent) < n)
    fact.relative += Number::two_to(claim.store.min_exponent - claim.store.precision) * n;
  if (fact.is(1)) return fact;  // 1/1, n/n: no rounding here
  fact.error = half_step(claim.store, most);
  if (claim.store.precision < 53) fact.error += half_step(kDouble, most);
  fact.cap = fact.share.one ? 0.5 : 1;
  return fact;
}

Fact encoding(const Claim& claim, Kind formula, int kind) {
  if (const std::optional<Fact> fact = digit(claim, formula)) return *fact;
  const Number n(claim.longest);
  const auto whole = [&](Role role, const Number& most) { return stored_whole(claim, counted(role, most)); };
  const auto quotient = [&](Role role, bool one, double most, Share::Of of) {
    return stored_fraction(claim, fraction(role, one, most, of));
  };
  switch (formula) {
    case Kind::log_index:
      return logarithm(claim, Role::log_i, is_first(kind));
    case Kind::log_remaining:
      return logarithm(claim, Role::log_rest, is_last(kind));
    case Kind::alternating:
      return range(is_even(kind) ? 1 : -1, is_even(kind) ? 1 : -1, true);
    case Kind::predicate:
    case Kind::predicate_at_zero:
      return range(0, 1, true);
    case Kind::index:
      return whole(Role::i, n);
    case Kind::index_sq:
      return whole(Role::i2, n * n);
    case Kind::length:
      return whole(Role::n, n);
    case Kind::index_length:
      return whole(Role::in, n * n);
    case Kind::index_sq_length:
      return whole(Role::i2n, n * n * n);
    case Kind::index_alternating:
      return stored_whole(claim, signed_index(n, kind));
    case Kind::index_over_length:
      return quotient(Role::i_over_n, is_last(kind), 1, Share::Of::nothing);
    case Kind::inverse_index:
      return quotient(Role::one_over_i, is_first(kind), is_even(kind) ? 0.5 : 0.375, Share::Of::i);
    case Kind::inverse_remaining:
      return quotient(Role::one_over_rest, is_last(kind), 0.5, Share::Of::rest);
    case Kind::inverse_length:
      return quotient(Role::one_over_n, kind == 0, kind == 1 || kind == 2 ? 0.5 : 0.375, Share::Of::n);
    default:
      throw Rejected("an unknown position encoding");
  }
}

}  // namespace

Facts read_embedding(const Claim& claim) {
  const model::Transformer& model = claim.model;
  std::vector<double> least(model.width), most(model.width);
  std::vector<std::size_t> mentions(model.width);
  for (const SparseMatrix::Row& row : model.embedding.rows)
    for (const auto& [column, value] : row) {
      need_exact(claim, value);
      if (!Number(value).whole()) throw Rejected("an embedding that is not whole");
      const bool first = mentions[column]++ == 0;
      least[column] = first ? value : std::min(least[column], value);
      most[column] = first ? value : std::max(most[column], value);
    }
  for (std::size_t k = 0; k < model.width; ++k) {
    if (mentions[k] == model.embedding.rows.size()) continue;
    least[k] = std::min(least[k], 0.0);  // symbols whose row does not mention it
    most[k] = std::max(most[k], 0.0);
  }
  Facts facts;
  for (int kind = 0; kind < kKinds; ++kind) {
    auto& here = facts[static_cast<std::size_t>(kind)];
    for (std::size_t k = 0; k < model.width; ++k) {
      here.push_back(range(least[k], most[k], true));
      here.back().positive = least[k] >= 0;
    }
    for (const model::PositionEncoding& pe : model.position_encodings) {
      if (!here[pe.coordinate].exactly(0)) throw Rejected("a position encoding shares its coordinate");
      here[pe.coordinate] = encoding(claim, pe.formula.kind, kind);
      here[pe.coordinate].positive = pe.formula.kind != Kind::alternating && pe.formula.kind != Kind::index_alternating;
    }
    for (std::size_t k = 0; k < model.width; ++k) here[k].id = static_cast<long>(k);
  }
  return facts;
}

}  // namespace quench::check
