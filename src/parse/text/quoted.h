// Symbols in quotes: '(', 'foo', '\'', '\u{1F600}'; in programs also strings, "ab".
#pragma once

#include <string>
#include <string_view>

#include "parse/text/reporter.h"

namespace quench::parse {

struct Quoted {
  std::string symbol;
  std::size_t end = 0;  ///< just after the closing quote, or where reading stopped
  bool ok = true;       ///< false: reported
};

/// Reads the quoted symbol that begins at text[at]; with `strings`, also a string in double quotes.
Quoted read_quoted(std::string_view text, std::size_t at, Reporter& reporter, bool strings = false);

}  // namespace quench::parse
