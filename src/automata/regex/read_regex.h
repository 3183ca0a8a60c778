// The text of a regular expression → its automaton, all under one set of limits.
#pragma once

#include <optional>
#include <string_view>

#include "automata/regex/derivatives.h"
#include "parse/parse_regex.h"

namespace quench::automata {

/// Those that the parser has to keep.
parse::RegexLimits regex_limits(const Limits& limits);

/// Like automaton_of. Throws DiagnosticError with everything that is wrong with the text, UserError beyond the limits.
lang::Dfa read_regex(std::string_view text, const std::optional<Alphabet>& symbols = {}, const Limits& limits = {});

}  // namespace quench::automata
