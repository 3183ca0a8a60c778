#include "parse/program/program_spellings.h"

#include <algorithm>

#include "lang/operators.h"

namespace quench::parse {
namespace {

using lang::Operator;

bool is_connective(Operator op) {
  switch (op) {
    case Operator::not_:
    case Operator::and_:
    case Operator::or_:
    case Operator::implies:
    case Operator::iff:
    case Operator::xor_:
      return true;
    default:
      return false;
  }
}

Spelling spelling(std::string_view text, TokenKind kind) {
  return {std::string(text), Token{.kind = kind, .span = {}}, {}};
}

const std::vector<Spelling>& words() {
  static const std::vector<Spelling> table = {
      spelling("fun", TokenKind::fun),           spelling("alphabet", TokenKind::alphabet),
      spelling("leftmost", TokenKind::leftmost), spelling("rightmost", TokenKind::rightmost),
      spelling("psum", TokenKind::psum),
  };
  return table;
}

const std::vector<Spelling>& signs() {
  static const std::vector<Spelling> table = {
      spelling("?", TokenKind::question), spelling(":", TokenKind::colon),     spelling("◀", TokenKind::leftmost),
      spelling("◄", TokenKind::leftmost), spelling("▶", TokenKind::rightmost), spelling("►", TokenKind::rightmost),
  };
  return table;
}

}  // namespace

const Spelling* find_program_word(std::string_view word) {
  for (const Spelling& row : words())
    if (row.text == word) return &row;
  const Spelling* shared = find_word(word);
  if (!shared) return nullptr;
  const TokenKind kind = shared->token.kind;
  const bool connective = (kind == TokenKind::unary || kind == TokenKind::binary) && is_connective(shared->token.op);
  return kind == TokenKind::constant || connective ? shared : nullptr;
}

const Spelling* find_program_sign(std::string_view rest) {
  for (const Spelling& row : signs())
    if (rest.starts_with(row.text)) return &row;
  return nullptr;
}

const std::vector<std::string_view>& program_words() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> found{"in", "pos"};
    for (const Spelling& row : words()) found.push_back(row.text);
    for (const std::string_view word : reserved_words())
      if (find_program_word(word)) found.push_back(word);
    return found;
  }();
  return all;
}

}  // namespace quench::parse
