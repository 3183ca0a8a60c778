#include "lang/operators.h"

#include <array>

namespace quench::lang {
namespace {

constexpr Precedence kTemporal = Precedence::temporal;
constexpr Precedence kUnary = Precedence::unary;
constexpr Associativity kLeft = Associativity::left;
constexpr Associativity kRight = Associativity::right;

// clang-format off
constexpr std::array<OperatorFacts, kOperatorCount> kOperators{{
    {Operator::not_, 1, kUnary, kRight, "!", "not", "¬", "\\neg", "p is false"},
    {Operator::previous, 1, kUnary, kRight, "prev", "Y", "⊖", "\\ominus", "p at the position before; false at 1"},
    {Operator::next, 1, kUnary, kRight, "next", "X", "⊕", "\\oplus", "p at the position after; false at n"},
    {Operator::once, 1, kUnary, kRight, "O", "once", "", "\\mathsf{O}", "p at some j <= i"},
    {Operator::historically, 1, kUnary, kRight, "H", "historically", "", "\\mathsf{H}", "p at every j <= i"},
    {Operator::eventually, 1, kUnary, kRight, "F", "eventually", "", "\\mathsf{F}", "p at some j >= i"},
    {Operator::always, 1, kUnary, kRight, "G", "always", "", "\\mathsf{G}", "p at every j >= i"},
    {Operator::weak_previous, 1, kUnary, kRight, "Z", "weak_prev", "", "\\mathsf{Z}", "p at the position before; true at 1"},
    {Operator::weak_next, 1, kUnary, kRight, "N", "weak_next", "", "\\mathsf{N}", "p at the position after; true at n"},
    {Operator::and_, 2, Precedence::and_, kLeft, "&", "and", "∧", "\\wedge", "both p and q"},
    {Operator::or_, 2, Precedence::or_, kLeft, "|", "or", "∨", "\\vee", "p or q or both"},
    {Operator::implies, 2, Precedence::implies, kRight, "->", "implies", "→", "\\rightarrow", "q whenever p"},
    {Operator::iff, 2, Precedence::iff, kLeft, "<->", "iff", "↔", "\\leftrightarrow", "p exactly when q"},
    {Operator::xor_, 2, Precedence::xor_, kLeft, "xor", "", "⊻", "\\veebar", "p or q but not both"},
    {Operator::since, 2, kTemporal, kRight, "since", "", "", "\\mathbin{\\mathbf{since}}", "q at some j <= i, and p at j, ..., i"},
    {Operator::until, 2, kTemporal, kRight, "until", "", "", "\\mathbin{\\mathbf{until}}", "q at some j >= i, and p at i, ..., j"},
    {Operator::standard_since, 2, kTemporal, kRight, "S", "", "", "\\mathbin{\\mathsf{S}}", "q at some j <= i, and p at j+1, ..., i"},
    {Operator::standard_until, 2, kTemporal, kRight, "U", "", "", "\\mathbin{\\mathsf{U}}", "q at some j >= i, and p at i, ..., j-1"},
    {Operator::weak_until, 2, kTemporal, kRight, "W", "weak_until", "", "\\mathbin{\\mathsf{W}}", "p U q, or p at every j >= i"},
    {Operator::release, 2, kTemporal, kRight, "R", "release", "", "\\mathbin{\\mathsf{R}}", "q at i, ..., j for some j >= i with p, or q at every j >= i"},
}};

constexpr std::array<RelationFacts, kRelationCount> kRelations{{
    {Relation::less_equal, "<=", "≤", "\\le"},
    {Relation::less, "<", "", "<"},
    {Relation::greater_equal, ">=", "≥", "\\ge"},
    {Relation::greater, ">", "", ">"},
    {Relation::equal, "=", "", "="},
    {Relation::not_equal, "!=", "≠", "\\ne"},
}};

constexpr std::array<ScopeFacts, kScopeCount> kScopes{{
    {Scope::left, "#<", "←#", "\\overleftarrow{\\#}", "number of j <= i"},
    {Scope::right, "#>", "→#", "\\overrightarrow{\\#}", "number of j >= i"},
    {Scope::all, "#", "", "\\#", "number of all j"},
}};

constexpr int kBuiltInCount = static_cast<int>(Predicate::Kind::last) + 1;
constexpr std::array<PredicateFacts, kBuiltInCount> kPredicates{{
    {Predicate::Kind::odd, "odd", "x is odd"},
    {Predicate::Kind::even, "even", "x is even; true at 0"},
    {Predicate::Kind::mod, "mod", "x leaves the remainder r when divided by m"},
    {Predicate::Kind::prime, "prime", "x is a prime number; false at 0"},
    {Predicate::Kind::square, "square", "x = k*k for some k >= 0; true at 0"},
    {Predicate::Kind::cube, "cube", "x = k*k*k for some k >= 0; true at 0"},
    {Predicate::Kind::pow2, "pow2", "x is 1, 2, 4, 8, ...; false at 0"},
    {Predicate::Kind::triangular, "triangular", "x = k*(k+1)/2 for some k >= 0; true at 0"},
    {Predicate::Kind::fibonacci, "fibonacci", "x is 0, 1, 2, 3, 5, 8, ...; true at 0"},
    {Predicate::Kind::first, "first", "x = 1; false at 0"},
    {Predicate::Kind::last, "last", "x = n; false at 0"},
}};
// clang-format on

constexpr bool complete() {
  for (std::size_t k = 0; k < kOperators.size(); ++k) {
    const OperatorFacts& row = kOperators[k];
    const bool unary = row.arity == 1 && row.precedence == Precedence::unary;
    const bool binary = row.arity == 2 && row.precedence != Precedence::unary;
    if (row.op != static_cast<Operator>(k) || row.symbol.empty() || row.latex.empty() || row.meaning.empty())
      return false;
    if (!unary && !binary) return false;
  }
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    if (kRelations[k].relation != static_cast<Relation>(k) || kRelations[k].symbol.empty()) return false;
  for (std::size_t k = 0; k < kScopes.size(); ++k)
    if (kScopes[k].scope != static_cast<Scope>(k) || kScopes[k].symbol.empty()) return false;
  for (std::size_t k = 0; k < kPredicates.size(); ++k)
    if (kPredicates[k].kind != static_cast<Predicate::Kind>(k) || kPredicates[k].name.empty()) return false;
  return true;
}
static_assert(complete(), "every operator has a row, in the order of its enum");

}  // namespace

const OperatorFacts& facts(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }
const RelationFacts& facts(Relation relation) { return kRelations[static_cast<std::size_t>(relation)]; }
const ScopeFacts& facts(Scope scope) { return kScopes[static_cast<std::size_t>(scope)]; }

std::span<const OperatorFacts> all_operators() { return kOperators; }
std::span<const RelationFacts> all_relations() { return kRelations; }
std::span<const ScopeFacts> all_scopes() { return kScopes; }
std::span<const PredicateFacts> all_predicates() { return kPredicates; }

}  // namespace quench::lang
