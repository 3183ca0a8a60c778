// What goes wrong in an expression of a program, in the user's words; and sets of symbols.
#include <algorithm>

#include "base/text/suggest.h"
#include "parse/program/program_spellings.h"
#include "parse/program/syntax.h"
#include "parse/text/codes.h"

namespace quench::parse {

bool ProgramExpressionParser::missing_operand(const Token& token) {
  const bool at_end = ends_statement(token.kind) || token.kind == TokenKind::newline;
  std::vector<std::string> notes{"expected an expression, such as `Q_a(i)`, `in(i)`, `p(i)` or a number"};
  if (token.kind == TokenKind::unary)
    notes = {"temporal operators belong to formulas (.tl); here a vector says it, as in",
             "`before(i) = rightmost j [j < i] p(j) : false`"};
  if (token.kind == TokenKind::leftmost || token.kind == TokenKind::rightmost || token.kind == TokenKind::psum)
    notes = {"attention stands alone on the right of a definition; give it a vector of its own"};
  const std::string found = reporter_.quote(token.span);
  if (pending_.empty())
    reporter_.add(code::kMissingOperand, token.span, found + " cannot begin an expression", std::move(notes));
  else if (at_end)
    reporter_.add(code::kMissingOperand, pending_.back().node.mark,
                  "nothing follows " + reporter_.quote(pending_.back().node.mark), std::move(notes));
  else
    reporter_.add(code::kMissingOperand, token.span,
                  "something is missing between " + reporter_.quote(pending_.back().node.mark) + " and " + found,
                  std::move(notes));
  return false;
}

bool ProgramExpressionParser::missing_operator(const Token& token) {
  std::vector<std::string> notes;
  if (token.kind == TokenKind::binary) notes.push_back("temporal operators belong to formulas (.tl)");
  if (token.kind == TokenKind::name) {
    const std::string meant = nearest(reporter_.text(token.span), program_words());
    if (!meant.empty()) notes.push_back("did you mean `" + meant + "`?");
  }
  if (token.kind == TokenKind::comma) notes.push_back("only calls take several arguments, `f(x, y)`");
  if (token.kind == TokenKind::colon) notes.push_back("a conditional is `p(i) ? x(i) : y(i)`");
  if (notes.empty()) notes.push_back("two statements are separated by a new line or `;`");
  reporter_.add(code::kMissingOperator, token.span, "expected an operator before " + reporter_.quote(token.span),
                std::move(notes));
  return false;
}

bool ProgramExpressionParser::unclosed() {
  const Span opener = pending_[openers_.back()].node.span;
  const Token& found = cursor_.here();
  reporter_.add(code::kUnclosedBracket, opener, reporter_.quote(opener) + " is not closed",
                {"expected `)` before " + reporter_.quote(found.span) + " at " + reporter_.place(found.span.begin)});
  return false;
}

std::optional<std::vector<Symbol>> read_symbol_set(Cursor& cursor, Reporter& reporter) {
  const auto malformed = [&]() -> std::optional<std::vector<Symbol>> {
    reporter.add(code::kMalformedSet, cursor.here().span,
                 "a set of symbols is `{'a', 'b'}`; found " + reporter.quote(cursor.here().span));
    return std::nullopt;
  };
  if (cursor.here().kind != TokenKind::open_brace) return malformed();
  cursor.advance();
  std::vector<Symbol> symbols;
  while (cursor.peek(true, true).kind != TokenKind::close_brace) {
    if (!symbols.empty()) {
      if (cursor.here().kind != TokenKind::comma) return malformed();
      cursor.advance();
    }
    const Token& token = cursor.peek(true, true);
    if (token.kind != TokenKind::symbol || reporter.text(token.span).starts_with('Q')) return malformed();
    symbols.push_back(token.symbol);
    cursor.advance();
  }
  cursor.advance();
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  return symbols;
}

}  // namespace quench::parse
