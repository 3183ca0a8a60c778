#include "automata/rule/read_rule.h"

#include <fmt/format.h>

#include "automata/formats/formats.h"
#include "automata/formula/formula_automaton.h"
#include "automata/machine/determinise.h"
#include "automata/machine/minimise.h"
#include "automata/regex/derivatives.h"
#include "lang/print/print_rule.h"
#include "parse/parse_formula.h"
#include "parse/parse_regex.h"
#include "parse/text/codes.h"

namespace quench::automata {
namespace {

using lang::AutomatonText;

lang::Dfa automaton_of_regex(std::string_view text, const Limits& limits) {
  parse::RegexLimits allowed;
  allowed.repetition = limits.repetition;
  allowed.nesting = limits.nesting;
  allowed.length = limits.length;
  const parse::ParsedRegex parsed = parse::parse_regex(text, allowed);
  if (!parsed.regex) throw DiagnosticError(parsed.diagnostics);
  return automaton_of(*parsed.regex, std::nullopt, limits);
}

lang::Dfa automaton_of_format(const ParsedAutomaton& parsed, const Limits& limits) {
  if (!parsed.nfa) throw DiagnosticError(parsed.diagnostics);
  return minimise(is_deterministic(*parsed.nfa) ? as_dfa(*parsed.nfa) : determinise(*parsed.nfa, limits));
}

lang::Dfa automaton_of_text(std::string_view text, AutomatonText kind, const Limits& limits) {
  switch (kind) {
    case AutomatonText::regex:
      return automaton_of_regex(text, limits);
    case AutomatonText::dfa:
      return automaton_of_format(parse_automaton(text, limits), limits);
    case AutomatonText::att:
      return automaton_of_format(parse_att(text, limits), limits);
    case AutomatonText::hoa:
      return automaton_of_format(parse_hoa(text, limits), limits);
  }
  internal_error("every kind of text is read", __FILE__, __LINE__);
}

[[noreturn]] void refuse(std::string message, Span span) {
  throw DiagnosticError({Diagnostic{parse::code::kNotTheAutomaton, std::move(message), span, {}}});
}

/// The lines that describe the automaton, without what they begin with; `text` keeps what follows them.
std::string take_description(std::string_view& text) {
  std::string description;
  while (text.starts_with(lang::kDescription)) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    description += text.substr(lang::kDescription.size(), end - lang::kDescription.size());
    description += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return description;
}

lang::Formula proved_formula(std::string_view text, const lang::Automaton& automaton, const Limits& limits) {
  parse::ParsedFormula parsed = parse::parse_formula(text);
  if (!parsed.formula) throw DiagnosticError(std::move(parsed.diagnostics));
  if (const auto found = difference(*parsed.formula, automaton.dfa, limits))
    refuse(fmt::format("the formula is not the automaton: they differ on '{}'",
                       united(automaton.dfa.alphabet, parsed.formula->alphabet).print(found->word)),
           {});
  return std::move(*parsed.formula);
}

}  // namespace

lang::Automaton read_rule(std::string_view text, AutomatonText kind, const Limits& limits) {
  return {kind, std::string(text), automaton_of_text(text, kind, limits), std::nullopt};
}

std::optional<AutomatonText> kind_of_file(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? std::nullopt : from_name<AutomatonText>(name.substr(dot + 1));
}

bool describes_automaton(std::string_view text) { return text.starts_with(lang::kDescription); }

lang::Automaton read_description(std::string_view text, const Limits& limits) {
  std::string_view rest = text;
  const std::string description = take_description(rest);
  const std::size_t line = description.find('\n');
  const auto kind = from_name<AutomatonText>(std::string_view(description).substr(0, line));
  if (!kind)
    refuse("the first line of a description names its kind: regex, dfa, att or hoa",
           {0, std::min(text.find('\n'), text.size())});
  lang::Automaton automaton = read_rule(std::string_view(description).substr(line + 1), *kind, limits);
  if (rest.find_first_not_of(" \t\r\n") != std::string_view::npos)
    automaton.formula = proved_formula(rest, automaton, limits);
  return automaton;
}

}  // namespace quench::automata
