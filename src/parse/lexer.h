// Text → tokens. Never fails: what it cannot read becomes a `broken` token and a diagnostic.
#pragma once

#include <string_view>
#include <vector>

#include "base/word.h"
#include "parse/reporter.h"
#include "parse/token.h"

namespace quench::parse {

struct Tokens {
  std::vector<Token> tokens;       ///< ends with TokenKind::end; no two newlines in a row
  Alphabet alphabet;               ///< the symbols mentioned, in the order of the text
  std::vector<Span> symbol_spans;  ///< where each is first mentioned
};

Tokens tokenize(std::string_view text, Reporter& reporter);

}  // namespace quench::parse
