// The one table of facts about operators: spelling in every alphabet, precedence, associativity, meaning.
#pragma once

#include <span>
#include <string_view>

#include "lang/formula.h"

namespace quench::lang {

/// Binding strength, weakest first. Unary operators bind tighter than all binary ones.
enum class Precedence : std::uint8_t { iff, implies, xor_, or_, and_, temporal, unary };
enum class Associativity : std::uint8_t { left, right };
/// What of temporal logic an operator is made of; connectives are made of none.
enum class Modality : std::uint8_t { none, previous, next, since, until };

struct OperatorFacts {
  Operator op;
  int arity;
  Precedence precedence;
  Associativity associativity;
  Modality modality;
  std::string_view symbol;   ///< what the printer writes: "&", "since", "prev"
  std::string_view word;     ///< the other ASCII spelling, "" if none: "and", "Y", "once"
  std::string_view unicode;  ///< "∧", "" if none
  std::string_view latex;
  std::string_view meaning;  ///< one line, for docs and `quench show`
};

const OperatorFacts& facts(Operator op);

struct ScopeFacts {
  Scope scope;
  std::string_view symbol, unicode, latex;  ///< of a count, without the brackets: "#<", "←#"
  std::string_view meaning;
};
const ScopeFacts& facts(Scope scope);

struct RelationFacts {
  Relation relation;
  std::string_view symbol, unicode, latex;
};
const RelationFacts& facts(Relation relation);

/// All rows in enum order, for the lexer, random formulas and the documentation.
std::span<const OperatorFacts> all_operators();
std::span<const RelationFacts> all_relations();
std::span<const ScopeFacts> all_scopes();
inline constexpr int kRelationCount = static_cast<int>(Relation::not_equal) + 1;
inline constexpr int kScopeCount = static_cast<int>(Scope::all) + 1;

/// The built-in numerical predicates, in the order of Predicate::Kind; `mod` also takes its modulus and residue.
struct PredicateFacts {
  Predicate::Kind kind;
  std::string_view name;
  std::string_view meaning;  ///< of x, in a word of length n
};
std::span<const PredicateFacts> all_predicates();

}  // namespace quench::lang
