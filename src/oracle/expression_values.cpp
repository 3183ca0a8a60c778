#include "oracle/expression_values.h"

#include <algorithm>

#include "base/error.h"
#include "base/overloaded.h"
#include "oracle/relation.h"

namespace quench::oracle {

using namespace lang;

namespace {

bool connect(Connective op, bool a, bool b) {
  switch (op) {
    case Connective::and_:
      return a && b;
    case Connective::or_:
      return a || b;
    case Connective::implies:
      return !a || b;
    case Connective::iff:
      return a == b;
    case Connective::xor_:
      return a != b;
  }
  return false;
}

std::int64_t plus(std::int64_t a, std::int64_t b, std::int64_t factor) {
  std::int64_t product = 0, sum = 0;
  if (__builtin_mul_overflow(b, factor, &product) || __builtin_add_overflow(a, product, &sum))
    throw UserError("the program's arithmetic exceeds 64 bits (scores: 9 million)");
  return sum;
}

}  // namespace

std::int64_t ExpressionValues::value_of(const Expression& expression, std::int64_t i, std::int64_t j) {
  const auto index = [&](At at) { return static_cast<std::size_t>((at == At::i ? i : j) - 1); };
  const auto cell = [&](ExpressionId id) { return cells_[id.index]; };
  return std::visit(
      Overloaded{[](const BooleanConstant& x) -> std::int64_t { return x.value; },
                 [](const SymbolConstant& x) -> std::int64_t { return x.symbol; },
                 [](const StringConstant& x) -> std::int64_t { return x.string; },
                 [](const IntegerConstant& x) -> std::int64_t { return x.value; },
                 [](const ScoreConstant& x) -> std::int64_t { return x.millionths * kFine; },
                 [&](const Input& x) -> std::int64_t { return word_[index(x.at)]; },
                 [&](const PositionAt& x) -> std::int64_t { return x.at == At::i ? i : j; },
                 [&](const VectorAt& x) -> std::int64_t { return vectors[x.vector.index][index(x.at)]; },
                 [&](const Negation& x) -> std::int64_t { return !cell(x.of); },
                 [&](const Connection& x) -> std::int64_t { return connect(x.op, cell(x.left), cell(x.right)); },
                 [&](const SameSymbol& x) -> std::int64_t { return cell(x.left) == cell(x.right); },
                 [&](const MemberOf& x) -> std::int64_t {
                   return std::find(x.symbols.begin(), x.symbols.end(), cell(x.of)) != x.symbols.end();
                 },
                 [&](const Compare& x) -> std::int64_t { return compare(x.relation, cell(x.left), cell(x.right)); },
                 [&](const AsInteger& x) -> std::int64_t { return cell(x.of); },
                 [&](const AsScore& x) -> std::int64_t { return cell(x.of) * kScoreUnit * kFine; },
                 [&](const AsString& x) -> std::int64_t { return -2 - (cell(x.of) + 1); },
                 [&](const Sum& x) -> std::int64_t { return plus(cell(x.left), cell(x.right), x.factor); },
                 [&](const Choice& x) -> std::int64_t { return cell(x.condition) ? cell(x.yes) : cell(x.no); }},
      expression);
}

}  // namespace quench::oracle
