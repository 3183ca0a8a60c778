// quench help: the overview, and what each command's --help says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/error.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/help/completion.h"
#include "cli/help/pages.h"
#include "cli/output/output.h"
#include "cli/output/terminal.h"
#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

struct HelpCommand {
  std::vector<std::string> path;  ///< "bench", "attention"
  std::string completion;
  bool man = false, names = false, markdown = false;
};

/// The command that the words name, one below the other.
const App& named(const App& program, const std::vector<std::string>& path) {
  const App* found = &program;
  for (const std::string& name : path) {
    const App* next = found->find_command(name);
    if (!next) {
      std::vector<std::string> names;
      for (const CommandDescription& command : found->describe().commands) names.push_back(command.name);
      const std::string meant = nearest(name, {names.begin(), names.end()});
      throw UserError(fmt::format("there is no command {}{}", model::in_quotes(fmt::format("{}", fmt::join(path, " "))),
                                  meant.empty() ? "; `quench help` lists them" : fmt::format("; did you mean {}?", meant)));
    }
    found = next;
  }
  return *found;
}

std::string completion(const CommandDescription& program, const std::string& shell) {
  return shell == "bash" ? bash_completion(program) : shell == "zsh" ? zsh_completion(program) : fish_completion(program);
}

std::string names(const CommandDescription& program) {
  std::string text;
  for_each_command(program, [&](const CommandDescription&, const std::string& path) { text += path + "\n"; });
  return text;
}

void run(const HelpCommand& command, const App& program) {
  const App& about = named(program, command.path);
  if (!command.completion.empty()) return print(completion(program.describe(), command.completion));
  if (command.man) return print(man_page(program.describe(), about.describe()));
  if (command.names) return print(names(program.describe()));
  if (command.markdown) return print(reference(program));
  print(folded(about.help()));
}

}  // namespace

void add_help(App& program) {
  App* app = program.add_subcommand("help", "List the commands, or describe one of them");
  auto command = std::make_shared<HelpCommand>();
  app->set_usage("[COMMAND...]");
  app->add_words("command", command->path)->group("");
  app->add_option("--completion", command->completion, "Print a script that completes commands and options in a shell")
      ->type_name("SHELL")
      ->check(one_of({"bash", "zsh", "fish"}));
  app->add_flag("--man", command->man, "Print the manual page");
  app->add_flag("--names", command->names, "The names of all commands, a line each")->group("");
  app->add_flag("--markdown", command->markdown, "The reference of docs/cli.md")->group("");
  app->callback([command, &program] { run(*command, program); });
}

}  // namespace quench::cli
