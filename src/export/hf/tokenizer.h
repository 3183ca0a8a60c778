// The tokenizer of an alphabet, in the format of Hugging Face's tokenizers: one token per symbol, with the symbol's own
// number. Words are read as Quench reads them, by characters where every symbol is one, else separated by blanks.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/word.h"

namespace quench::exports {

/// Tokens besides the symbols: "every other symbol", whose embedding models have, the first token of every word where
/// there is one, and padding.
struct SpecialTokens {
  std::string unknown, padding;
  std::optional<std::string> first;
  std::size_t unknown_id = 0, first_id = 0, padding_id = 0;
};

/// "[UNK]", "[BOS]" and "[PAD]", in more brackets if these are symbols of the alphabet.
SpecialTokens special_tokens(const Alphabet& alphabet, bool bos);

std::string tokenizer_json(const Alphabet& alphabet, const SpecialTokens& special);
std::string tokenizer_config_json(const SpecialTokens& special, std::size_t context);

}  // namespace quench::exports
