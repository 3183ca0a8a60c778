#include "parse/text/read_tokens.h"

#include "parse/text/codes.h"

namespace quench::parse {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 30;  // ids have 32 bits

/// Where symbols are separated by blanks, one that contains a blank cannot occur in any word.
void check_symbols(const Tokens& tokens, Reporter& reporter) {
  if (tokens.alphabet.single_characters()) return;
  for (std::size_t k = 0; k < tokens.alphabet.size(); ++k)
    if (tokens.alphabet.symbols()[k].find_first_of(" \t\n\r\v\f") != std::string::npos)
      reporter.add(code::kImpossibleSymbol, tokens.symbol_spans[k],
                   "this symbol contains a blank, so no word can contain it",
                   {"some symbols have several characters; then words are written with blanks between symbols"});
}

}  // namespace

std::optional<Tokens> read_tokens(std::string_view text, Reporter& reporter, Dialect dialect) {
  if (text.size() > kLongestText) {
    reporter.add(code::kTooLarge, {0, 0}, "the text is longer than 2^30 bytes");
    return std::nullopt;
  }
  Tokens tokens = tokenize(text, reporter, dialect);
  check_symbols(tokens, reporter);
  return tokens;
}

}  // namespace quench::parse
