// quench translate: a rule in another language. Formulas and B-RASP programs into each other, automata into formulas, and
// everything regular into automata.
#include <fmt/format.h>

#include <memory>

#include "automata/formats/dot.h"
#include "automata/formats/formats.h"
#include "automata/translate/naming.h"
#include "base/error.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "driver/compile_automaton.h"
#include "driver/language_of.h"
#include "driver/smallest_formula.h"
#include "lang/print/print.h"
#include "lang/print/print_program.h"
#include "lower/translate/translate.h"

namespace quench::cli {
namespace {

struct TranslateCommand {
  SourceArguments source;
  std::string to;
  bool all = false, smallest = false;
};

std::string candidate_text(const automata::Candidate& candidate, const lang::Dfa& dfa, const automata::Limits& limits) {
  return fmt::format("// depth {}, {} heads; equal to the automaton on all words, by proof\n{}", candidate.size.depth,
                     candidate.size.heads, automata::text_for_people(candidate, dfa, limits));
}

/// The smallest formula, or with --all what every strategy gives.
std::string formulas_text(const lang::Automaton& automaton, const TranslateCommand& command) {
  const automata::Translation translation = driver::formulas_of(automaton, command.source.limits());
  const auto text_of = [&](const automata::Candidate& candidate) {
    return candidate_text(candidate, automaton.dfa, command.source.limits());
  };
  if (!command.all) return text_of(translation.candidates.front());
  std::string text;
  for (const automata::Candidate& candidate : translation.candidates)
    text += (text.empty() ? "" : "\n") + text_of(candidate);
  for (const automata::Refusal& refusal : translation.refusals)
    text += fmt::format("\n// by {}: none, {}\n", refusal.strategy, refusal.why);
  return text;
}

std::string smallest_text(const lang::Formula& formula, const automata::Limits& limits) {
  const automata::Candidate found = driver::smallest_formula(formula, limits);
  return fmt::format("// depth {}, {} heads; equal to the rule at the end of all words, by proof\n// made from: {}\n{}",
                     found.size.depth, found.size.heads, found.strategy, lang::print(found.formula));
}

std::string formula_text(const lang::Rule& rule, const TranslateCommand& command) {
  if (const auto* program = std::get_if<lang::Program>(&rule); program && command.smallest)
    return smallest_text(lower::to_ltl(*program), command.source.limits());
  if (const auto* formula = std::get_if<lang::Formula>(&rule); formula && command.smallest)
    return smallest_text(*formula, command.source.limits());
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return lang::print(*formula);
  if (const auto* program = std::get_if<lang::Program>(&rule)) return lang::print(lower::to_ltl(*program));
  return formulas_text(std::get<lang::Automaton>(rule), command);
}

std::string program_text(const lang::Rule& rule, const TranslateCommand& command) {
  if (const auto* program = std::get_if<lang::Program>(&rule)) return lang::print(*program);
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return lang::print(lower::to_brasp(*formula));
  const auto& automaton = std::get<lang::Automaton>(rule);
  const automata::Translation translation = driver::formulas_of(automaton, command.source.limits());
  return lang::print(lower::to_brasp(translation.candidates.front().formula));
}

std::string automaton_text(const lang::Dfa& dfa, const std::string& to) {
  if (to == "att") return automata::print_att(dfa);
  if (to == "hoa") return automata::print_hoa(dfa);
  if (to == "dot") return automata::print_dot(dfa);
  return automata::print_automaton(dfa);
}

void run(TranslateCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  if (command.all && (!std::holds_alternative<lang::Automaton>(rule) || command.to != "formula"))
    throw UserError("--all is for formulas of regular expressions and automata (--to formula)");
  if (command.smallest && command.to != "formula" && command.to != "ltl")
    throw UserError("--smallest is for formulas (--to formula)");
  print(source.diagnose([&] {
    if (command.to == "formula" || command.to == "ltl") return formula_text(rule, command);
    if (command.to == "brasp") return program_text(rule, command);
    return automaton_text(driver::language_of(rule, source.limits), command.to);
  }));
}

}  // namespace

void add_translate(App& program) {
  App* app = program.add_subcommand("translate", "Turn a rule into a formula, a B-RASP program or an automaton");
  auto command = std::make_shared<TranslateCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("--to", command->to, "formula (or ltl), brasp; of regular rules also dfa, att, hoa or dot")
      ->check(one_of({"formula", "ltl", "brasp", "dfa", "att", "hoa", "dot"}))
      ->type_name("LANGUAGE")
      ->required();
  app->add_flag("--smallest", command->smallest,
                "Of a formula or program that is regular: as small a formula as we find that accepts the same words, by proof");
  app->add_flag("--all", command->all, "Of an automaton: the formulas of all strategies");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
