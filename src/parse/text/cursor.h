// A place in the tokens, and the rule for line ends: a newline ends a statement unless it is inside brackets, an
// operand is still to come, or the next line begins with an operator that stands between operands.
#pragma once

#include <vector>

#include "parse/text/token.h"

namespace quench::parse {

class Cursor {
 public:
  explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}

  /// The token here, as it is.
  const Token& here() const { return tokens_[at_]; }
  /// The token here after skipping a newline that does not end the statement.
  const Token& peek(bool inside_brackets, bool operand_expected) {
    if (here().kind == TokenKind::newline && (inside_brackets || operand_expected || is_infix(after().kind))) ++at_;
    return here();
  }
  /// The one after the token here (the end token is followed by itself).
  const Token& after() const { return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_]; }
  const Token& before() const { return tokens_[at_ > 0 ? at_ - 1 : 0]; }
  void advance() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  bool at_end() const { return here().kind == TokenKind::end; }
  bool line_begins_here() const { return at_ > 0 && tokens_[at_ - 1].kind == TokenKind::newline; }

  /// Skips to the end of a statement that could not be understood, `depth` brackets deep.
  void recover(std::size_t depth) {
    for (; !at_end() && here().kind != TokenKind::semicolon; advance()) {
      switch (here().kind) {
        case TokenKind::let:
        case TokenKind::pred:
          if (line_begins_here()) return;
          break;
        case TokenKind::open_paren:
        case TokenKind::open_bracket:
        case TokenKind::open_brace:
          ++depth;
          break;
        case TokenKind::close_paren:
        case TokenKind::close_bracket:
        case TokenKind::close_brace:
          depth -= depth > 0 ? 1 : 0;
          break;
        case TokenKind::newline:
          if (depth == 0 && !is_infix(after().kind)) return;
          break;
        default:
          break;
      }
    }
  }

 private:
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;
};

}  // namespace quench::parse
