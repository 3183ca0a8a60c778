// What goes wrong in an expression, in the user's words; and the two pieces of syntax with rules of their own.
#include <fmt/format.h>

#include <algorithm>

#include "base/text/suggest.h"
#include "base/text/utf8.h"
#include "parse/formula/expression.h"
#include "parse/text/codes.h"
#include "parse/text/spellings.h"

namespace quench::parse {

bool ExpressionParser::missing_operand(const Token& token) {
  const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
  const bool after_opener = !openers_.empty() && openers_.back() + 1 == pending_.size();
  if (at_end && after_opener) return unclosed();
  std::vector<std::string> notes{"expected a formula, such as `Q_a`, or a number or count, such as `#<[Q_a]`"};
  if (token.kind == TokenKind::open_bracket || token.kind == TokenKind::open_brace)
    notes.push_back("group with parentheses; `[` follows only `#<`, `#>`, `#` and `Q`, and `{` only `pred p =`");
  if (pending_.empty()) {
    const bool closing = token.kind == TokenKind::close_paren || token.kind == TokenKind::close_bracket;
    reporter_.add(closing ? code::kUnmatchedBracket : code::kMissingOperand, token.span,
                  reporter_.quote(token.span) + " cannot begin an expression", std::move(notes));
    return false;
  }
  const Span waiting = pending_.back().span;
  if (const std::string hint = repetition(token); !hint.empty()) {
    reporter_.add(code::kRegularExpression, waiting,
                  "nothing follows " + reporter_.quote(waiting) + ", as in a regular expression",
                  {hint, "regular expressions are rules, too: --regex instead of -e, or a file that ends in .regex"});
  } else if (at_end) {
    reporter_.add(code::kMissingOperand, waiting, "nothing follows " + reporter_.quote(waiting), std::move(notes));
  } else if (after_opener) {
    reporter_.add(code::kMissingOperand, token.span,
                  "nothing stands between " + reporter_.quote(waiting) + " and " + reporter_.quote(token.span),
                  std::move(notes));
  } else {
    reporter_.add(code::kMissingOperand, token.span,
                  "something is missing between " + reporter_.quote(waiting) + " and " + reporter_.quote(token.span),
                  std::move(notes));
  }
  return false;
}

/// If the operator that waits repeats what stands before it, as in a regular expression: what it does here.
std::string ExpressionParser::repetition(const Token& token) const {
  const bool times = pending_.back().kind == Pending::Kind::multiply;
  const bool plus = pending_.back().kind == Pending::Kind::add;
  if (!times && !plus) return {};
  const bool of_a_count = values_.back().term != nullptr;
  const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline ||
                      token.kind == TokenKind::close_paren || token.kind == TokenKind::times;
  const bool ends = at_end || (token.kind == TokenKind::binary && !of_a_count);
  if (times && ends) return "`*` multiplies counts; a* is `H Q_a`, and a*b* is `H (Q_a & Z Q_a | Q_b)`";
  if (plus && ends && !of_a_count) return "`+` adds counts; a+ is `H Q_a`, and (a|b)+ is `H (Q_a | Q_b)`";
  return {};
}

bool ExpressionParser::missing_operator(const Token& token) {
  const TokenKind before = cursor_.before().kind;
  std::vector<std::string> notes;
  if (token.kind == TokenKind::name) {
    const std::string meant = nearest(reporter_.text(token.span), reserved_words());
    const Spelling* spelling = find_word(meant);
    if (spelling && spelling->token.kind == TokenKind::binary) notes.push_back("did you mean `" + meant + "`?");
  }
  if (before == TokenKind::number) notes.push_back("multiplication is written `*`, as in `2*#<[Q_a]`");
  if (token.kind == TokenKind::comma)
    notes.push_back("only `mod(m,r)` and the definition of a predicate take two arguments");
  if (token.kind == TokenKind::open_paren)
    notes.push_back("only numerical predicates take an argument; symbols and `let` names do not");
  if (token.kind == TokenKind::open_brace) notes.push_back("group with parentheses; sets occur only in `pred`");
  if (!openers_.empty()) {
    const Span opener = pending_[openers_.back()].span;
    if (cursor_.line_begins_here())
      notes.push_back("is the bracket opened at " + reporter_.place(opener.begin) + " closed?");
  } else if (notes.empty()) {
    notes.push_back("two statements are separated by a new line or `;`");
  }
  reporter_.add(code::kMissingOperator, token.span, "expected an operator before " + reporter_.quote(token.span),
                std::move(notes));
  return false;
}

bool ExpressionParser::unclosed() {
  const Pending& opener = pending_[openers_.back()];
  const bool square = opener.kind == Pending::Kind::count;
  const Token& found = cursor_.here();
  const char* closing = square ? "`]`" : "`)`";
  reporter_.add(code::kUnclosedBracket, opener.span, reporter_.quote(opener.span) + " is not closed",
                {std::string("expected ") + closing + " before " + reporter_.quote(found.span) + " at " +
                 reporter_.place(found.span.begin)});
  return false;
}

void ExpressionParser::report_unknown(const Token& token) {
  const std::string name(reporter_.text(token.span));
  const std::string quoted = reporter_.quote(token.span);
  if (const auto at = definitions_.find(name); at != definitions_.end()) {
    reporter_.add(code::kUsedBeforeDefinition, token.span, quoted + " is used before it is defined",
                  {"it is defined at " + reporter_.place(at->second.span.begin) + "; move that line up"});
    return;
  }
  std::vector<std::string> notes;
  if (const std::string meant = nearest(name, candidates()); !meant.empty())
    notes.push_back("did you mean `" + meant + "`?");
  if (cursor_.here().kind == TokenKind::open_paren) {
    notes.push_back("a predicate is defined by `pred p(x) = …` before it is used");
  } else {
    const std::string symbol = printable(name, 20);
    notes.push_back(fmt::format("the symbol is written `Q_{0}` or `'{0}'`", symbol));
  }
  reporter_.add(code::kUnknownName, token.span, "nothing is called " + quoted, std::move(notes));
}

std::vector<std::string_view> ExpressionParser::candidates() const {
  std::vector<std::string_view> names = reserved_words();
  for (const auto& [name, definition] : definitions_)
    if (definition.done) names.push_back(name);
  std::sort(names.begin(), names.end());  // the order of a hash table is nobody's business
  return names;
}

/// mod(m, r); `mod` has been read.
std::optional<Predicate> ExpressionParser::read_mod(Span& span) {
  const auto expect = [&](TokenKind kind) {
    const bool found = cursor_.peek(true, true).kind == kind;
    if (found) cursor_.advance();
    return found;
  };
  std::optional<std::int64_t> modulus, residue;
  const bool shape = cursor_.here().kind == TokenKind::open_paren && expect(TokenKind::open_paren) &&
                     (modulus = read_integer()) && expect(TokenKind::comma) && (residue = read_integer()) &&
                     cursor_.peek(true, true).kind == TokenKind::close_paren;
  if (!shape) {
    const Token& found = cursor_.here();
    if (found.kind != TokenKind::broken)
      reporter_.add(code::kMalformedMod, ends_statement(found.kind) ? span : found.span,
                    "`mod` takes a modulus and a remainder",
                    {"`mod(3,1)` is true of 1, 4, 7, …; of a count, `mod(3,1)(#<[Q_a])`"});
    return std::nullopt;
  }
  span.end = cursor_.here().span.end;
  cursor_.advance();
  if (*modulus < 1) {
    reporter_.add(code::kMalformedMod, span, "the modulus must be at least 1", {"as in `mod(3,1)`"});
    return std::nullopt;
  }
  Predicate predicate;
  predicate.kind = Predicate::Kind::mod;
  predicate.modulus = *modulus;
  predicate.residue = *residue % *modulus;
  if (predicate.residue < 0) predicate.residue += *modulus;
  predicate.name = "mod(" + std::to_string(predicate.modulus) + "," + std::to_string(predicate.residue) + ")";
  return predicate;
}

std::optional<std::int64_t> ExpressionParser::read_integer() {
  const bool minus = cursor_.peek(true, true).kind == TokenKind::minus;
  if (minus) cursor_.advance();
  const Token& token = cursor_.peek(true, true);
  if (token.kind != TokenKind::number || token.number > INT64_MAX) return std::nullopt;
  cursor_.advance();
  const auto value = static_cast<std::int64_t>(token.number);
  return minus ? -value : value;
}

}  // namespace quench::parse
