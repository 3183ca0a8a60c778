#include "parse/formula/predicate_parser.h"

#include <algorithm>
#include <utility>

#include "parse/formula/integer_expression.h"
#include "parse/text/codes.h"
#include "parse/text/spellings.h"

namespace quench::parse {

std::optional<Predicate> PredicateParser::parse(std::string_view name) {
  std::vector<std::string_view> names;
  if (cursor_.here().kind == TokenKind::open_paren && !parameters(names)) return std::nullopt;
  const Token& sign = cursor_.here();
  if (sign.kind != TokenKind::relation || sign.relation != lang::Relation::equal)
    return malformed(sign, names.empty() ? "`=` or parameters" : "`=`"), std::nullopt;
  cursor_.advance();

  std::optional<Predicate> predicate;
  if (cursor_.peek(false, true).kind == TokenKind::open_brace) {
    predicate = set();
  } else if (names.empty()) {
    return malformed(cursor_.here(), "a set, or parameters before the `=`"), std::nullopt;
  } else {
    IntegerExpressionParser expression(cursor_, names, reporter_);
    if (auto code = expression.parse()) {
      predicate.emplace();
      predicate->kind = Predicate::Kind::expression;
      predicate->code = std::move(*code);
    }
    depth_ = expression.depth();
  }
  if (predicate) predicate->name = name;
  return predicate;
}

bool PredicateParser::parameters(std::vector<std::string_view>& names) {
  ++depth_;
  TokenKind separator{};
  do {
    cursor_.advance();
    const Token& name = cursor_.peek(true, true);
    const std::string_view text = reporter_.text(name.span);
    if (name.kind != TokenKind::name && find_word(text)) {
      reporter_.add(code::kReservedName, name.span, reporter_.quote(name.span) + " is a word of the language",
                    {"choose another name, such as `x` for the number and `n` for the length"});
      return false;
    }
    if (name.kind != TokenKind::name) return malformed(name, "the name of a parameter");
    if (names.size() == 2) return malformed(name, "`)` after two parameters");
    if (!names.empty() && names.front() == text) return malformed(name, "a different name");
    names.push_back(text);
    cursor_.advance();
    separator = cursor_.peek(true, true).kind;
  } while (separator == TokenKind::comma);
  if (separator != TokenKind::close_paren) return malformed(cursor_.here(), "`,` or `)`");
  cursor_.advance();
  --depth_;
  return true;
}

std::optional<Predicate> PredicateParser::set() {
  const Span brace = cursor_.here().span;
  Predicate predicate;
  predicate.kind = Predicate::Kind::set;
  ++depth_;
  cursor_.advance();
  while (cursor_.peek(true, true).kind != TokenKind::close_brace) {
    const Token& member = cursor_.here();
    if (ends_statement(member.kind)) {
      reporter_.add(
          code::kUnclosedBracket, brace, "`{` is not closed",
          {"expected `}` before " + reporter_.quote(member.span) + " at " + reporter_.place(member.span.begin)});
      return std::nullopt;
    }
    if (member.kind != TokenKind::number || member.number > INT64_MAX)
      return malformed(member, "a number that is not negative"), std::nullopt;
    predicate.members.push_back(static_cast<std::int64_t>(member.number));
    cursor_.advance();
    if (cursor_.peek(true, true).kind == TokenKind::comma) {
      cursor_.advance();
    } else if (cursor_.here().kind != TokenKind::close_brace && !ends_statement(cursor_.here().kind)) {
      return malformed(cursor_.here(), "`,` or `}`"), std::nullopt;
    }
  }
  cursor_.advance();
  --depth_;
  std::sort(predicate.members.begin(), predicate.members.end());
  predicate.members.erase(std::unique(predicate.members.begin(), predicate.members.end()), predicate.members.end());
  return predicate;
}

bool PredicateParser::malformed(const Token& found, std::string expected) {
  if (found.kind == TokenKind::broken) return false;
  reporter_.add(code::kMalformedPred, found.span, "expected " + expected + ", found " + reporter_.quote(found.span),
                {"a predicate is `pred p = {1, 4, 9}` or `pred q(x, n) = x*x <= n`"});
  return false;
}

}  // namespace quench::parse
