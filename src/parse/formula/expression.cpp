#include "parse/formula/expression.h"

#include <utility>

#include "lang/operators.h"
#include "parse/text/codes.h"
#include "parse/text/spellings.h"

namespace quench::parse {
namespace {

// Above the levels of lang::Precedence. A comparison binds tighter than any operator on formulas, so that
// `!#<[Q_a] >= 1` is `!(#<[Q_a] >= 1)`: no other reading has sorts that fit.
constexpr int kBracketLevel = -1;
constexpr int kComparisonLevel = static_cast<int>(lang::Precedence::unary) + 1;
constexpr int kAdditiveLevel = kComparisonLevel + 1;
constexpr int kMultiplicativeLevel = kAdditiveLevel + 1;
constexpr int kSignLevel = kMultiplicativeLevel + 1;

}  // namespace

std::optional<Value> ExpressionParser::parse() {
  while (!reporter_.full()) {
    const Token& token = cursor_.peek(!openers_.empty(), operand_expected_);
    const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
    if (at_end && !operand_expected_) {
      if (!openers_.empty()) return unclosed(), std::nullopt;
      reduce(kBracketLevel, false);
      return pop();
    }
    if (!(operand_expected_ ? operand() : infix())) return std::nullopt;
  }
  return std::nullopt;
}

bool ExpressionParser::operand() {
  using Kind = Pending::Kind;
  const Token token = cursor_.here();
  const auto take = [&](Value value) {
    push(std::move(value));
    cursor_.advance();
    return true;
  };
  const auto wait = [&](Pending pending) {
    pending_.push_back(pending);
    cursor_.advance();
    return true;
  };
  switch (token.kind) {
    case TokenKind::symbol:
      return take(builder_.atom(lang::SymbolAtom{token.symbol}, token.span));
    case TokenKind::constant:
      return take(builder_.atom(lang::Constant{token.truth}, token.span));
    case TokenKind::number:
      return take(builder_.number(token.number, token.span));
    case TokenKind::name:
      return operand_name(token);
    case TokenKind::predicate:
      return operand_predicate(token);
    case TokenKind::count:
      return operand_count(token);
    case TokenKind::unary:
      return wait({.kind = Kind::unary,
                   .level = static_cast<int>(lang::facts(token.op).precedence),
                   .span = token.span,
                   .op = token.op});
    case TokenKind::minus:
      return wait({.kind = Kind::negative, .level = kSignLevel, .span = token.span});
    case TokenKind::plus:
      return wait({.kind = Kind::positive, .level = kSignLevel, .span = token.span});
    case TokenKind::open_paren:
      open(Kind::group, token.span);
      return true;
    case TokenKind::broken:
      if (begins_operand(cursor_.after().kind))
        return wait({.kind = Kind::unknown_prefix, .level = kSignLevel, .span = token.span});
      return take(Value{.span = token.span, .formula = {}, .term = nullptr});
    default:
      return missing_operand(token);
  }
}

bool ExpressionParser::operand_name(const Token& token) {
  const auto at = definitions_.find(std::string(reporter_.text(token.span)));
  const bool known = at != definitions_.end() && at->second.done;
  cursor_.advance();
  if (!known) {
    report_unknown(token);
    // A misspelt operator or predicate: read on as if it were one.
    const TokenKind next = cursor_.here().kind;
    if (next == TokenKind::open_paren) {
      open(Pending::Kind::unknown_application, token.span);
    } else if (begins_operand(next)) {
      pending_.push_back({.kind = Pending::Kind::unknown_prefix, .level = kSignLevel, .span = token.span});
    } else {
      push(Value{.span = token.span, .formula = {}, .term = nullptr});
    }
    return true;
  }
  Definition& definition = at->second;
  if (!definition.predicate) {
    Value value = definition.value;
    value.span = token.span;
    push(std::move(value));
    return true;
  }
  if (!definition.interned) definition.interned = formula_.add(*definition.predicate);
  return apply_or_push(*definition.interned, token.span);
}

bool ExpressionParser::operand_predicate(const Token& token) {
  Span span = token.span;
  cursor_.advance();
  if (token.predicate == Predicate::Kind::mod) {
    const std::optional<Predicate> mod = read_mod(span);
    return mod && apply_or_push(formula_.add(*mod), span);
  }
  Predicate predicate;
  predicate.kind = token.predicate;
  predicate.name = reporter_.text(token.span);
  return apply_or_push(formula_.add(predicate), span);
}

/// θ before `(` is applied to a count; alone, it is about the position.
bool ExpressionParser::apply_or_push(lang::PredicateId predicate, Span span) {
  if (cursor_.here().kind == TokenKind::open_paren) {
    open(Pending::Kind::application, span, {}, predicate);
  } else {
    push(builder_.atom(lang::PositionPredicate{predicate}, span));
  }
  return true;
}

bool ExpressionParser::operand_count(const Token& token) {
  cursor_.advance();
  if (cursor_.here().kind == TokenKind::open_bracket) {
    open(Pending::Kind::count, token.span, token.scope);
    return true;
  }
  reporter_.add(code::kMalformedCount, token.span, reporter_.quote(token.span) + " must be followed by `[`",
                {"a count is `#<[φ]` (positions up to here), `#>[φ]` (from here on) or `#[φ]` (all)",
                 "comments begin with `//`"});
  return false;
}

bool ExpressionParser::infix() {
  using Kind = Pending::Kind;
  const Token token = cursor_.here();
  switch (token.kind) {
    case TokenKind::binary:
    case TokenKind::relation:
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::times:
      push_infix(token);
      return true;
    case TokenKind::divide:
    case TokenKind::modulo:
      reporter_.add(code::kDivision, token.span, reporter_.quote(token.span) + " is only known inside `pred`",
                    {"a term is linear: counts times numbers, added up",
                     "for remainders use `mod(3,1)(#<[Q_a])`, or define a predicate: `pred p(x) = x / 2 % 2 = 1`"});
      [[fallthrough]];
    case TokenKind::broken: {
      cursor_.advance();
      const TokenKind next = cursor_.here().kind;
      if (!begins_operand(next) && token.kind == TokenKind::broken) return true;
      reduce(kMultiplicativeLevel, false);
      pending_.push_back({.kind = Kind::unknown_infix, .level = kMultiplicativeLevel, .span = token.span});
      operand_expected_ = true;
      return true;
    }
    case TokenKind::close_paren:
    case TokenKind::close_bracket:
    case TokenKind::close_brace:
      return close(token);
    default:
      return missing_operator(token);
  }
}

void ExpressionParser::push_infix(const Token& token) {
  using Kind = Pending::Kind;
  Pending next{.kind = Kind::binary, .level = 0, .span = token.span, .op = token.op, .relation = token.relation};
  switch (token.kind) {
    case TokenKind::binary:
      next.level = static_cast<int>(lang::facts(token.op).precedence);
      next.right_associative = lang::facts(token.op).associativity == lang::Associativity::right;
      break;
    case TokenKind::relation:
      next.kind = Kind::relation, next.level = kComparisonLevel;
      break;
    case TokenKind::times:
      next.kind = Kind::multiply, next.level = kMultiplicativeLevel;
      break;
    default:
      next.kind = token.kind == TokenKind::plus ? Kind::add : Kind::subtract, next.level = kAdditiveLevel;
  }
  if (next.kind == Kind::relation) {
    reduce(kComparisonLevel + 1, false);
    if (!pending_.empty() && pending_.back().kind == Kind::relation) {
      reporter_.add(code::kChainedComparison, token.span, "comparisons do not chain",
                    {"write both: `1 <= #<[Q_a] & #<[Q_a] <= 3`"});
      next.kind = Kind::unknown_infix;
    }
  }
  reduce(next.level, next.right_associative);
  pending_.push_back(next);
  operand_expected_ = true;
  cursor_.advance();
}

bool ExpressionParser::close(const Token& token) {
  using Kind = Pending::Kind;
  if (openers_.empty()) {
    reporter_.add(code::kUnmatchedBracket, token.span, reporter_.quote(token.span) + " closes nothing",
                  {"remove it, or add the bracket that it should close"});
    return false;
  }
  reduce(kBracketLevel, false);
  const Pending opener = pending_.back();
  const bool square = opener.kind == Kind::count;
  if (token.kind != (square ? TokenKind::close_bracket : TokenKind::close_paren)) return unclosed();
  pending_.pop_back();
  openers_.pop_back();
  cursor_.advance();

  Value value = pop();
  const Span span{opener.span.begin, token.span.end};
  switch (opener.kind) {
    case Kind::count:
      value = builder_.count(opener.scope, span, std::move(value));
      break;
    case Kind::application:
      value = builder_.application(opener.predicate, span, std::move(value));
      break;
    case Kind::unknown_application:
      value = Value{.span = span, .formula = {}, .term = nullptr};
      break;
    default:
      value.span = span;
  }
  push(std::move(value));
  return true;
}

void ExpressionParser::open(Pending::Kind kind, Span span, lang::Scope scope, lang::PredicateId predicate) {
  openers_.push_back(pending_.size());
  pending_.push_back({.kind = kind,
                      .level = kBracketLevel,
                      .span = {span.begin, cursor_.here().span.end},
                      .scope = scope,
                      .predicate = predicate});
  operand_expected_ = true;
  cursor_.advance();
}

void ExpressionParser::push(Value value) {
  values_.push_back(std::move(value));
  operand_expected_ = false;
}

Value ExpressionParser::pop() {
  Value value = std::move(values_.back());
  values_.pop_back();
  return value;
}

void ExpressionParser::reduce(int level, bool right_associative) {
  const auto binds = [&](const Pending& top) {
    return top.level > level || (top.level == level && !right_associative && level != kBracketLevel);
  };
  while (!pending_.empty() && binds(pending_.back())) {
    const Pending top = pending_.back();
    pending_.pop_back();
    apply(top);
  }
}

void ExpressionParser::apply(const Pending& pending) {
  using Kind = Pending::Kind;
  Value right = pop();
  const Span span = pending.span;
  const bool infix = pending.kind >= Kind::binary;
  Value left = infix ? pop() : Value{};
  switch (pending.kind) {
    case Kind::unary:
      return push(builder_.unary(pending.op, span, std::move(right)));
    case Kind::positive:
      return push(builder_.negative(span, std::move(right), false));
    case Kind::negative:
      return push(builder_.negative(span, std::move(right), true));
    case Kind::binary:
      return push(builder_.binary(pending.op, span, std::move(left), std::move(right)));
    case Kind::relation:
      return push(builder_.comparison(pending.relation, span, std::move(left), std::move(right)));
    case Kind::add:
      return push(builder_.sum(span, std::move(left), std::move(right), false));
    case Kind::subtract:
      return push(builder_.sum(span, std::move(left), std::move(right), true));
    case Kind::multiply:
      return push(builder_.product(span, std::move(left), std::move(right)));
    default: {
      const Span whole{infix ? left.span.begin : span.begin, right.span.end};
      return push(Value{.span = whole, .formula = {}, .term = nullptr});
    }
  }
}

}  // namespace quench::parse
