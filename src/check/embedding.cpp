#include "base/rounding.h"
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

Fact encoding(const Claim& claim, Kind formula, int kind) {
  const Number n(claim.longest);
  const auto counted = [&](Role role, const Number& most) {
    Fact fact = range(1, most, most <= Number::two_to(53));
    fact.role = role;
    return fact;
  };
  const auto fraction = [&](Role role, bool one, double most) {
    Fact fact = one ? range(1, 1, true) : range(0, most, false);
    fact.role = role;
    return fact;
  };
  Fact fact;
  bool whole = true;
  switch (formula) {
    case Kind::alternating: return range(is_even(kind) ? 1 : -1, is_even(kind) ? 1 : -1, true);
    case Kind::predicate:
    case Kind::predicate_at_zero: return range(0, 1, true);
    case Kind::index: fact = counted(Role::i, n); break;
    case Kind::index_sq: fact = counted(Role::i2, n * n); break;
    case Kind::length: fact = counted(Role::n, n); break;
    case Kind::index_length: fact = counted(Role::in, n * n); break;
    case Kind::index_sq_length: fact = counted(Role::i2n, n * n * n); break;
    case Kind::index_over_length: fact = fraction(Role::i_over_n, is_last(kind), 1), whole = false; break;
    case Kind::inverse_index: fact = fraction(Role::one_over_i, is_first(kind), is_even(kind) ? 0.5 : 0.375), whole = false; break;
    case Kind::inverse_remaining: fact = fraction(Role::one_over_rest, is_last(kind), 0.5), whole = false; break;
    default: throw Rejected("an unknown position encoding");
  }
  const Number most = whole ? fact.high() : Number(1);
  if (whole && fits(claim.store, most, 0)) return fact;
  fact.relative = relative_step(claim.store);
  if (claim.store.precision < 53) fact.relative += Number::two_to(-52);
  if (!whole && Number::two_to(-claim.store.min_exponent) < n)
    fact.relative += Number::two_to(claim.store.min_exponent - claim.store.precision) * n;
  if (fact.is(1)) return fact;  // 1/1, n/n: no rounding here
  fact.error = half_step(claim.store, most);
  if (claim.store.precision < 53) fact.error += half_step(kDouble, most);
  if (fact.role == Role::one_over_i || fact.role == Role::one_over_rest) fact.cap = 0.5;
  return fact;
}

}  // namespace

Facts read_embedding(const Claim& claim) {
  const model::Transformer& model = claim.model;
  std::vector<double> least(model.width), most(model.width), row_values(model.width);
  for (std::size_t row = 0; row < model.embedding.rows.size(); ++row) {
    row_values.assign(model.width, 0);
    for (const auto& [column, value] : model.embedding.rows[row]) {
      need_exact(claim, value);
      if (!Number(value).whole()) throw Rejected("an embedding that is not whole");
      row_values[column] = value;
    }
    for (std::size_t k = 0; k < model.width; ++k) {
      least[k] = row == 0 ? row_values[k] : std::min(least[k], row_values[k]);
      most[k] = row == 0 ? row_values[k] : std::max(most[k], row_values[k]);
    }
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
      here[pe.coordinate].positive = pe.formula.kind != Kind::alternating;
    }
  }
  return facts;
}

}  // namespace quench::check
