// Integer expressions of S-RASP at one position, over n and, where that is known, over i.
#include <set>
#include <utility>

#include "base/error.h"
#include "base/overloaded.h"
#include "base/text/diagnostic.h"
#include "lower/program/srasp/srasp_lowering.h"

namespace quench::lower {

using namespace lang;
using ir::Affine;
using ir::Literal;

namespace {

bool within(const IntegerRange& range) { return range.at_least(kZero) && range.at_most(kBeyond); }

}  // namespace

SraspLowering::SraspLowering(const Program& program, const Recipe& recipe, double sharpness)
    : IntegerElaboration(program),
      numbers_(graph_, recipe, sharpness),
      over_index_(program.vector_count()) {}

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

ir::NodeId SraspLowering::mean(Reach reach, Literal value) {
  const Mask mask = reach == Reach::all ? Mask::none : reach == Reach::up_to ? Mask::future : Mask::past;
  return numbers_.retrieve(numbers_.uniform(mask), Affine(value));
}

void SraspLowering::integer_vector(VectorId id) {
  const Vector& vector = program_[id];
  IntegerRange& range = ranges_[id.index];
  std::visit(Overloaded{[&](const Pointwise& x) {
                          range = range_of(x.value);
                          integers_[id.index] = stored(x.value);
                          if (within(range) && computable(x.value)) over_index_[id.index] = over_index(x.value);
                          range = lower::clipped(range);
                        },
                        [&](const Attention& x) { integers_[id.index] = integer_attention(x, vector.name, range); },
                        [&](const SumOver& x) { sum_vector(id, x); },
                        [](const Mean&) { internal_error("a mean is a score", __FILE__, __LINE__); }},
             vector.definition);
  const Affine& made = *integers_[id.index];
  if (made.terms.size() == 1) graph_.relabel(made.terms[0].node, vector.name + "/n");
}

void SraspLowering::sum_vector(VectorId id, const SumOver& sum) {
  const auto* p = std::get_if<AsInteger>(&program_[sum.value]);
  if (!p) return void(integers_[id.index] = numbers_.sum(sum.reach, number(sum.value)));
  const Literal counted = literal(local(p->of).cases.at(1));
  integers_[id.index] = count(sum.reach, counted);
  ranges_[id.index] = {kZero, kLength};
  if (sum.reach == Reach::up_to || sum.reach == Reach::before) {
    over_index_[id.index] = mean(Reach::up_to, counted);
    if (sum.reach == Reach::before) *over_index_[id.index] += -1 * Affine(numbers_.over_index(counted));
  }
}

/// How many positions within reach satisfy p. A count up to i and the count of all, the unmasked mean, are exact and
/// not clipped, so the others are their differences.
Affine SraspLowering::count(Reach reach, Literal p) {
  switch (reach) {
    case Reach::all:
      return mean(Reach::all, p);
    case Reach::up_to:
      return numbers_.count(p);
    case Reach::before:
      return numbers_.count(p) - numbers_.integer(p);
    case Reach::after:
      return Affine(mean(Reach::all, p)) - numbers_.count(p);
    case Reach::from:
      return Affine(mean(Reach::all, p)) - numbers_.count(p) + numbers_.integer(p);
  }
  internal_error("reach", __FILE__, __LINE__);
}

/// No part of it is too great to be computed with.
bool SraspLowering::computable(ExpressionId root) {
  range_of(root);
  for (const ExpressionId id : expressions_of(program_, {root}))
    if (const auto range = expression_ranges_.find(id.index);
        range != expression_ranges_.end() && !range->second.computable())
      return false;
  return true;
}

void SraspLowering::check_computable(ExpressionId root) {
  if (computable(root)) return;
  throw DiagnosticError(
      {Diagnostic{"E126",
                  "the numbers that are computed with here are too great",
                  program_.span(root),
                  {"sums and factors may come to 2^30 times the length of the word; so much a double can tell apart",
                   "a greater number may be compared or stored as it is, since no position is greater than 2^30"}}});
}

/// What a conditional chooses among, each with the condition that it is chosen: they exclude each other.
std::vector<std::pair<Literal, ExpressionId>> SraspLowering::branches(ExpressionId id) {
  std::vector<std::pair<Literal, ExpressionId>> result, pending{{graph_.truth(true), id}};
  while (!pending.empty()) {
    const auto [condition, at] = pending.back();
    pending.pop_back();
    const auto* choice = std::get_if<Choice>(&program_[at]);
    if (!choice) {
      result.emplace_back(condition, at);
      continue;
    }
    const Literal yes = literal(local(choice->condition).cases.at(1));
    pending.emplace_back(graph_.conjunction({condition, !yes}), choice->no);
    pending.emplace_back(graph_.conjunction({condition, yes}), choice->yes);
  }
  return result;
}

/// Clipped to 0 … n+1, over N. What is too great to be computed with may still be clipped, branch by branch.
Affine SraspLowering::stored(ExpressionId root) {
  const IntegerRange range = range_of(root);
  if (range.at_least(kBeyond)) return 1 + numbers_.one();
  if (range.at_most(kZero)) return 0;
  if (computable(root) || !std::holds_alternative<Choice>(program_[root])) return clipped(number(root), range);
  std::vector<std::pair<Literal, Affine>> chosen;
  for (const auto& [condition, branch] : branches(root)) chosen.emplace_back(condition, stored(branch));
  return numbers_.choose(chosen);
}

/// An integer of one position over i, where that takes no attention but means.
std::optional<Affine> SraspLowering::over_index(ExpressionId root) {
  check_computable(root);
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
  check_computable(root);
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
                   [&](const Choice&) {
                     std::vector<std::pair<Literal, Affine>> values;
                     for (const auto& [condition, branch] : branches(id))
                       values.emplace_back(condition, number_.at(branch.index));
                     return Affine(numbers_.choose(values));
                   },
                   [](const auto&) -> Affine { internal_error("not an integer", __FILE__, __LINE__); }},
        program_[id]);
  }
  return number_.at(root.index);
}

}  // namespace quench::lower
