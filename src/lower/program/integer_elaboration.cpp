#include "lower/program/integer_elaboration.h"

#include "base/error.h"
#include "base/overloaded.h"

namespace quench::lower {

using namespace lang;

IntegerElaboration::IntegerElaboration(const Program& program)
    : IrElaboration(program),
      integers_(program.vector_count()),
      ranges_(program.vector_count(), kStored),
      finite_(program.size()) {
  for (std::size_t k = 0; k < program.size(); ++k) {
    const Expression& expression = program[ExpressionId(k)];
    const auto* at = std::get_if<VectorAt>(&expression);
    finite_[k] = !std::holds_alternative<PositionAt>(expression) && !(at && program[at->vector].sort == Sort::integer);
    for_each_operand(expression, [&](ExpressionId operand) {
      finite_[k] = finite_[k] && (finite_[operand.index] || program.sort(operand) != Sort::integer);
    });
  }
}

Bit IntegerElaboration::compare(ExpressionId, const Compare& comparison) {
  const ExpressionId a = comparison.left, b = comparison.right;
  switch (comparison.relation) {
    case Relation::greater_equal:
      return bit(at_least(a, b));
    case Relation::greater:
      return bit(!at_least(b, a));
    case Relation::less_equal:
      return bit(at_least(b, a));
    case Relation::less:
      return bit(!at_least(a, b));
    case Relation::equal:
      return bit(equal(a, b));
    case Relation::not_equal:
      return bit(!equal(a, b));
  }
  return truth(false);
}

const IntegerRange& IntegerElaboration::range_of(ExpressionId root) {
  auto& ranges = expression_ranges_;
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (program_.sort(id) != Sort::integer || ranges.contains(id.index)) continue;
    ranges[id.index] = std::visit(
        Overloaded{[](const IntegerConstant& x) {
                     const double value = static_cast<double>(x.value);
                     return IntegerRange{{value, 0}, {value, 0}};
                   },
                   [](const PositionAt&) {
                     return IntegerRange{kOne, kLength};
                   },
                   [&](const VectorAt& x) { return ranges_[x.vector.index]; },
                   [](const AsInteger&) {
                     return IntegerRange{kZero, kOne};
                   },
                   [&](const Sum& x) {
                     return sum(ranges.at(x.left.index), ranges.at(x.right.index), static_cast<double>(x.factor));
                   },
                   [&](const Choice& x) { return either(ranges.at(x.yes.index), ranges.at(x.no.index)); },
                   [](const auto&) -> IntegerRange { internal_error("integer", __FILE__, __LINE__); }},
        program_[id]);
  }
  return ranges.at(root.index);
}

IntegerElaboration::Equality IntegerElaboration::equality(const Attention& attention) {
  Equality result;
  Partition rest = partitions_.of_key(truth(true));
  for (const ExpressionId part : conjuncts(attention.score)) {
    if (!is_integer_equality(part)) {
      rest = partitions_.conjunction(rest, condition(part));
      continue;
    }
    const Compare& comparison = std::get<Compare>(program_[part]);
    const bool flipped = program_.reads(comparison.left, At::j);
    if (result.a.valid()) integers_of_two_positions(part);
    result.a = flipped ? comparison.right : comparison.left;
    result.b = flipped ? comparison.left : comparison.right;
    const bool vector =
        std::holds_alternative<VectorAt>(program_[result.b]) || std::holds_alternative<PositionAt>(program_[result.b]);
    if (!vector) integers_of_two_positions(part);
  }
  result.rest = partitions_.terms(rest);
  return result;
}

}  // namespace quench::lower
