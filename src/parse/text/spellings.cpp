#include "parse/text/spellings.h"

#include <algorithm>
#include <unordered_map>

#include "base/text/utf8.h"
#include "lang/operators.h"

namespace quench::parse {
namespace {

using lang::Operator;
using lang::Relation;

Token token(TokenKind kind) { return Token{.kind = kind, .span = {}}; }

Token token(Operator op) {
  Token result = token(lang::facts(op).arity == 1 ? TokenKind::unary : TokenKind::binary);
  result.op = op;
  return result;
}

Token token(Relation relation) {
  Token result = token(TokenKind::relation);
  result.relation = relation;
  return result;
}

Token constant(bool truth) {
  Token result = token(TokenKind::constant);
  result.truth = truth;
  return result;
}

Token predicate(Predicate::Kind kind) {
  Token result = token(TokenKind::predicate);
  result.predicate = kind;
  return result;
}

class Table {
 public:
  Table() {
    for (const lang::OperatorFacts& row : lang::all_operators())
      for (const std::string_view text : {row.symbol, row.word, row.unicode}) add(text, token(row.op));
    for (const lang::RelationFacts& row : lang::all_relations())
      for (const std::string_view text : {row.symbol, row.unicode}) add(text, token(row.relation));
    for (const lang::PredicateFacts& row : lang::all_predicates()) add(row.name, predicate(row.kind));
    add_punctuation();
    add_other_notations();
    for (const auto& [text, spelling] : by_text_) {
      longest_ = std::max(longest_, text.size());
      if (is_name_character(decode_utf8(text, 0).code)) words_.push_back(text);
    }
    std::sort(words_.begin(), words_.end());
  }

  const Spelling* find(std::string_view text) const {
    const auto at = by_text_.find(std::string(text));
    return at == by_text_.end() ? nullptr : &at->second;
  }
  const std::vector<std::string_view>& words() const { return words_; }
  std::size_t longest() const { return longest_; }

 private:
  void add(std::string_view text, const Token& meaning, std::string_view instead = "") {
    if (!text.empty())
      by_text_.try_emplace(std::string(text), Spelling{std::string(text), meaning, std::string(instead)});
  }

  void add_punctuation() {
    add("true", constant(true));
    add("⊤", constant(true));
    add("false", constant(false));
    add("⊥", constant(false));
    add("let", token(TokenKind::let));
    add("pred", token(TokenKind::pred));
    // The two doubled signs mean the same in every language we know of.
    add("&&", token(Operator::and_));
    add("||", token(Operator::or_));
    add("==", token(Relation::equal));
    add("+", token(TokenKind::plus));
    add("-", token(TokenKind::minus));
    add("−", token(TokenKind::minus));
    add("*", token(TokenKind::times));
    add("·", token(TokenKind::times));
    add("/", token(TokenKind::divide));
    add("%", token(TokenKind::modulo));
    add("(", token(TokenKind::open_paren));
    add(")", token(TokenKind::close_paren));
    add("[", token(TokenKind::open_bracket));
    add("]", token(TokenKind::close_bracket));
    add("{", token(TokenKind::open_brace));
    add("}", token(TokenKind::close_brace));
    add(",", token(TokenKind::comma));
    add(";", token(TokenKind::semicolon));
  }

  void add_other_notations() {
    for (const char* text : {"=>", "==>", "-->", "⇒", "⟹", "⊃"}) add(text, token(Operator::implies), "->");
    for (const char* text : {"<=>", "<==>", "<-->", "⇔", "⟺"}) add(text, token(Operator::iff), "<->");
    for (const char* text : {"~", "∼"}) add(text, token(Operator::not_), "!");
    for (const char* text : {"/\\", "&&&"}) add(text, token(Operator::and_), "&");
    for (const char* text : {"\\/", "|||"}) add(text, token(Operator::or_), "|");
    add("^", token(Operator::xor_), "xor");
    for (const char* text : {"=<", "⩽"}) add(text, token(Relation::less_equal), "<=");
    add("⩾", token(Relation::greater_equal), ">=");
    for (const char* text : {"/=", "~=", "<>"}) add(text, token(Relation::not_equal), "!=");
    for (const char* text : {"===", ":="}) add(text, token(Relation::equal), "=");
    for (const char* text : {"◇", "◊", "⋄"}) add(text, token(Operator::eventually), "F");
    for (const char* text : {"□", "◻", "[]"}) add(text, token(Operator::always), "G");
    for (const char* text : {"◯", "○"}) add(text, token(Operator::next), "next");
    add("●", token(Operator::previous), "prev");
    add("×", token(TokenKind::times), "*");
  }

  std::unordered_map<std::string, Spelling> by_text_;
  std::vector<std::string_view> words_;
  std::size_t longest_ = 0;
};

const Table& table() {
  static const Table instance;
  return instance;
}

}  // namespace

const Spelling* find_word(std::string_view word) {
  const bool possible =
      !word.empty() && word.size() <= table().longest() && is_name_character(decode_utf8(word, 0).code);
  return possible ? table().find(word) : nullptr;
}

const Spelling* find_sign(std::string_view rest) {
  for (std::size_t length = std::min<std::size_t>(4, rest.size()); length > 0; --length) {
    const std::string_view sign = rest.substr(0, length);
    if (const Spelling* spelling = table().find(sign); spelling && !is_name_character(decode_utf8(sign, 0).code))
      return spelling;
  }
  return nullptr;
}

const std::vector<std::string_view>& reserved_words() { return table().words(); }

}  // namespace quench::parse
