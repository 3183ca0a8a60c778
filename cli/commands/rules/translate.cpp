// quench translate: a rule in another language. Formulas and B-RASP programs into each other, automata into formulas, and
// everything regular into automata.
#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "driver/compile_automaton.h"
#include "driver/smallest_formula.h"
#include "driver/translate_rule.h"
#include "lang/print/print.h"
#include "lower/translate/translate.h"

namespace quench::cli {
namespace {

struct TranslateCommand {
  SourceArguments source;
  std::string to;
  bool all = false, smallest = false;
};

/// What every strategy gives.
std::string all_formulas_text(const lang::Automaton& automaton, const automata::Limits& limits) {
  const automata::Translation translation = driver::formulas_of(automaton, limits);
  std::string text;
  for (const automata::Candidate& candidate : translation.candidates)
    text += (text.empty() ? "" : "\n") + driver::candidate_text(candidate, automaton.dfa, limits);
  for (const automata::Refusal& refusal : translation.refusals)
    text += fmt::format("\n// by {}: none, {}\n", refusal.strategy, refusal.why);
  return text;
}

/// Of a formula or a program.
std::string smallest_text(const lang::Rule& rule, const automata::Limits& limits) {
  const auto* program = std::get_if<lang::Program>(&rule);
  const automata::Candidate found =
      driver::smallest_formula(program ? lower::to_ltl(*program) : std::get<lang::Formula>(rule), limits);
  return fmt::format("// depth {}, {} heads; equal to the rule at the end of all words, by proof\n// made from: {}\n{}",
                     found.size.depth, found.size.heads, found.strategy, lang::print(found.formula));
}

void run(TranslateCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  if (command.all && (!std::holds_alternative<lang::Automaton>(rule) || command.to != "formula"))
    throw UserError("--all is for formulas of regular expressions and automata (--to formula)");
  if (command.smallest && command.to != "formula" && command.to != "ltl")
    throw UserError("--smallest is for formulas (--to formula)");
  print(source.diagnose([&] {
    if (command.all) return all_formulas_text(std::get<lang::Automaton>(rule), command.source.limits());
    if (command.smallest && !std::holds_alternative<lang::Automaton>(rule))  // those of automata are small already
      return smallest_text(rule, command.source.limits());
    return driver::translate_rule(rule, command.to, command.source.limits());
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
