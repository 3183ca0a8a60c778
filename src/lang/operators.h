// The one table of facts about operators: spelling in every alphabet, precedence, associativity, meaning.
#pragma once

#include <string_view>

#include "lang/formula.h"

namespace quench::lang {

/// Binding strength, weakest first. Unary operators bind tighter than all binary ones.
enum class Precedence : std::uint8_t { iff, implies, xor_, or_, and_, temporal, unary };
enum class Associativity : std::uint8_t { left, right };

struct OperatorFacts {
  Operator op;
  int arity;
  Precedence precedence;
  Associativity associativity;
  std::string_view symbol;   ///< what the printer writes: "&", "since", "prev"
  std::string_view word;     ///< spelled-out alternative, "" if none: "and"
  std::string_view unicode;  ///< "∧", "" if none
  std::string_view latex;
  std::string_view meaning;  ///< one line, for docs and `quench show`
};

const OperatorFacts& facts(Operator op);

struct RelationFacts {
  Relation relation;
  std::string_view symbol, unicode, latex;
};
const RelationFacts& facts(Relation relation);

/// All rows, for the lexer and the documentation.
inline constexpr int kOperatorCount = static_cast<int>(Operator::release) + 1;
inline constexpr int kRelationCount = static_cast<int>(Relation::not_equal) + 1;

}  // namespace quench::lang
