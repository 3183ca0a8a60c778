// From parsed pieces to nodes of the formula: the sorts (formula or term) are checked here, the syntax elsewhere.
#pragma once

#include <memory>
#include <string>

#include "lang/formula.h"
#include "parse/formula/linear_terms.h"
#include "parse/text/reporter.h"
#include "parse/text/token.h"

namespace quench::parse {

enum class Sort : std::uint8_t { formula, term, broken };

/// What an expression stands for. A broken one has been reported, and silences further complaints.
struct Value {
  Sort sort = Sort::broken;
  Span span;
  lang::FormulaId formula;
  std::shared_ptr<LinearTerm> term;  ///< shared with the `let` that named it; copied before it is changed
};

class Builder {
 public:
  Builder(lang::Formula& formula, Reporter& reporter) : formula_(formula), reporter_(reporter) {}

  Value atom(const lang::Node& node, Span span);
  Value number(std::uint64_t value, Span span);
  Value unary(lang::Operator op, Span op_span, Value argument);
  Value binary(lang::Operator op, Span op_span, Value left, Value right);
  Value comparison(lang::Relation relation, Span op_span, Value left, Value right);
  Value negative(Span op_span, Value argument, bool minus);
  Value sum(Span op_span, Value left, Value right, bool subtract);
  Value product(Span op_span, Value left, Value right);
  Value count(lang::Scope scope, Span span, Value argument);
  /// θ(κ)
  Value application(lang::PredicateId predicate, Span span, Value argument);

 private:
  bool is_formula(const Value& value, Span op_span, std::string hint);
  bool is_term(const Value& value, Span op_span, std::string hint);
  /// The term, free to be changed: a copy if a `let` still needs it. Null (and reported) if copies add up to too much.
  std::shared_ptr<LinearTerm> own(Value& value);
  /// The term as part of the formula; invalid (and reported) if a coefficient does not fit.
  lang::TermId intern(const Value& value);
  Value too_large(Span span);

  lang::Formula& formula_;
  Reporter& reporter_;
  std::size_t copied_parts_ = 0;
};

}  // namespace quench::parse
