// Text → tokens. Never fails: what it cannot read becomes a `broken` token and a diagnostic.
#pragma once

#include <string_view>
#include <vector>

#include "base/word.h"
#include "parse/text/reporter.h"
#include "parse/text/token.h"

namespace quench::parse {

enum class Dialect : std::uint8_t { formula, program };

struct Tokens {
  std::vector<Token> tokens;       ///< ends with TokenKind::end; no two newlines in a row
  Alphabet alphabet;               ///< the symbols mentioned, in the order of the text
  std::vector<Span> symbol_spans;  ///< where each is first mentioned
  std::vector<std::string> strings;  ///< of a program: what stands in double quotes
};

Tokens tokenize(std::string_view text, Reporter& reporter, Dialect dialect = Dialect::formula);

}  // namespace quench::parse
