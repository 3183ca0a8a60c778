// What both languages begin with: a text that is not too long, its tokens, and symbols that words can contain.
#pragma once

#include <optional>

#include "parse/text/lexer.h"

namespace quench::parse {

/// Nothing (and reported) if the text is too long to be read at all.
std::optional<Tokens> read_tokens(std::string_view text, Reporter& reporter, Dialect dialect);

/// Whether a symbol, or a string of them, can occur in words: where symbols are separated by blanks, none that contains
/// a blank can. If not, says so of the text at `span`.
bool can_occur(std::string_view text, const Alphabet& alphabet, Span span, Reporter& reporter);

}  // namespace quench::parse
