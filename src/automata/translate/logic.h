// Formulas put together with the obvious simplifications, so that what is built from tables stays readable.
#pragma once

#include <vector>

#include "lang/formula.h"

namespace quench::automata {

class Logic {
 public:
  /// With `positions`, being at the first position is a predicate instead of `Z false`, which takes a head.
  explicit Logic(lang::Formula& formula, bool positions = false) : formula_(formula), positions_(positions) {}

  using Id = lang::FormulaId;
  Id constant(bool value) { return formula_.add(lang::Constant{value}); }
  Id symbol(Symbol symbol) { return formula_.add(lang::SymbolAtom{symbol}); }
  Id negation(Id p);
  Id all_of(std::vector<Id> parts) { return joined(lang::Operator::and_, std::move(parts)); }
  Id any_of(std::vector<Id> parts) { return joined(lang::Operator::or_, std::move(parts)); }
  Id unary(lang::Operator op, Id p);
  /// p S q
  Id since(Id p, Id q);
  /// The number of positions so far where p holds is r modulo m ≥ 2.
  Id count_mod(std::int64_t m, std::int64_t r, Id p);
  /// The position is r modulo m ≥ 2.
  Id position_mod(std::int64_t m, std::int64_t r);
  /// Σ coefficient · #<[p] is r modulo m ≥ 2.
  Id sum_mod(std::int64_t m, std::int64_t r, const std::vector<std::pair<std::int64_t, Id>>& parts);
  /// The position is the first.
  Id first_position();
  /// Σ coefficient · #<[p] = value, or ≥, or ≤
  Id sum_compares(const std::vector<std::pair<std::int64_t, Id>>& parts, lang::Relation relation, std::int64_t value);

  bool is(Id p, bool value) const;
  std::size_t size() const { return formula_.size(); }
  const lang::Formula& formula() const { return formula_; }

 private:
  bool negates_freely(Id p, int depth) const;
  Id joined(lang::Operator op, std::vector<Id> parts);
  lang::PredicateId mod_predicate(std::int64_t m, std::int64_t r);

  lang::Formula& formula_;
  bool positions_;
};

}  // namespace quench::automata
