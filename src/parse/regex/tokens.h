// The tokens of a regular expression. Sets and repetitions are one token each, so that the parser sees operands,
// operators and brackets only.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lang/regex.h"
#include "parse/parse_regex.h"
#include "parse/text/reporter.h"

namespace quench::parse {

enum class RegexTokenKind : std::uint8_t {
  end,
  one_of,  // a symbol, a set, the dot
  open,
  close,
  either,
  both,
  all_but,
  repeat,
};

struct RegexToken {
  RegexTokenKind kind = RegexTokenKind::end;
  Span span;
  lang::OneOf one_of;
  std::uint32_t least = 0, most = 0;  ///< of a repetition
};

struct RegexTokens {
  std::vector<RegexToken> tokens;  ///< ends with RegexTokenKind::end
  Alphabet alphabet;
  std::vector<Span> symbol_spans;  ///< where each symbol is first mentioned
};

/// What cannot be read is reported; something that fits stands in its place.
RegexTokens tokenize_regex(std::string_view text, const RegexLimits& limits, Reporter& reporter);

}  // namespace quench::parse
