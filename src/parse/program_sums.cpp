// Counts and sums over any reach, from prefix sums.
#include "base/overloaded.h"
#include "parse/codes.h"
#include "parse/program_checker.h"

namespace quench::parse {

using lang::At;
using lang::ExpressionId;
using lang::Sort;

ProgramChecker::Meaning ProgramChecker::count(const Syntax& node) {
  const auto of = operand(node, 0, Sort::integer);
  if (!of) return {};
  if (program_.reads(*of, At::i)) {
    reporter_.add(code::kPosition, node.span, "what is counted may only look at the position counted");
    return {};
  }
  return {Meaning::Kind::expression, sum_over(node.reach, *of, fresh_name("count"), node.span), {}};
}

std::string ProgramChecker::fresh_name(const std::string& stem) {
  std::size_t k = 1;
  while (names.contains(stem + std::to_string(k))) ++k;
  const std::string name = stem + std::to_string(k);
  names[name].done = true;
  return name;
}

ExpressionId ProgramChecker::moved_to_i(ExpressionId root) {
  std::unordered_map<std::uint32_t, ExpressionId> moved;
  for (const ExpressionId id : expressions_of(program_, {root})) {
    const Span span = program_.span(id);
    const auto of = [&](ExpressionId old) { return moved.at(old.index); };
    moved[id.index] = program_.add(
        std::visit(Overloaded{[](const lang::Input&) -> lang::Expression { return lang::Input{At::i}; },
                              [](const lang::PositionAt&) -> lang::Expression { return lang::PositionAt{At::i}; },
                              [](const lang::VectorAt& x) -> lang::Expression {
                                return lang::VectorAt{x.vector, At::i};
                              },
                              [&](const lang::Negation& x) -> lang::Expression { return lang::Negation{of(x.of)}; },
                              [&](const lang::Connection& x) -> lang::Expression {
                                return lang::Connection{x.op, of(x.left), of(x.right)};
                              },
                              [&](const lang::SameSymbol& x) -> lang::Expression {
                                return lang::SameSymbol{of(x.left), of(x.right)};
                              },
                              [&](const lang::MemberOf& x) -> lang::Expression {
                                return lang::MemberOf{of(x.of), x.symbols};
                              },
                              [&](const lang::Compare& x) -> lang::Expression {
                                return lang::Compare{x.relation, of(x.left), of(x.right)};
                              },
                              [&](const lang::AsInteger& x) -> lang::Expression { return lang::AsInteger{of(x.of)}; },
                              [&](const lang::AsScore& x) -> lang::Expression { return lang::AsScore{of(x.of)}; },
                              [&](const lang::AsString& x) -> lang::Expression { return lang::AsString{of(x.of)}; },
                              [&](const lang::Sum& x) -> lang::Expression {
                                return lang::Sum{of(x.left), of(x.right), x.factor};
                              },
                              [&](const lang::Choice& x) -> lang::Expression {
                                return lang::Choice{of(x.condition), of(x.yes), of(x.no)};
                              },
                              [](const auto& constant) -> lang::Expression { return constant; }},
                   program_[id]),
        span);
  }
  return moved.at(root.index);
}

/// With P(i) the sum up to i and T the sum over all positions:
///   j ≤ i: P(i)    j < i: P(i) − V(i)    all: T    j > i: T − P(i)    j ≥ i: T − P(i) + V(i)
ExpressionId ProgramChecker::sum_over(lang::Reach reach, ExpressionId value, const std::string& name, Span span) {
  using lang::Reach;
  const auto minus = [&](ExpressionId a, ExpressionId b) { return program_.add(lang::Sum{a, b, -1}, span); };
  const lang::VectorId prefix = program_.add(lang::Vector{name, Sort::integer, lang::PrefixSum{value}, span});
  const ExpressionId here = program_.add(lang::VectorAt{prefix, At::i}, span);
  if (reach == Reach::up_to) return here;
  if (reach == Reach::before) return minus(here, moved_to_i(value));
  const lang::Attention last{lang::Side::rightmost, Reach::all, program_.add(lang::BooleanConstant{true}, span),
                             program_.add(lang::VectorAt{prefix, At::j}, span),
                             program_.add(lang::IntegerConstant{0}, span)};
  const lang::VectorId total = program_.add(lang::Vector{fresh_name("total"), Sort::integer, last, span});
  const ExpressionId all = program_.add(lang::VectorAt{total, At::i}, span);
  if (reach == Reach::all) return all;
  if (reach == Reach::after) return minus(all, here);
  return program_.add(lang::Sum{minus(all, here), moved_to_i(value), 1}, span);
}

}  // namespace quench::parse
