#include "driver/translate_rule.h"

#include <fmt/format.h>

#include "automata/formats/dot.h"
#include "automata/formats/formats.h"
#include "automata/translate/naming.h"
#include "base/error.h"
#include "driver/compile_automaton.h"
#include "driver/language_of.h"
#include "lang/print/print.h"
#include "lang/print/print_program.h"
#include "lower/translate/translate.h"

namespace quench::driver {
namespace {

std::string as_formula(const lang::Rule& rule, const automata::Limits& limits) {
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return lang::print(*formula);
  if (const auto* program = std::get_if<lang::Program>(&rule)) return lang::print(lower::to_ltl(*program));
  const auto& automaton = std::get<lang::Automaton>(rule);
  return candidate_text(formulas_of(automaton, limits).candidates.front(), automaton.dfa, limits);
}

std::string as_program(const lang::Rule& rule, const automata::Limits& limits) {
  if (const auto* program = std::get_if<lang::Program>(&rule)) return lang::print(*program);
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return lang::print(lower::to_brasp(*formula));
  const automata::Translation translation = formulas_of(std::get<lang::Automaton>(rule), limits);
  return lang::print(lower::to_brasp(translation.candidates.front().formula));
}

}  // namespace

std::string candidate_text(const automata::Candidate& candidate, const lang::Dfa& dfa, const automata::Limits& limits) {
  return fmt::format("// depth {}, {} heads; equal to the automaton on all words, by proof\n{}", candidate.size.depth,
                     candidate.size.heads, automata::text_for_people(candidate, dfa, limits));
}

std::string translate_rule(const lang::Rule& rule, std::string_view to, const automata::Limits& limits) {
  if (to == "formula" || to == "ltl") return as_formula(rule, limits);
  if (to == "brasp") return as_program(rule, limits);
  if (to == "dfa") return automata::print_automaton(language_of(rule, limits));
  if (to == "att") return automata::print_att(language_of(rule, limits));
  if (to == "hoa") return automata::print_hoa(language_of(rule, limits));
  if (to == "dot") return automata::print_dot(language_of(rule, limits));
  throw UserError("a rule is translated to formula, brasp, dfa, att, hoa or dot");
}

}  // namespace quench::driver
