#include "parse/text/lexer.h"

#include <algorithm>
#include <utility>

#include "base/number/int128.h"
#include "base/text/utf8.h"
#include "lang/operators.h"
#include "parse/program/program_spellings.h"
#include "parse/text/codes.h"
#include "parse/text/quoted.h"
#include "parse/text/spellings.h"

namespace quench::parse {
namespace {

constexpr Uint128 kLargestNumber = Uint128{1} << 63;  // so that −2^63 can be written

bool is_blank(char32_t code) {
  return code == ' ' || code == '\t' || code == '\r' || code == '\v' || code == '\f' || code == 0xA0 ||
         (code >= 0x2000 && code <= 0x200A) || code == 0x202F || code == 0x3000;
}

bool is_digit(char32_t code) { return code >= '0' && code <= '9'; }

class Lexer {
 public:
  Lexer(std::string_view text, Reporter& reporter, Dialect dialect)
      : text_(text), reporter_(reporter), program_(dialect == Dialect::program) {}

  Tokens run() {
    if (text_.starts_with("\uFEFF")) at_ = 3;  // byte order mark
    while (at_ < text_.size()) step();
    push({.kind = TokenKind::end, .span = {}}, text_.size());
    return std::move(result_);
  }

 private:
  void step() {
    const Utf8Char character = decode_utf8(text_, at_);
    const std::string_view rest = text_.substr(at_);
    if (!character.valid) {
      invalid_bytes();
    } else if (character.code == '\n') {
      newline();
    } else if (is_blank(character.code)) {
      at_ += character.length;
    } else if (rest.starts_with("//")) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (rest.starts_with("/*")) {
      foreign_comment();
    } else if (listing_ && is_name_character(character.code)) {
      listed_symbol();
    } else if (is_digit(character.code)) {
      number();
    } else if (is_name_character(character.code)) {
      word();
    } else if (character.code == '"' && program_) {
      string();
    } else if (character.code == '\'' || character.code == '"') {
      quoted_symbol(at_);
    } else if (!count() && !sign()) {
      unexpected_characters();
    }
  }

  void newline() {
    const std::size_t begin = at_++;
    if (!result_.tokens.empty() && result_.tokens.back().kind != TokenKind::newline)
      push({.kind = TokenKind::newline, .span = {}}, begin);
  }

  void foreign_comment() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find("*/", begin + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
    reporter_.add(code::kForeignOperator, {begin, begin + 2}, "`/*` does not begin a comment in this language",
                  {"comments begin with `//` and end with the line"});
  }

  void push(Token token, std::size_t begin) {
    token.span = {begin, at_};
    result_.tokens.push_back(token);
  }
  void push_broken(std::size_t begin) { push({.kind = TokenKind::broken, .span = {}}, begin); }

  void push_symbol(std::string_view symbol, std::size_t begin) {
    Token token{.kind = TokenKind::symbol, .span = {}};
    token.symbol = result_.alphabet.intern(symbol);
    push(token, begin);
    if (result_.alphabet.size() > result_.symbol_spans.size()) result_.symbol_spans.push_back({begin, at_});
  }

  void number() {
    const std::size_t begin = at_;
    if (program_ && decimal()) return;
    Uint128 value = 0;
    for (; at_ < text_.size() && is_digit(static_cast<unsigned char>(text_[at_])); ++at_)
      if (value <= kLargestNumber) value = value * 10 + static_cast<unsigned>(text_[at_] - '0');
    if (value > kLargestNumber) {
      reporter_.add(code::kTooLarge, {begin, at_}, "the number " + reporter_.quote({begin, at_}) + " is too large",
                    {"numbers in a formula have 64 bits: at most 9223372036854775807"});
      return push_broken(begin);
    }
    Token token{.kind = TokenKind::number, .span = {}};
    token.number = static_cast<std::uint64_t>(value);
    push(token, begin);
  }

  /// `0.25`: digits, a point, at most six digits. False where there is no point.
  bool decimal() {
    constexpr std::size_t kMostDigits = 6, kMostDecimals = 6;
    const std::size_t begin = at_;
    const auto skip_digits = [&](std::size_t from) {
      while (from < text_.size() && is_digit(static_cast<unsigned char>(text_[from]))) ++from;
      return from;
    };
    const std::size_t point = skip_digits(begin);
    if (point >= text_.size() || text_[point] != '.') return false;
    at_ = skip_digits(point + 1);
    const std::size_t decimals = at_ - point - 1;
    if (decimals == 0 || decimals > kMostDecimals || point - begin > kMostDigits) {
      reporter_.add(code::kScore, {begin, at_},
                    "this is not a score: up to six digits stand before the point, one to six after it",
                    {"scores are whole numbers of millionths, below a million: `0.25`, `-1.301030`"});
      push_broken(begin);
      return true;
    }
    Token token{.kind = TokenKind::decimal, .span = {}};
    for (std::size_t k = begin; k < at_; ++k)
      if (k != point) token.number = token.number * 10 + static_cast<unsigned>(text_[k] - '0');
    for (std::size_t k = decimals; k < kMostDecimals; ++k) token.number *= 10;
    push(token, begin);
    return true;
  }

