// Integer expressions of S-RASP at one position, over n and, where that is known, over i; and their comparisons.
#include <set>
#include <utility>

#include "base/error.h"
#include "base/overloaded.h"
#include "lower/srasp_lowering.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

constexpr std::int64_t kGreatest = 1000;  // a number that 1/i is compared with

bool within(const IntegerRange& range) { return range.at_least(kZero) && range.at_most(kBeyond); }

}  // namespace

SraspLowering::SraspLowering(const Program& program, const Recipe& recipe, double sharpness)
    : IrElaboration(program),
      numbers_(graph_, recipe, sharpness),
      integers_(program.vector_count()),
      over_index_(program.vector_count()),
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

ir::Graph SraspLowering::lower() {
  run();
  if (program_.output_sort() != Sort::integer) {
    set_output();
    return std::move(graph_);
  }
  graph_.number = true;
  const Affine& value = *integers_[program_.output.index];
  const bool node =
      value.terms.size() == 1 && value == Affine(value.terms[0].node) && !graph_.boolean(value.terms[0].node);
  graph_.output = {node ? value.terms[0].node : graph_.add(ir::Piecewise{{{value, 1}}, {}, 0, 2}, "output"), false};
  return std::move(graph_);
}

Affine SraspLowering::clipped(const Affine& x, const IntegerRange& range) {
  return within(range) ? x : Affine(numbers_.clip(x));
}

