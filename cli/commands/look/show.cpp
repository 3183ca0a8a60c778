// quench show: every stage between text and weights.
#include <memory>

#include "automata/formats/dot.h"
#include "automata/formats/formats.h"
#include "base/error.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/terminal.h"
#include "driver/show.h"
#include "lang/print/print.h"
#include "lang/print/print_program.h"
#include "lang/print/print_program_formats.h"

namespace quench::cli {
namespace {

struct ShowCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string stage = "model", format = "text";
};

std::string render_formula(const lang::Formula& formula, const std::string& format) {
  if (format == "dot") return lang::print_dot(formula);
  if (format == "latex") return lang::print_latex(formula);
  if (format == "json") return lang::print_json(formula);
  return lang::print(formula);
}

std::string render_automaton(const lang::Automaton& automaton, const std::string& format) {
  if (format == "dot") return automata::print_dot(automaton.dfa);
  if (format == "text") return automata::print_automaton(automaton.dfa);
  throw UserError("an automaton is shown as text or dot; `quench translate --to formula` gives a formula");
}

std::string render_rule(const lang::Rule& rule, const std::string& format) {
  if (const auto* formula = std::get_if<lang::Formula>(&rule)) return render_formula(*formula, format);
  if (const auto* automaton = std::get_if<lang::Automaton>(&rule)) return render_automaton(*automaton, format);
  const auto& program = std::get<lang::Program>(rule);
  if (format == "dot") return lang::print_dot(program);
  if (format == "latex") return lang::print_latex(program);
  if (format == "json") return lang::print_json(program);
  return lang::print(program);
}

std::string render_listing(const driver::Listing& listing, const std::string& format) {
  if (format == "dot") return to_dot(listing);
  if (format == "latex") return to_latex(listing);
  if (format == "json") return to_json(listing);
  return to_text(listing, columns_of_output(kUnlimited));
}

driver::Listing listing_of(const driver::Compilation& compilation, const std::string& stage) {
  if (stage == "ir") return show_ir(compilation);
  if (stage == "schedule") return show_schedule(compilation);
  if (stage == "layout") return show_layout(compilation);
  return driver::show_model(compilation.model);
}

void run(ShowCommand& command) {
  const Source source = command.source.take_source();
  if (command.stage == "ast") return print(render_rule(source.rule(), command.format));
  const driver::Compilation compilation = command.compile.compile(source, source.read()).compilation;
  print(render_listing(listing_of(compilation, command.stage), command.format));
}

}  // namespace

void add_show(App& program) {
  App* app = program.add_subcommand("show", "Print a stage of the compilation");
  auto command = std::make_shared<ShowCommand>();
  command->source.add_to(*app, "SOURCE", "");
  command->compile.add_to(*app);
  app->add_option("--stage", command->stage, "ast, ir, schedule, layout or model")
      ->check(one_of({"ast", "ir", "schedule", "layout", "model"}))
      ->type_name("STAGE")
      ->capture_default_str();
  app->add_option("--format", command->format, "text, dot, latex or json")
      ->check(one_of({"text", "dot", "latex", "json"}))
      ->type_name("FORMAT")
      ->capture_default_str();
  app->describe_json(
      "with `--format json`. The stage ast is "
      "`{\"symbols\",\"predicates\",\"nodes\":[{\"id\",…,\"args\":[…]}…],\"root\"}`, or the "
      "vectors of a program; every other stage is `{\"stage\",…}` with a list of objects for each of its tables, whose "
      "fields are "
      "the columns that the text shows, as texts.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