  void skip_name() {
    while (at_ < text_.size()) {
      const Utf8Char character = decode_utf8(text_, at_);
      if (!character.valid || !is_name_character(character.code)) return;
      at_ += character.length;
    }
  }

  void word() {
    const std::size_t begin = at_;
    skip_name();
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "Q") return bracketed_symbol(begin);
    if (name == "Q_") return missing_symbol(begin);
    if (name.starts_with("Q_")) return push_symbol(name.substr(2), begin);
    const Spelling* spelling = program_ ? find_program_word(name) : find_word(name);
    if (spelling) return push(spelling->token, begin);
    if (name == "alphabet" && !program_ && statement_begins() && brace_follows()) {
      listing_ = true;
      return push({.kind = TokenKind::alphabet, .span = {}}, begin);
    }
    push({.kind = TokenKind::name, .span = {}}, begin);
  }

  /// `alphabet` is a word of formulas only where it declares one: it may be a name elsewhere.
  bool statement_begins() const {
    const TokenKind last = result_.tokens.empty() ? TokenKind::newline : result_.tokens.back().kind;
    return last == TokenKind::newline || last == TokenKind::semicolon;
  }
  bool brace_follows() const {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
    return next != std::string_view::npos && text_[next] == '{';
  }

  /// Of a declared alphabet: `a`, `0`, also `Q_a`.
  void listed_symbol() {
    const std::size_t begin = at_;
    skip_name();
    const std::string_view name = text_.substr(begin, at_ - begin);
    push_symbol(name.size() > 2 && name.starts_with("Q_") ? name.substr(2) : name, begin);
  }

  void missing_symbol(std::size_t begin) {
    reporter_.add(code::kMissingSymbol, {begin, at_}, reporter_.quote({begin, at_}) + " lacks its symbol",
                  {"write `Q_a` for the symbol a, and `Q['(']` or `'('` for one that is not a letter, digit or `_`"});
    push_broken(begin);
  }

  /// Q['…'], also Q[a]; `Q` has been read.
  void bracketed_symbol(std::size_t begin) {
    const std::size_t after_q = at_;
    skip_blanks();
    if (at_ >= text_.size() || text_[at_] != '[') {
      at_ = after_q;
      return missing_symbol(begin);
    }
    const std::size_t bracket = at_++;
    skip_blanks();
    const std::size_t inner = at_;
    if (at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"')) {
      quoted_symbol(begin);
    } else {
      skip_name();
      if (at_ == inner) return missing_symbol(begin);
      push_symbol(text_.substr(inner, at_ - inner), begin);
    }
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == ']') {
      ++at_;
    } else {
      reporter_.add(code::kUnclosedBracket, {bracket, bracket + 1}, "the `[` of this symbol is not closed",
                    {"write `Q['(']`"});
    }
    result_.tokens.back().span.end = at_;
  }

  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  void quoted_symbol(std::size_t begin) {
    const Quoted quoted = read_quoted(text_, at_, reporter_);
    at_ = quoted.end;
    if (quoted.ok) {
      push_symbol(quoted.symbol, begin);
    } else {
      push_broken(begin);
    }
  }

  void string() {
    const std::size_t begin = at_;
    Quoted quoted = read_quoted(text_, at_, reporter_, true);
    at_ = quoted.end;
    if (!quoted.ok) return push_broken(begin);
    Token token{.kind = TokenKind::string, .span = {}};
    token.number = result_.strings.size();
    result_.strings.push_back(std::move(quoted.symbol));
    push(token, begin);
  }

