#include "parse/program/right_side.h"

#include <string>
#include <utility>

#include "parse/program/program_spellings.h"
#include "parse/text/codes.h"

namespace quench::parse {

using lang::At;
using lang::ExpressionId;
using lang::Sort;

std::optional<SyntaxId> RightSide::expression(bool inside_brackets) {
  return ProgramExpressionParser(cursor_, tree_, reporter_, variables_.position, inside_brackets).parse();
}

std::optional<RightSide::Defined> RightSide::parse() {
  const Token token = cursor_.peek(false, true);
  const bool mean =
      token.kind == TokenKind::name && reporter_.text(token.span) == "mean" && cursor_.after().kind == TokenKind::name;
  if (mean || token.kind == TokenKind::leftmost || token.kind == TokenKind::rightmost ||
      token.kind == TokenKind::psum) {
    cursor_.advance();
    Brackets brackets;
    if (!variable(variables_.binder) || !read_brackets(brackets)) return std::nullopt;
    if (mean) return this->mean(brackets);
    return token.kind == TokenKind::psum ? sum(brackets) : attention(token.kind, brackets);
  }
  const std::optional<SyntaxId> syntax = expression();
  const auto value = syntax ? checker_.check(*syntax, variables_) : std::nullopt;
  if (!value) return std::nullopt;
  return Defined{program_.sort(*value), lang::Pointwise{*value}};
}

/// `[j < i, S(i,j), …]`: a mask, if there is one, comes first.
bool RightSide::read_brackets(Brackets& brackets) {
  brackets.span = cursor_.here().span;
  if (cursor_.here().kind != TokenKind::open_bracket) {
    reporter_.add(code::kMalformedAttention, cursor_.here().span,
                  "expected `[`, found " + reporter_.quote(cursor_.here().span),
                  {"attention is `rightmost j [j < i, p(j)] q(j) : false`"});
    return false;
  }
  cursor_.advance();
  brackets.score = program_.add(lang::BooleanConstant{true}, brackets.span);
  bool first = true, fine = true;
  while (cursor_.peek(true, true).kind != TokenKind::close_bracket) {
    if (!first && !expect(TokenKind::comma, "`,` or `]`")) return false;
    const std::optional<SyntaxId> item = expression(true);
    if (!item) return false;
    if (const auto reach = mask(*item); reach && first) {
      brackets.reach = *reach;
    } else {
      const auto condition = checker_.check(*item, variables_, Sort::boolean);
      fine = fine && condition;
      if (condition) brackets.score = conjunction(brackets.score, *condition);
    }
    first = false;
  }
  cursor_.advance();
  return fine;
}

bool RightSide::is_true(ExpressionId id) const {
  const auto* constant = std::get_if<lang::BooleanConstant>(&program_[id]);
  return constant && constant->value;
}

ExpressionId RightSide::conjunction(ExpressionId left, ExpressionId right) {
  if (is_true(left)) return right;
  if (is_true(right)) return left;
  return program_.add(lang::Connection{lang::Connective::and_, left, right}, program_.span(right));
}

/// A comparison of the two position variables.
std::optional<lang::Reach> RightSide::mask(SyntaxId item) const {
  const Syntax& node = tree_[item];
  if (node.kind != Syntax::Kind::relation) return std::nullopt;
  const Syntax &left = tree_[node.args[0]], &right = tree_[node.args[1]];
  if (left.kind != Syntax::Kind::name || right.kind != Syntax::Kind::name) return std::nullopt;
  const std::string_view a = reporter_.text(left.span), b = reporter_.text(right.span);
  if (a == variables_.binder && b == variables_.position) return reach_of(node.relation, true);
  if (b == variables_.binder && a == variables_.position) return reach_of(node.relation, false);
  return std::nullopt;
}

std::optional<RightSide::Defined> RightSide::attention(TokenKind side, const Brackets& brackets) {
  const std::optional<SyntaxId> value_syntax = expression();
  if (!value_syntax) return std::nullopt;
  if (cursor_.peek(false, false).kind != TokenKind::colon) {
    reporter_.add(code::kMissingDefault, tree_[*value_syntax].span, "what if no position fits? A default is missing",
                  {"write it after a colon: `rightmost j [j < i, p(j)] q(j) : false`"});
    return std::nullopt;
  }
  cursor_.advance();
  const std::optional<SyntaxId> default_syntax = expression();
  if (!default_syntax) return std::nullopt;
  auto value = checker_.check(*value_syntax, variables_);
  auto otherwise = checker_.check(*default_syntax, {variables_.position, {}});
  if (!value || !otherwise) return std::nullopt;
  const Span span{tree_[*value_syntax].span.begin, tree_[*default_syntax].span.end};
  if (!checker_.unify(*value, *otherwise, span)) return std::nullopt;
  if (program_.sort(*value) == Sort::score) {
    reporter_.add(code::kScore, span, "attention does not retrieve scores",
                  {"retrieve what the score depends on, and choose the score by it"});
    return std::nullopt;
  }
  return Defined{program_.sort(*value),
                 lang::Attention{side == TokenKind::leftmost ? lang::Side::leftmost : lang::Side::rightmost,
                                 brackets.reach, brackets.score, *value, *otherwise}};
}

/// `psum j [j <= i, S(j)] V(j)`: a position that does not satisfy S adds 0.
std::optional<RightSide::Defined> RightSide::sum(const Brackets& brackets) {
  const std::optional<SyntaxId> syntax = expression();
  auto value = syntax ? checker_.check(*syntax, variables_, Sort::integer) : std::nullopt;
  if (!value) return std::nullopt;
  if (program_.reads(*value, At::i) || program_.reads(brackets.score, At::i)) {
    reporter_.add(code::kPosition, tree_[*syntax].span, "a sum may only look at the position summed over",
                  {"write `in(j)`, not `in(i)`, in `psum j [j <= i] …`"});
    return std::nullopt;
  }
  if (!is_true(brackets.score))
    value = program_.add(lang::Choice{brackets.score, *value, program_.add(lang::IntegerConstant{0})}, brackets.span);
  return Defined{Sort::integer, lang::SumOver{brackets.reach, *value}};
}

/// `mean j [j <= i] V(j)`, V a Boolean.
std::optional<RightSide::Defined> RightSide::mean(const Brackets& brackets) {
  const std::optional<SyntaxId> syntax = expression();
  const auto value = syntax ? checker_.check(*syntax, variables_, Sort::boolean) : std::nullopt;
  if (!value) return std::nullopt;
  if (program_.reads(*value, At::i)) {
    reporter_.add(code::kPosition, tree_[*syntax].span, "a mean may only look at the position it runs over",
                  {"write `in(j)`, not `in(i)`, in `mean j [j <= i] …`"});
    return std::nullopt;
  }
  const bool strict = brackets.reach == lang::Reach::before || brackets.reach == lang::Reach::after;
  if (strict || !is_true(brackets.score)) {
    reporter_.add(code::kMalformedAttention, brackets.span, "a mean is over `j <= i`, `j >= i` or all positions",
                  {"over `j < i` there may be none; conditions belong to what is averaged"});
    return std::nullopt;
  }
  return Defined{Sort::score, lang::Mean{brackets.reach, *value}};
}

}  // namespace quench::parse
