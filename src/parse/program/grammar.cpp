#include "parse/program/grammar.h"

#include <utility>

#include "parse/text/codes.h"

namespace quench::parse {

bool ProgramGrammar::expect(TokenKind kind, const char* what) {
  if (cursor_.here().kind == kind) return cursor_.advance(), true;
  return malformed(std::string("expected ") + what + ", found " + reporter_.quote(cursor_.here().span));
}

bool ProgramGrammar::expect_equals() {
  const Token& token = cursor_.here();
  if (token.kind == TokenKind::relation && token.relation == lang::Relation::equal) return cursor_.advance(), true;
  return malformed("expected `=`, found " + reporter_.quote(token.span));
}

bool ProgramGrammar::at_end_of_statement() {
  const TokenKind kind = cursor_.here().kind;
  if (kind == TokenKind::newline || kind == TokenKind::semicolon || kind == TokenKind::end) return true;
  return malformed("expected the end of the line, found " + reporter_.quote(cursor_.here().span));
}

bool ProgramGrammar::variable(std::string_view& name) {
  const Token token = cursor_.here();
  if (!expect(TokenKind::name, "the name of a position, such as `i`")) return false;
  name = reporter_.text(token.span);
  return true;
}

bool ProgramGrammar::malformed(std::string message) {
  if (cursor_.here().kind != TokenKind::broken)
    reporter_.add(code::kMalformedDefinition, cursor_.here().span, std::move(message),
                  {"a program consists of definitions: `name(i) = …`, `fun f(x) = …`"});
  return false;
}

}  // namespace quench::parse
