#include "lang/program.h"

#include <algorithm>
#include <limits>

#include "base/overloaded.h"

namespace quench::lang {

std::string_view to_string(Sort sort) {
  switch (sort) {
    case Sort::boolean:
      return "Boolean";
    case Sort::symbol:
      return "symbol";
    case Sort::integer:
      return "integer";
    case Sort::string:
      return "string";
    case Sort::score:
      return "score";
  }
  return "?";
}

std::string_view to_string(Reach reach) {
  switch (reach) {
    case Reach::all:
      return "true";
    case Reach::before:
      return "j < i";
    case Reach::up_to:
      return "j <= i";
    case Reach::after:
      return "j > i";
    case Reach::from:
      return "j >= i";
  }
  return "?";
}

Sort Program::sort_of(const Expression& expression) const {
  return std::visit(
      Overloaded{[](const SymbolConstant&) { return Sort::symbol; }, [](const StringConstant&) { return Sort::string; },
                 [](const IntegerConstant&) { return Sort::integer; }, [](const ScoreConstant&) { return Sort::score; },
                 [](const Input&) { return Sort::symbol; }, [](const PositionAt&) { return Sort::integer; },
                 [&](const VectorAt& at) { return vectors_[at.vector.index].sort; },
                 [](const AsInteger&) { return Sort::integer; }, [](const AsString&) { return Sort::string; },
                 [](const AsScore&) { return Sort::score; }, [&](const Sum& sum) { return sort(sum.left); },
                 [&](const Choice& choice) { return sort(choice.yes); }, [](const auto&) { return Sort::boolean; }},
      expression);
}

ExpressionId Program::add(const Expression& expression, Span span) {
  const ExpressionId id = expressions_.intern(expression);
  if (id.index < spans_.size()) return id;
  const auto bit = [](At at) { return static_cast<std::uint8_t>(1u << static_cast<int>(at)); };
  std::uint8_t reads =
      std::visit(Overloaded{[&](const Input& x) { return bit(x.at); }, [&](const PositionAt& x) { return bit(x.at); },
                            [&](const VectorAt& x) { return bit(x.at); }, [](const auto&) { return std::uint8_t{0}; }},
                 expression);
  std::uint64_t length = 1;
  for_each_operand(expression, [&](ExpressionId operand) {
    reads |= reads_[operand.index];
    const std::uint64_t more = lengths_[operand.index];
    length = length > std::numeric_limits<std::uint64_t>::max() - more ? length : length + more;
  });
  spans_.push_back(span);
  sorts_.push_back(sort_of(expression));
  reads_.push_back(reads);
  lengths_.push_back(length);
  return id;
}

VectorId Program::add(Vector vector) {
  vectors_.push_back(std::move(vector));
  return VectorId(vectors_.size() - 1);
}

std::int32_t Program::intern(const std::vector<Symbol>& string) {
  const std::size_t at = static_cast<std::size_t>(std::find(strings.begin(), strings.end(), string) - strings.begin());
  if (at == strings.size()) strings.push_back(string);
  return static_cast<std::int32_t>(at);
}

std::vector<VectorId> Program::outputs() const {
  std::vector<VectorId> result;
  for (const SymbolScore& score : scores) result.push_back(score.vector);
  if (result.empty()) result.push_back(output);
  return result;
}

std::vector<bool> Program::needed() const {
  std::vector<bool> result(vectors_.size());
  for (const VectorId id : outputs()) result[id.index] = true;
  for (std::size_t k = vectors_.size(); k-- > 0;) {
    if (!result[k]) continue;
    for (const ExpressionId id : expressions_of(*this, roots(vectors_[k])))
      if (const auto* at = std::get_if<VectorAt>(&expressions_[id])) result[at->vector.index] = true;
  }
  return result;
}

bool Program::is_brasp() const {
  const std::vector<bool> used = needed();
  for (std::size_t k = 0; k < vectors_.size(); ++k) {
    if (!used[k]) continue;
    if (vectors_[k].sort == Sort::integer || std::holds_alternative<SumOver>(vectors_[k].definition) ||
        std::holds_alternative<Mean>(vectors_[k].definition))
      return false;
    for (const ExpressionId id : expressions_of(*this, roots(vectors_[k])))
      if (std::holds_alternative<PositionAt>(expressions_[id])) return false;
  }
  return true;
}

std::vector<ExpressionId> roots(const Vector& vector) {
  return std::visit(Overloaded{[](const Pointwise& x) { return std::vector{x.value}; },
                               [](const Attention& x) {
                                 return std::vector{x.score, x.value, x.otherwise};
                               },
                               [](const SumOver& x) { return std::vector{x.value}; },
                               [](const Mean& x) { return std::vector{x.value}; }},
                    vector.definition);
}

/// Depth first, so that the structure alone decides the order, not when each was added: a program that is printed and
/// parsed again compiles to the same weights.
std::vector<ExpressionId> expressions_of(const Program& program, const std::vector<ExpressionId>& roots) {
  struct Task {
    ExpressionId id;
    bool entered;
  };
  std::vector<Task> tasks;
  for (const ExpressionId root : roots) tasks.push_back({root, false});
  std::reverse(tasks.begin(), tasks.end());
  std::vector<ExpressionId> found;
  std::vector<bool> seen(program.size());
  while (!tasks.empty()) {
    const Task task = tasks.back();
    tasks.pop_back();
    if (task.entered) found.push_back(task.id);
    if (task.entered || seen[task.id.index]) continue;
    seen[task.id.index] = true;
    tasks.push_back({task.id, true});
    for_each_operand(program[task.id], [&](ExpressionId operand) { tasks.push_back({operand, false}); });
  }
  return found;
}

}  // namespace quench::lang
