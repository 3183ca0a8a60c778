#include "automata/regex/read_regex.h"

#include <utility>

namespace quench::automata {

parse::RegexLimits regex_limits(const Limits& limits) {
  parse::RegexLimits result;
  result.repetition = limits.repetition;
  result.nesting = limits.nesting;
  return result;
}

lang::Dfa read_regex(std::string_view text, const std::optional<Alphabet>& symbols, const Limits& limits) {
  parse::ParsedRegex parsed = parse::parse_regex(text, regex_limits(limits));
  if (!parsed.regex) throw DiagnosticError(std::move(parsed.diagnostics));
  return automaton_of(*parsed.regex, symbols, limits);
}

}  // namespace quench::automata
