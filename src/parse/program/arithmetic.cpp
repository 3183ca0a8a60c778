// Sums, differences and multiples, of integers or of scores.
#include <limits>

#include "parse/program/checker.h"
#include "parse/text/codes.h"

namespace quench::parse {

using lang::ExpressionId;
using lang::Sort;

std::optional<Sort> ProgramChecker::number_sort(const Syntax& node) {
  bool score = false;
  for (std::size_t k = 0; k < node.args.size(); ++k) {
    const std::optional<ExpressionId> id = operand(node, k);
    if (!id) return std::nullopt;
    score = score || program_.sort(*id) == Sort::score;
  }
  return score ? Sort::score : Sort::integer;
}

ExpressionId ProgramChecker::zero(Sort sort, Span span) {
  if (sort == Sort::score) return program_.add(lang::ScoreConstant{0}, span);
  return program_.add(lang::IntegerConstant{0}, span);
}

ProgramChecker::Meaning ProgramChecker::minus(const Syntax& node) {
  const std::optional<Sort> sort = number_sort(node);
  const auto x = sort ? operand(node, 0, *sort) : std::nullopt;
  if (!x) return {};
  if (const auto* number = std::get_if<lang::IntegerConstant>(&program_[*x]))
    return made(lang::IntegerConstant{-number->value}, node.span);
  if (const auto* score = std::get_if<lang::ScoreConstant>(&program_[*x]))
    return made(lang::ScoreConstant{-score->millionths}, node.span);
  return multiple(-1, *x, node.span);
}

/// factor·x as 0 + factor·x. A multiple of a multiple is one, so that printing and parsing again gives the same sum.
ProgramChecker::Meaning ProgramChecker::multiple(std::int64_t factor, ExpressionId x, Span span) {
  const ExpressionId none = zero(program_.sort(x), span);
  const auto* inner = std::get_if<lang::Sum>(&program_[x]);
  std::int64_t product = 0;
  if (inner && inner->left == none && !__builtin_mul_overflow(factor, inner->factor, &product) &&
      product > std::numeric_limits<std::int64_t>::min())
    return made(lang::Sum{none, inner->right, product}, span);
  return made(lang::Sum{none, x, factor}, span);
}

ProgramChecker::Meaning ProgramChecker::sum(const Syntax& node, std::int64_t factor) {
  const std::optional<Sort> sort = number_sort(node);
  if (!sort) return {};
  const auto left = operand(node, 0, *sort), right = operand(node, 1, *sort);
  if (!left || !right) return {};
  const ExpressionId none = zero(*sort, node.span);
  if (const auto* product = std::get_if<lang::Sum>(&program_[*right]); product && product->left == none)
    return made(lang::Sum{*left, product->right, factor * product->factor}, node.span);  // x + 3*y is one node
  return made(lang::Sum{*left, *right, factor}, node.span);
}

ProgramChecker::Meaning ProgramChecker::product(const Syntax& node) {
  const auto left = operand(node, 0), right = operand(node, 1);
  if (!left || !right) return {};
  const auto* a = std::get_if<lang::IntegerConstant>(&program_[*left]);
  const auto* b = std::get_if<lang::IntegerConstant>(&program_[*right]);
  if (!a && !b) {
    reporter_.add(code::kNotLinear, node.span, "a product of two vectors is not linear",
                  {"one side of `*` must be a whole number"});
    return {};
  }
  const std::int64_t factor = a ? a->value : b->value;
  const ExpressionId other = a ? *right : *left;
  const Sort sort = program_.sort(other) == Sort::score ? Sort::score : Sort::integer;
  const auto of = coerce(other, sort, tree_[node.args[a ? 1 : 0]].span);
  return of ? multiple(factor, *of, node.span) : Meaning{};
}

}  // namespace quench::parse
