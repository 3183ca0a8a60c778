#include "parse/program/syntax.h"

#include <algorithm>
#include <utility>

#include "lang/operators.h"
#include "parse/program/levels.h"
#include "parse/text/codes.h"

namespace quench::parse {
namespace {

using Kind = Syntax::Kind;

std::optional<lang::Connective> connective_of(lang::Operator op) {
  switch (op) {
    case lang::Operator::and_:
      return lang::Connective::and_;
    case lang::Operator::or_:
      return lang::Connective::or_;
    case lang::Operator::implies:
      return lang::Connective::implies;
    case lang::Operator::iff:
      return lang::Connective::iff;
    case lang::Operator::xor_:
      return lang::Connective::xor_;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<SyntaxId> ProgramExpressionParser::parse() {
  bool finished = false;
  while (!reporter_.full()) {
    const Token& token = peek();
    const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
    if (at_end && !operand_expected_) finished = true;
    if (!finished && !(operand_expected_ ? operand() : infix(finished))) return std::nullopt;
    if (!finished) continue;
    if (!openers_.empty()) return unclosed(), std::nullopt;
    reduce(kBracketLevel, false);
    if (!pending_.empty()) {  // a `?` without its `:`
      reporter_.add(code::kMalformedChoice, pending_.back().node.mark, "this `?` lacks its `:`",
                    {"a conditional is `p(i) ? x(i) : y(i)`"});
      return std::nullopt;
    }
    return pop();
  }
  return std::nullopt;
}

bool ProgramExpressionParser::infix(bool& finished) {
  const Token token = cursor_.here();
  switch (token.kind) {
    case TokenKind::binary:
    case TokenKind::relation:
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::times:
      return infix_operator(token);
    case TokenKind::question:
      reduce(kChoiceLevel, true);
      wait(Pending::Kind::question, kBracketLevel, node(Kind::choice, token.span));
      return cursor_.advance(), true;
    case TokenKind::colon:
      return colon(finished);
    case TokenKind::comma:
      return comma(finished);
    case TokenKind::close_paren:
    case TokenKind::close_bracket:
    case TokenKind::close_brace:
      return close(token, finished);
    case TokenKind::name:
      if (reporter_.text(token.span) == "in") return membership();
      return missing_operator(token);
    default:
      return missing_operator(token);
  }
}

bool ProgramExpressionParser::infix_operator(const Token& token) {
  Syntax next = node(Kind::connective, token.span);
  int level = kAdditiveLevel;
  bool right_associative = false;
  if (token.kind == TokenKind::binary) {
    const std::optional<lang::Connective> connective = connective_of(token.op);
    if (!connective) return missing_operator(token);
    next.connective = *connective;
    level = static_cast<int>(lang::facts(token.op).precedence);
    right_associative = lang::facts(token.op).associativity == lang::Associativity::right;
  } else if (token.kind == TokenKind::relation) {
    next.kind = Kind::relation, next.relation = token.relation, level = kComparisonLevel;
  } else if (token.kind == TokenKind::times) {
    next.kind = Kind::product, level = kMultiplicativeLevel;
  } else {
    next.kind = token.kind == TokenKind::plus ? Kind::sum : Kind::difference;
  }
  if (next.kind == Kind::relation) {
    reduce(kComparisonLevel + 1, false);
    if (!pending_.empty() && pending_.back().node.kind == Kind::relation) {
      reporter_.add(code::kChainedComparison, token.span, "comparisons do not chain",
                    {"write both: `1 <= c(i) and c(i) <= 3`"});
      return false;
    }
  }
  reduce(level, right_associative);
  wait(Pending::Kind::infix, level, std::move(next));
  return cursor_.advance(), true;
}

/// `x in {'a', 'b'}`
bool ProgramExpressionParser::membership() {
  reduce(kComparisonLevel + 1, false);
  Syntax member = node(Kind::member, cursor_.here().span);
  cursor_.advance();
  std::optional<std::vector<Symbol>> symbols = read_symbol_set(cursor_, reporter_);
  if (!symbols) return false;
  member.symbols = std::move(*symbols);
  member.args = {pop()};
  member.span = {tree_[member.args[0]].span.begin, cursor_.before().span.end};
  values_.push_back(tree_.add(std::move(member)));
  return true;
}

bool ProgramExpressionParser::colon(bool& finished) {
  reduce(kBracketLevel, false);
  if (pending_.empty() || pending_.back().kind != Pending::Kind::question) {
    if (!openers_.empty()) return missing_operator(cursor_.here());
    return finished = true;
  }
  pending_.back().kind = Pending::Kind::otherwise;
  pending_.back().level = kChoiceLevel;
  operand_expected_ = true;
  return cursor_.advance(), true;
}

bool ProgramExpressionParser::comma(bool& finished) {
  if (openers_.empty()) return finished = true;
  reduce(kBracketLevel, false);
  if (pending_.back().kind != Pending::Kind::call) return missing_operator(cursor_.here());
  operand_expected_ = true;
  return cursor_.advance(), true;
}

bool ProgramExpressionParser::close(const Token& token, bool& finished) {
  if (openers_.empty()) {
    if (inside_ && token.kind == TokenKind::close_bracket) return finished = true;
    reporter_.add(code::kUnmatchedBracket, token.span, reporter_.quote(token.span) + " closes nothing",
                  {"remove it, or add the bracket that it should close"});
    return false;
  }
  reduce(kBracketLevel, false);
  if (token.kind != TokenKind::close_paren || pending_.size() != openers_.back() + 1) return unclosed();
  Pending opener = std::move(pending_.back());
  pending_.pop_back();
  openers_.pop_back();
  cursor_.advance();
  const Span span{opener.node.span.begin, token.span.end};
  if (opener.kind == Pending::Kind::group) {
    tree_[values_.back()].span = span;
    return true;
  }
  opener.node.args.assign(values_.begin() + static_cast<std::ptrdiff_t>(opener.first_value), values_.end());
  values_.resize(opener.first_value);
  opener.node.span = span;
  values_.push_back(tree_.add(std::move(opener.node)));
  return true;
}

void ProgramExpressionParser::open(Pending::Kind kind, Syntax node) {
  openers_.push_back(pending_.size());
  pending_.push_back({kind, kBracketLevel, std::move(node), values_.size()});
  operand_expected_ = true;
  cursor_.advance();
}

void ProgramExpressionParser::leaf(Syntax node) {
  values_.push_back(tree_.add(std::move(node)));
  operand_expected_ = false;
  cursor_.advance();
}

void ProgramExpressionParser::wait(Pending::Kind kind, int level, Syntax node) {
  pending_.push_back({kind, level, std::move(node)});
  operand_expected_ = true;
}

SyntaxId ProgramExpressionParser::pop() {
  const SyntaxId id = values_.back();
  values_.pop_back();
  return id;
}

void ProgramExpressionParser::reduce(int level, bool right_associative) {
  const auto binds = [&](const Pending& top) {
    return top.level > level || (top.level == level && !right_associative && level != kBracketLevel);
  };
  while (!pending_.empty() && binds(pending_.back())) {
    Pending top = std::move(pending_.back());
    pending_.pop_back();
    apply(std::move(top));
  }
}

void ProgramExpressionParser::apply(Pending pending) {
  const std::size_t operands = pending.kind == Pending::Kind::prefix ? 1 : pending.kind == Pending::Kind::infix ? 2 : 3;
  Syntax result = std::move(pending.node);
  result.args.assign(values_.end() - static_cast<std::ptrdiff_t>(operands), values_.end());
  values_.resize(values_.size() - operands);
  result.span = {std::min(result.mark.begin, tree_[result.args.front()].span.begin),
                 tree_[result.args.back()].span.end};
  values_.push_back(tree_.add(std::move(result)));
}

}  // namespace quench::parse
