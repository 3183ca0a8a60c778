#include "lang/operators.h"

#include <array>

namespace quench::lang {
namespace {

#define QUENCH_UNARY_ROW(name, modality, ...) \
  {Operator::name, 1, Precedence::unary, Associativity::right, Modality::modality, __VA_ARGS__},
#define QUENCH_BINARY_ROW(name, modality, precedence, associativity, ...) \
  {Operator::name, 2, Precedence::precedence, Associativity::associativity, Modality::modality, __VA_ARGS__},
constexpr OperatorFacts kOperators[] = {QUENCH_UNARY_OPERATORS(QUENCH_UNARY_ROW)
                                            QUENCH_BINARY_OPERATORS(QUENCH_BINARY_ROW)};
#undef QUENCH_UNARY_ROW
#undef QUENCH_BINARY_ROW

// clang-format off
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
  for (const OperatorFacts& row : kOperators)
    if (row.symbol.empty() || row.latex.empty() || row.meaning.empty()) return false;
  for (std::size_t k = 0; k < kRelations.size(); ++k)
    if (kRelations[k].relation != static_cast<Relation>(k) || kRelations[k].symbol.empty()) return false;
  for (std::size_t k = 0; k < kScopes.size(); ++k)
    if (kScopes[k].scope != static_cast<Scope>(k) || kScopes[k].symbol.empty()) return false;
  for (std::size_t k = 0; k < kPredicates.size(); ++k)
    if (kPredicates[k].kind != static_cast<Predicate::Kind>(k) || kPredicates[k].name.empty()) return false;
  return true;
}
static_assert(complete(), "every row is filled in, and stands in the order of its enum");

}  // namespace

const OperatorFacts& facts(Operator op) { return kOperators[static_cast<std::size_t>(op)]; }
const RelationFacts& facts(Relation relation) { return kRelations[static_cast<std::size_t>(relation)]; }
const ScopeFacts& facts(Scope scope) { return kScopes[static_cast<std::size_t>(scope)]; }

std::span<const OperatorFacts> all_operators() { return kOperators; }
std::span<const RelationFacts> all_relations() { return kRelations; }
std::span<const ScopeFacts> all_scopes() { return kScopes; }
std::span<const PredicateFacts> all_predicates() { return kPredicates; }

}  // namespace quench::lang
