// Tokens of the two languages, formulas and programs, as plain data.
#pragma once

#include <cstdint>

#include "base/predicate.h"
#include "base/text/diagnostic.h"
#include "lang/formula.h"

namespace quench::parse {

enum class TokenKind : std::uint8_t {
  end,
  newline,
  semicolon,
  comma,
  open_paren,
  close_paren,
  open_bracket,
  close_bracket,
  open_brace,
  close_brace,
  number,
  decimal,  // only in programs; number: in millionths
  symbol,
  name,
  constant,
  count,
  predicate,  // begin an operand, as do unary, minus, plus and open_paren
  unary,
  binary,
  relation,
  plus,
  minus,
  times,
  divide,
  modulo,
  let,
  pred,
  alphabet,
  // only in programs
  question,
  colon,
  string,  // number: its place in Tokens::strings
  fun,
  leftmost,
  rightmost,
  psum,
  broken,  // already reported; stands for whatever fits
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  // What the kind says is meant; the rest is unused.
  lang::Operator op{};
  lang::Relation relation{};
  lang::Scope scope{};
  Predicate::Kind predicate{};
  bool truth = false;
  Symbol symbol = kUnmentioned;
  std::uint64_t number = 0;  ///< at most 2^63
};

/// Stands between two operands.
constexpr bool is_infix(TokenKind kind) {
  switch (kind) {
    case TokenKind::binary:
    case TokenKind::relation:
    case TokenKind::plus:
    case TokenKind::minus:
    case TokenKind::times:
    case TokenKind::divide:
    case TokenKind::modulo:
    case TokenKind::question:
    case TokenKind::colon:
      return true;
    default:
      return false;
  }
}

/// Can begin an operand and cannot stand between two (so not minus and plus).
constexpr bool begins_operand(TokenKind kind) {
  switch (kind) {
    case TokenKind::number:
    case TokenKind::decimal:
    case TokenKind::symbol:
    case TokenKind::string:
    case TokenKind::name:
    case TokenKind::constant:
    case TokenKind::count:
    case TokenKind::predicate:
    case TokenKind::unary:
    case TokenKind::open_paren:
    case TokenKind::broken:
      return true;
    default:
      return false;
  }
}

/// No expression goes on beyond this, not even inside brackets.
constexpr bool ends_statement(TokenKind kind) {
  return kind == TokenKind::end || kind == TokenKind::semicolon || kind == TokenKind::let || kind == TokenKind::pred;
}

}  // namespace quench::parse