Bit SraspLowering::compare(ExpressionId, const Compare& comparison) {
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

ir::NodeId SraspLowering::mean(Reach reach, Literal value) {
  const Mask mask = reach == Reach::all ? Mask::none : reach == Reach::up_to ? Mask::future : Mask::past;
  return numbers_.retrieve(numbers_.uniform(mask), Affine(value));
}

void SraspLowering::integer_vector(VectorId id) {
  const Vector& vector = program_[id];
  IntegerRange& range = ranges_[id.index];
  std::visit(Overloaded{[&](const Pointwise& x) {
                          range = range_of(x.value);
                          integers_[id.index] = clipped(number(x.value), range);
                          if (within(range)) over_index_[id.index] = over_index(x.value);
                          range = lower::clipped(range);
                        },
                        [&](const Attention& x) { integers_[id.index] = integer_attention(x, vector.name, range); },
                        [&](const PrefixSum& x) {
                          if (const auto* p = std::get_if<AsInteger>(&program_[x.value])) {
                            const Literal counted = literal(local(p->of).cases.at(1));
                            integers_[id.index] = numbers_.count(counted);
                            over_index_[id.index] = mean(Reach::up_to, counted);
                            range = {kZero, kLength};
                          } else {
                            integers_[id.index] = numbers_.prefix_sum(number(x.value));
                          }
                        },
                        [](const Mean&) { internal_error("a mean is a score", __FILE__, __LINE__); }},
             vector.definition);
  const Affine& made = *integers_[id.index];
  if (made.terms.size() == 1) graph_.relabel(made.terms[0].node, vector.name + "/n");
}

IntegerRange SraspLowering::range_of(ExpressionId root) const {
  std::unordered_map<std::uint32_t, IntegerRange> ranges;
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (program_.sort(id) != Sort::integer) continue;
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

/// a ≥ b, of integers at one position.
Literal SraspLowering::at_least(ExpressionId a, ExpressionId b) {
  const IntegerRange difference = sum(range_of(a), range_of(b), -1);
  if (difference.at_least(kZero)) return graph_.truth(true);
  if (difference.at_most({-1, 0})) return graph_.truth(false);
  if (std::holds_alternative<PositionAt>(program_[a]) && few(b)) return position_at_least(b, 0);
  if (std::holds_alternative<PositionAt>(program_[b]) && few(a)) return !position_at_least(a, 1);
  const std::optional<Affine> x = over_index(a), y = over_index(b);
  if (x && y) return numbers_.at_least_zero_over_i(*x - *y);
  return numbers_.at_least_zero(number(a) - number(b));
}

Literal SraspLowering::equal(ExpressionId a, ExpressionId b) {
  if (std::holds_alternative<PositionAt>(program_[b]) && few(a)) std::swap(a, b);
  if (!std::holds_alternative<PositionAt>(program_[a]) || !few(b))
    return graph_.conjunction({at_least(a, b), at_least(b, a)});
  std::vector<Literal> any;
  for (const auto& [value, holds] : local(b).cases)
    if (value >= 1)
      any.push_back(
          graph_.conjunction({literal(holds), numbers_.position_from(value), !numbers_.position_from(value + 1)}));
  return graph_.disjunction(std::move(any));
}

/// One of few numbers, none of them great.
bool SraspLowering::few(ExpressionId id) {
  if (!finite_[id.index]) return false;
  const auto& cases = local(id).cases;
  return cases.begin()->first >= -kGreatest && cases.rbegin()->first <= kGreatest;
}
/// i ≥ x + more, case by case: i ≥ v where 1/i ≤ 1/v.
Literal SraspLowering::position_at_least(ExpressionId x, std::int64_t more) {
  std::vector<Literal> any;
  for (const auto& [value, holds] : local(x).cases)
    any.push_back(graph_.conjunction({literal(holds), numbers_.position_from(value + more)}));
  return graph_.disjunction(std::move(any));
}

/// The values a conditional chooses among, each with the condition that it is chosen: they exclude each other.
std::vector<std::pair<Literal, Affine>> SraspLowering::branches(ExpressionId id) {
  std::vector<std::pair<Literal, Affine>> result;
  std::vector<std::pair<Literal, ExpressionId>> pending{{graph_.truth(true), id}};
  while (!pending.empty()) {
    const auto [condition, at] = pending.back();
    pending.pop_back();
    const auto* choice = std::get_if<Choice>(&program_[at]);
    if (!choice) {
      result.emplace_back(condition, number_.at(at.index));
      continue;
    }
    const Literal yes = literal(local(choice->condition).cases.at(1));
    pending.emplace_back(graph_.conjunction({condition, !yes}), choice->no);
    pending.emplace_back(graph_.conjunction({condition, yes}), choice->yes);
  }
  return result;
}

/// An integer of one position over i, where that takes no attention but means.
std::optional<Affine> SraspLowering::over_index(ExpressionId root) {
  std::unordered_map<std::uint32_t, Affine> made;
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (program_.sort(id) != Sort::integer) continue;
    std::optional<Affine> value =
        std::visit(Overloaded{[&](const IntegerConstant& x) -> std::optional<Affine> {
                                return static_cast<double>(x.value) * numbers_.inverse_index();
                              },
                              [](const PositionAt&) -> std::optional<Affine> { return Affine(1); },
                              [&](const VectorAt& x) -> std::optional<Affine> { return over_index_[x.vector.index]; },
                              [&](const AsInteger& x) -> std::optional<Affine> {
                                return Affine(numbers_.over_index(literal(local(x.of).cases.at(1))));
                              },
                              [&](const Sum& x) -> std::optional<Affine> {
                                return made.at(x.left.index) + static_cast<double>(x.factor) * made.at(x.right.index);
                              },
                              [](const auto&) -> std::optional<Affine> { return std::nullopt; }},
                   program_[id]);
    if (!value) return std::nullopt;
    made[id.index] = std::move(*value);
  }
  return made.at(root.index);
}

/// The value of an integer expression of one position, over N. Operands first.
const Affine& SraspLowering::number(ExpressionId root) {
  const std::vector<ExpressionId> all = expressions_of(program_, {root});
  // A conditional inside a conditional is one of its branches, and needs no value of its own.
  std::set<ExpressionId> branch_of_choice, operand_of_other;
  for (const ExpressionId id : all) {
    const bool choice = std::holds_alternative<Choice>(program_[id]) && program_.sort(id) == Sort::integer;
    for_each_operand(program_[id], [&](ExpressionId operand) {
      if (std::holds_alternative<Choice>(program_[operand]))
        (choice ? branch_of_choice : operand_of_other).insert(operand);
    });
  }
  for (const ExpressionId id : all) {
    if (program_.sort(id) != Sort::integer || number_.contains(id.index)) continue;
    if (id != root && branch_of_choice.contains(id) && !operand_of_other.contains(id)) continue;
    number_[id.index] = std::visit(
        Overloaded{[&](const IntegerConstant& x) { return static_cast<double>(x.value) * numbers_.one(); },
                   [&](const PositionAt&) { return numbers_.position(); },
                   [&](const VectorAt& x) { return *integers_[x.vector.index]; },
                   [&](const AsInteger& x) { return Affine(numbers_.integer(literal(local(x.of).cases.at(1)))); },
                   [&](const Sum& x) {
                     return number_.at(x.left.index) + static_cast<double>(x.factor) * number_.at(x.right.index);
                   },
                   [&](const Choice&) { return Affine(numbers_.choose(branches(id))); },
                   [](const auto&) -> Affine { internal_error("not an integer", __FILE__, __LINE__); }},
        program_[id]);
  }
  return number_.at(root.index);
}

}  // namespace quench::lower
