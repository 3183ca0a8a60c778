// A regular expression that must be one, as its automaton.
#pragma once

#include <stdexcept>
#include <string_view>

#include "automata/regex/derivatives.h"
#include "parse/parse_regex.h"

namespace quench::automata {

inline lang::Regex regex_of(std::string_view text) {
  parse::ParsedRegex parsed = parse::parse_regex(text);
  if (!parsed.regex) throw std::runtime_error(render(parsed.diagnostics, text, "text"));
  return std::move(*parsed.regex);
}
inline lang::Dfa dfa_of(std::string_view text) { return automaton_of(regex_of(text)); }

/// Over these letters, each one character, and no other symbols.
inline lang::Dfa dfa_over(std::string_view letters, std::string_view text) {
  Alphabet alphabet;
  for (const char letter : letters) alphabet.intern(std::string(1, letter));
  return automaton_of(regex_of(text), alphabet);
}

}  // namespace quench::automata
