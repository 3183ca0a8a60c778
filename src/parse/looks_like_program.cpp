#include "parse/parse_program.h"
#include "parse/text/lexer.h"

namespace quench::parse {

bool looks_like_program(std::string_view text) {
  Reporter ignored(text);
  const std::vector<Token> tokens = tokenize(text.substr(0, std::size_t{1} << 30), ignored, Dialect::program).tokens;
  bool begins = true;
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    if (begins && tokens[k].kind == TokenKind::fun) return true;
    if (begins && k + 4 < tokens.size() && tokens[k].kind == TokenKind::name &&
        tokens[k + 1].kind == TokenKind::open_paren && tokens[k + 2].kind == TokenKind::name &&
        tokens[k + 3].kind == TokenKind::close_paren && tokens[k + 4].kind == TokenKind::relation &&
        tokens[k + 4].relation == lang::Relation::equal)
      return true;
    if (begins && k + 1 < tokens.size() && tokens[k].kind == TokenKind::name &&
        ignored.text(tokens[k].span) == "score" && tokens[k + 1].kind == TokenKind::open_bracket)
      return true;
    begins = tokens[k].kind == TokenKind::newline || tokens[k].kind == TokenKind::semicolon;
  }
  return false;
}

}  // namespace quench::parse