  /// `#<`, `#>`, `#`, `#←`, `#→`, `←#`, `→#`. After an operand on the same line, `→` is an implication even before `#`.
  bool count() {
    const std::string_view rest = text_.substr(at_);
    const std::size_t begin = at_;
    using lang::Scope;
    if (rest.starts_with("←#") || (rest.starts_with("→#") && !operand_before())) {
      const Scope scope = rest.starts_with("←#") ? Scope::left : Scope::right;
      at_ += std::string_view("→#").size();
      return push_count(scope, begin), true;
    }
    if (rest[0] != '#') return false;
    for (const auto& [text, scope] : {std::pair{"#←", Scope::left}, {"#→", Scope::right}}) {
      if (!rest.starts_with(text)) continue;
      at_ += std::string_view(text).size();
      return push_count(scope, begin), true;
    }
    const bool directed = rest.size() > 1 && (rest[1] == '<' || rest[1] == '>') && !(rest.size() > 2 && rest[2] == '=');
    at_ += directed ? 2 : 1;
    push_count(!directed ? Scope::all : rest[1] == '<' ? Scope::left : Scope::right, begin);
    return true;
  }

  static bool ends_operand(TokenKind kind) {
    return kind == TokenKind::number || kind == TokenKind::decimal || kind == TokenKind::symbol ||
           kind == TokenKind::name || kind == TokenKind::constant || kind == TokenKind::predicate ||
           kind == TokenKind::close_paren || kind == TokenKind::close_bracket || kind == TokenKind::broken;
  }

  void push_count(lang::Scope scope, std::size_t begin) {
    Token token{.kind = TokenKind::count, .span = {}};
    token.scope = scope;
    push(token, begin);
  }

  bool operand_before() const { return !result_.tokens.empty() && ends_operand(result_.tokens.back().kind); }

  /// The sign here. `[]` is the box of other notations, but not after a count or in a program; `<>` is their diamond
  /// where an operand begins.
  const Spelling* sign_here() const {
    const std::string_view rest = text_.substr(at_);
    const bool count_before = !result_.tokens.empty() && result_.tokens.back().kind == TokenKind::count;
    if (rest.starts_with("[]") && (program_ || count_before)) return find_sign("[");
    if (rest.starts_with("<>") && !program_ && !operand_before()) return find_sign("◇");
    return find_sign(rest);
  }

  bool sign() {
    const Spelling* spelling = sign_here();
    if (!spelling && program_) spelling = find_program_sign(text_.substr(at_));
    if (!spelling) return false;
    const std::size_t begin = at_;
    if (spelling->token.kind == TokenKind::close_brace) listing_ = false;
    at_ += spelling->text == "◇" && text_[begin] == '<' ? 2 : spelling->text.size();
    push(spelling->token, begin);
    if (!spelling->instead.empty()) foreign_operator(*spelling, {begin, at_});
    return true;
  }

  void foreign_operator(const Spelling& spelling, Span span) {
    std::vector<std::string> notes{"write `" + spelling.instead + "` instead"};
    if (spelling.text == "^") notes.emplace_back("or `&`, if both are to be true");
    if (spelling.instead == "G") notes.emplace_back("a rule is about the last position: \"always so far\" is `H`");
    if (spelling.instead == "F") notes.emplace_back("a rule is about the last position: \"once so far\" is `O`");
    reporter_.add(code::kForeignOperator, span, reporter_.quote(span) + " is not an operator of this language",
                  std::move(notes));
  }

  void invalid_bytes() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && !decode_utf8(text_, at_).valid) ++at_;
    reporter_.add(code::kInvalidUtf8, {begin, at_}, "these bytes are not valid UTF-8",
                  {"save the text as UTF-8; the language itself needs only ASCII"});
    push_broken(begin);
  }

  /// One diagnostic for a run of them.
  void unexpected_characters() {
    const std::size_t begin = at_;
    while (at_ < text_.size()) {
      const Utf8Char character = decode_utf8(text_, at_);
      const bool known = !character.valid || character.code == '\n' || is_blank(character.code) ||
                         is_name_character(character.code) || character.code == '\'' || character.code == '"' ||
                         character.code == '#' || find_sign(text_.substr(at_));
      if (known) break;
      at_ += character.length;
    }
    reporter_.add(code::kUnexpectedCharacter, {begin, at_}, reporter_.quote({begin, at_}) + " means nothing here",
                  {"a symbol of the word is written in quotes, `'$'`, or as `Q['$']`"});
    push_broken(begin);
  }

  std::string_view text_;
  Reporter& reporter_;
  bool program_;
  bool listing_ = false;  // inside the braces of a declared alphabet
  std::size_t at_ = 0;
  Tokens result_;
};

}  // namespace

Tokens tokenize(std::string_view text, Reporter& reporter, Dialect dialect) {
  return Lexer(text, reporter, dialect).run();
}

}  // namespace quench::parse
