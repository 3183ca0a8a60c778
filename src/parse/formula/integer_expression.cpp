#include "parse/formula/integer_expression.h"

#include <algorithm>

#include "parse/text/codes.h"

namespace quench::parse {
namespace {

using Op = IntInstruction::Op;

enum Level : int { kParenthesis, kOr, kAnd, kNot, kComparison, kAdditive, kMultiplicative, kSign };

bool is_arithmetic(Op op) {
  return op == Op::negate || op == Op::add || op == Op::subtract || op == Op::multiply || op == Op::divide ||
         op == Op::modulo;
}
bool is_logic(Op op) { return op == Op::logical_not || op == Op::logical_and || op == Op::logical_or; }
bool is_unary(Op op) { return op == Op::negate || op == Op::logical_not; }

Op operation(lang::Relation relation) {
  switch (relation) {
    case lang::Relation::less_equal:
      return Op::less_equal;
    case lang::Relation::less:
      return Op::less;
    case lang::Relation::greater_equal:
      return Op::greater_equal;
    case lang::Relation::greater:
      return Op::greater;
    case lang::Relation::equal:
      return Op::equal;
    case lang::Relation::not_equal:
      return Op::not_equal;
  }
  return Op::equal;
}

}  // namespace

std::optional<std::vector<IntInstruction>> IntegerExpressionParser::parse() {
  while (!done_)
    if (reporter_.full() || !step()) return std::nullopt;
  if (operands_.back().sort != Sort::condition) {
    reporter_.add(code::kPredicateSort, operands_.back().span, "a predicate is a condition, but this is a number",
                  {"compare it, as in `pred p(x) = x % 3 = 1`"});
    return std::nullopt;
  }
  return std::move(code_);
}

bool IntegerExpressionParser::step() {
  const Token token = cursor_.peek(open_ > 0, operand_expected_);
  const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
  if (operand_expected_) return operand(token);
  if (!at_end) return token.kind == TokenKind::close_paren ? close(token) : infix(token);
  if (open_ > 0) return unclosed(token);
  done_ = true;
  return reduce(kOr);
}

bool IntegerExpressionParser::operand(const Token& token) {
  const auto push = [&](Op op, std::int64_t value) {
    code_.push_back({op, value});
    operands_.push_back({Sort::integer, token.span});
    operand_expected_ = false;
    cursor_.advance();
    return true;
  };
  switch (token.kind) {
    case TokenKind::number:
      if (token.number > INT64_MAX) {
        reporter_.add(code::kTooLarge, token.span, "the number " + reporter_.quote(token.span) + " is too large", {});
        return false;
      }
      return push(Op::constant, static_cast<std::int64_t>(token.number));
    case TokenKind::name: {
      const auto at = std::find(parameters_.begin(), parameters_.end(), reporter_.text(token.span));
      if (at == parameters_.end()) {
        std::string known;
        for (const std::string_view name : parameters_)
          known += (known.empty() ? "`" : ", `") + std::string(name) + "`";
        reporter_.add(code::kUnknownName, token.span, "the predicate has no parameter " + reporter_.quote(token.span),
                      {"its parameters are " + known + ": the first is the number, the second the length of the word"});
        return false;
      }
      return push(at == parameters_.begin() ? Op::x : Op::n, 0);
    }
    case TokenKind::minus:
      wait(Op::negate, kSign, token.span);
      return true;
    case TokenKind::open_paren:
      wait(Op::constant, kParenthesis, token.span);
      ++open_;
      return true;
    case TokenKind::unary:
      if (token.op == lang::Operator::not_) return wait(Op::logical_not, kNot, token.span), true;
      return unexpected(token);
    default:
      return unexpected(token);
  }
}

bool IntegerExpressionParser::infix(const Token& token) {
  Op op{};
  int level = kAdditive;
  switch (token.kind) {
    case TokenKind::plus:
      op = Op::add;
      break;
    case TokenKind::minus:
      op = Op::subtract;
      break;
    case TokenKind::times:
      op = Op::multiply, level = kMultiplicative;
      break;
    case TokenKind::divide:
      op = Op::divide, level = kMultiplicative;
      break;
    case TokenKind::modulo:
      op = Op::modulo, level = kMultiplicative;
      break;
    case TokenKind::relation:
      op = operation(token.relation), level = kComparison;
      break;
    case TokenKind::binary:
      if (token.op != lang::Operator::and_ && token.op != lang::Operator::or_) return unexpected(token);
      level = token.op == lang::Operator::and_ ? kAnd : kOr;
      op = token.op == lang::Operator::and_ ? Op::logical_and : Op::logical_or;
      break;
    default:
      return unexpected(token);
  }
  if (!reduce(level)) return false;
  wait(op, level, token.span);
  operand_expected_ = true;
  return true;
}

bool IntegerExpressionParser::close(const Token& token) {
  if (open_ == 0) {
    reporter_.add(code::kUnmatchedBracket, token.span, "`)` closes nothing",
                  {"remove it, or add the bracket that it should close"});
    return false;
  }
  if (!reduce(kOr)) return false;
  operands_.back().span = {pending_.back().span.begin, token.span.end};
  pending_.pop_back();
  --open_;
  cursor_.advance();
  return true;
}

void IntegerExpressionParser::wait(Op op, int level, Span span) {
  pending_.push_back({op, level, span});
  cursor_.advance();
}

/// Applies every waiting operation that binds at least as tightly: all of them associate to the left.
bool IntegerExpressionParser::reduce(int level) {
  while (!pending_.empty() && pending_.back().level >= level) {
    const Pending top = pending_.back();
    pending_.pop_back();
    if (!apply(top)) return false;
  }
  return true;
}

bool IntegerExpressionParser::apply(const Pending& pending) {
  const Sort needed = is_logic(pending.op) ? Sort::condition : Sort::integer;
  const std::size_t arity = is_unary(pending.op) ? 1 : 2;
  for (std::size_t k = operands_.size() - arity; k < operands_.size(); ++k) {
    if (operands_[k].sort == needed) continue;
    reporter_.add(
        code::kPredicateSort, operands_[k].span,
        reporter_.quote(pending.span) + (needed == Sort::integer ? " needs a number, but this is a condition"
                                                                 : " needs a condition, but this is a number"),
        {needed == Sort::integer ? "comparisons do not chain, and are not numbers: join them with `and`"
                                 : "compare it, as in `x % 3 = 1`"});
    return false;
  }
  const Span last = operands_.back().span;
  const Span first = arity == 2 ? operands_[operands_.size() - 2].span : pending.span;
  operands_.resize(operands_.size() - arity);
  operands_.push_back({is_arithmetic(pending.op) ? Sort::integer : Sort::condition, {first.begin, last.end}});
  code_.push_back({pending.op, 0});
  return true;
}

bool IntegerExpressionParser::unexpected(const Token& token) {
  if (token.kind == TokenKind::broken) return false;
  const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
  const std::string expected = operand_expected_ ? "a number or a parameter" : "an operator";
  const Span span = at_end && !pending_.empty() ? pending_.back().span : token.span;
  reporter_.add(
      code::kMalformedPred, span, "expected " + expected + ", found " + reporter_.quote(token.span),
      {"a predicate is built from its parameters and numbers with + - * / % ( ), comparisons, `and`, `or`, `not`"});
  return false;
}

bool IntegerExpressionParser::unclosed(const Token& found) {
  const auto opener =
      std::find_if(pending_.rbegin(), pending_.rend(), [](const Pending& p) { return p.level == kParenthesis; });
  reporter_.add(code::kUnclosedBracket, opener->span, "`(` is not closed",
                {"expected `)` before " + reporter_.quote(found.span) + " at " + reporter_.place(found.span.begin)});
  return false;
}

}  // namespace quench::parse
