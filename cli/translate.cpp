// quench translate: a formula as a program, a program as a formula.
#include <memory>

#include "base/error.h"
#include "command.h"
#include "lang/print.h"
#include "lang/print_program.h"
#include "lower/translate.h"
#include "source.h"

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

void add_translate(CLI::App& program) {
  CLI::App* app =
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
