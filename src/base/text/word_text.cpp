#include "base/text/word_text.h"

namespace quench {

std::string joined_symbols(const Alphabet& alphabet, const std::vector<std::string>& symbols) {
  const std::string_view separator = alphabet.single_characters() ? "" : " ";
  std::string text;
  for (std::size_t k = 0; k < symbols.size(); ++k) {
    if (k > 0) text += separator;
    text += symbols[k];
  }
  return text;
}

}  // namespace quench
