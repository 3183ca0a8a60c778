#include "parse/text/read_tokens.h"

#include "parse/text/codes.h"

namespace quench::parse {
namespace {

constexpr std::size_t kLongestText = std::size_t{1} << 30;  // ids have 32 bits

}  // namespace

bool can_occur(std::string_view text, const Alphabet& alphabet, Span span, Reporter& reporter) {
  if (alphabet.single_characters() || text.find_first_of(" \t\n\r\v\f") == std::string_view::npos) return true;
  reporter.add(code::kImpossibleSymbol, span, "this contains a blank, so no word can contain it",
               {"some symbols have several characters; then words are written with blanks between symbols"});
  return false;
}

std::optional<Tokens> read_tokens(std::string_view text, Reporter& reporter, Dialect dialect) {
  if (text.size() > kLongestText) {
    reporter.add(code::kTooLarge, {0, 0}, "the text is longer than 2^30 bytes");
    return std::nullopt;
  }
  Tokens tokens = tokenize(text, reporter, dialect);
  for (std::size_t k = 0; k < tokens.alphabet.size(); ++k)
    can_occur(tokens.alphabet.symbols()[k], tokens.alphabet, tokens.symbol_spans[k], reporter);
  return tokens;
}

}  // namespace quench::parse
