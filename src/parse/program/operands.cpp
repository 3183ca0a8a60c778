// What can begin an operand in a program: constants, names and calls, symbols, counts, signs, brackets.
#include "parse/program/levels.h"
#include "parse/program/syntax.h"
#include "parse/text/codes.h"

namespace quench::parse {

using Kind = Syntax::Kind;

bool ProgramExpressionParser::operand() {
  const Token token = cursor_.here();
  Syntax atom = node(Kind::broken, token.span);
  switch (token.kind) {
    case TokenKind::symbol:
      return operand_symbol(token);
    case TokenKind::name:
      return operand_name(token);
    case TokenKind::count:
      return operand_count(token);
    case TokenKind::constant:
      atom.kind = Kind::truth, atom.number = token.truth;
      return leaf(std::move(atom)), true;
    case TokenKind::number:
      atom.kind = Kind::number, atom.number = token.number;
      return leaf(std::move(atom)), true;
    case TokenKind::decimal:
      atom.kind = Kind::decimal, atom.number = token.number;
      return leaf(std::move(atom)), true;
    case TokenKind::string:
      atom.kind = Kind::string, atom.number = token.number;
      return leaf(std::move(atom)), true;
    case TokenKind::broken:
      return leaf(std::move(atom)), true;
    case TokenKind::unary:
      if (token.op != lang::Operator::not_) return missing_operand(token);
      wait(Pending::Kind::prefix, kNotLevel, node(Kind::negation, token.span));
      return cursor_.advance(), true;
    case TokenKind::minus:
      wait(Pending::Kind::prefix, kSignLevel, node(Kind::minus, token.span));
      return cursor_.advance(), true;
    case TokenKind::open_paren:
      open(Pending::Kind::group, node(Kind::broken, token.span));
      return true;
    default:
      return missing_operand(token);
  }
}

/// A name alone is a variable or a parameter; before `(`, what is called.
bool ProgramExpressionParser::operand_name(const Token& token) {
  cursor_.advance();
  Syntax name = node(Kind::name, token.span);
  if (cursor_.here().kind != TokenKind::open_paren) {
    values_.push_back(tree_.add(std::move(name)));
    operand_expected_ = false;
    return true;
  }
  name.kind = Kind::call;
  open(Pending::Kind::call, std::move(name));
  return true;
}

/// `'a'` is the symbol; `Q_a(i)` and `Q['a'](i)` test for it.
bool ProgramExpressionParser::operand_symbol(const Token& token) {
  const bool test = reporter_.text(token.span).starts_with('Q');
  Syntax symbol = node(test ? Kind::symbol_test : Kind::symbol, token.span);
  symbol.symbols = {token.symbol};
  if (!test) return leaf(std::move(symbol)), true;
  cursor_.advance();
  if (cursor_.here().kind != TokenKind::open_paren) {
    reporter_.add(code::kPosition, token.span, reporter_.quote(token.span) + " lacks the position it is asked at",
                  {"write `" + std::string(reporter_.text(token.span)) + "(i)`; the symbol itself is `'a'`"});
    return false;
  }
  open(Pending::Kind::symbol_test, std::move(symbol));
  return true;
}

/// `#[j <= i] φ(j)`, `#[j] φ(j)`: binds like a sign.
bool ProgramExpressionParser::operand_count(const Token& token) {
  const auto malformed = [&] {
    reporter_.add(code::kMalformedAttention, token.span, "a count is `#[j <= i] φ(j)`",
                  {"the brackets hold a comparison of the two positions, or only `j` for all positions"});
    return false;
  };
  Syntax count = node(Kind::count, token.span);
  cursor_.advance();
  if (cursor_.here().kind != TokenKind::open_bracket) return malformed();
  cursor_.advance();
  const Token left = cursor_.here();
  if (left.kind != TokenKind::name) return malformed();
  cursor_.advance();
  count.binder = reporter_.text(left.span);
  count.reach = lang::Reach::all;
  if (cursor_.here().kind == TokenKind::relation) {
    const lang::Relation relation = cursor_.here().relation;
    cursor_.advance();
    const Token right = cursor_.here();
    if (right.kind != TokenKind::name) return malformed();
    cursor_.advance();
    const bool binder_on_the_left = reporter_.text(right.span) == variable_;
    if (!binder_on_the_left) count.binder = reporter_.text(right.span);
    const std::optional<lang::Reach> reach = reach_of(relation, binder_on_the_left);
    if (!reach || (!binder_on_the_left && reporter_.text(left.span) != variable_)) return malformed();
    count.reach = *reach;
  }
  if (cursor_.here().kind != TokenKind::close_bracket) return malformed();
  cursor_.advance();
  wait(Pending::Kind::prefix, kSignLevel, std::move(count));
  return true;
}

std::optional<lang::Reach> reach_of(lang::Relation relation, bool binder_on_the_left) {
  using enum lang::Relation;
  switch (relation) {
    case less:
      return binder_on_the_left ? lang::Reach::before : lang::Reach::after;
    case less_equal:
      return binder_on_the_left ? lang::Reach::up_to : lang::Reach::from;
    case greater:
      return binder_on_the_left ? lang::Reach::after : lang::Reach::before;
    case greater_equal:
      return binder_on_the_left ? lang::Reach::from : lang::Reach::up_to;
    default:
      return std::nullopt;
  }
}

}  // namespace quench::parse
