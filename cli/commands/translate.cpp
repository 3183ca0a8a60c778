// quench translate: a formula as a program, a program as a formula.
#include <memory>

#include "base/error.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "lang/print/print.h"
#include "lang/print/print_program.h"
#include "lower/translate/translate.h"

namespace quench::cli {
namespace {

struct TranslateCommand {
  SourceArguments source;
  std::string to;
};

void run(TranslateCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  const auto* formula = std::get_if<lang::Formula>(&rule);
  if (command.to == "brasp")
    return print(formula ? lang::print(source.diagnose([&] { return lower::to_brasp(*formula); }))
                         : lang::print(std::get<lang::Program>(rule)));
  print(formula ? lang::print(*formula)
                : lang::print(source.diagnose([&] { return lower::to_ltl(std::get<lang::Program>(rule)); })));
}

}  // namespace

void add_translate(App& program) {
  App* app =
      program.add_subcommand("translate", "Turn a formula into a B-RASP program, or a program into a formula");
  auto command = std::make_shared<TranslateCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("--to", command->to, "ltl or brasp")
      ->check(one_of({"ltl", "brasp"}))
      ->type_name("LANGUAGE")
      ->required();
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
