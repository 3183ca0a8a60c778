// Text → regular expression. Collects diagnostics, never prints, never throws on any bytes, never recurses.
//
//   r s   one after the other     r | s   either     r & s   both     ~r   every other word     ( )  the empty word
//   r*  r+  r?  r{m}  r{m,}  r{m,n}      .   any symbol     [abc] [a-z] [^ab]   one symbol     'foo'  \*   a symbol as
//   it is
//
// Postfix signs bind tightest, then ~, then one after the other, then &, then |. Blanks and comments (//) mean nothing.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "lang/regex.h"

namespace quench::parse {

struct RegexLimits {
  std::size_t repetition = 1'000;  ///< the largest number in r{m,n}
  std::size_t nesting = 1'000;     ///< brackets within brackets
  std::size_t length = 1'000'000;  ///< bytes of the text
};

struct ParsedRegex {
  std::optional<lang::Regex> regex;     ///< empty if there is any diagnostic
  std::vector<Diagnostic> diagnostics;  ///< in the order of the text
};

ParsedRegex parse_regex(std::string_view text, const RegexLimits& limits = {});

}  // namespace quench::parse
