// How tightly the operators of programs bind, and the making of syntax nodes: shared by the files of the expression
// parser.
#pragma once

#include "lang/operators.h"
#include "parse/program/syntax.h"

namespace quench::parse {

// As in formulas, a comparison binds tighter than the connectives.
inline constexpr int kBracketLevel = -2;
inline constexpr int kChoiceLevel = -1;
inline constexpr int kNotLevel = static_cast<int>(lang::Precedence::unary);
inline constexpr int kComparisonLevel = kNotLevel + 1;
inline constexpr int kAdditiveLevel = kComparisonLevel + 1;
inline constexpr int kMultiplicativeLevel = kAdditiveLevel + 1;
inline constexpr int kSignLevel = kMultiplicativeLevel + 1;

inline Syntax node(Syntax::Kind kind, Span span) {
  Syntax result;
  result.kind = kind;
  result.span = result.mark = span;
  return result;
}

}  // namespace quench::parse
