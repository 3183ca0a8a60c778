// quench help --completion fish
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion.h"

namespace quench::cli {
namespace {

std::string option_line(const OptionDescription& option, const std::string& path) {
  std::string line = fmt::format("complete -c quench -n '__quench_is {}'", path);
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!option.values.empty())
    line += fmt::format(" {} -a '{}'", names_file(option) ? "-r -F" : "-x", fmt::join(option.values, " "));
  else if (!option.value.empty())
    line += names_file(option) ? " -r -F" : " -x";
  return line + " -d " + shell_quoted(option.help) + "\n";
}

}  // namespace

std::string fish_completion(const CommandDescription& program) {
  std::string text = R"(# Completion of quench in fish; written by `quench help --completion fish`.
function __quench_is --description 'whether the command line begins with these commands'
    set -l typed (commandline -opc)
    for k in (seq (count $argv))
        set -l at (math $k + 1)
        test (count $typed) -ge $at; and test "$typed[$at]" = "$argv[$k]"; or return 1
    end
end
)";
  for (const CommandDescription& command : program.commands)
    text += fmt::format("complete -c quench -n '__fish_is_nth_token 1' -f -a {} -d {}\n", command.name,
                        shell_quoted(command.help));
  for_each_command(program, [&](const CommandDescription& command, const std::string& path) {
    for (const CommandDescription& below : command.commands)
      text += fmt::format("complete -c quench -n '__quench_is {}; and __fish_is_nth_token 2' -f -a {} -d {}\n", path,
                          below.name, shell_quoted(below.help));
    if (!command.words.empty())
      text += fmt::format("complete -c quench -n '__quench_is {}' -f -a '{}'\n", path, fmt::join(command.words, " "));
    for (const OptionDescription& option : command.options)
      if (!option.positional) text += option_line(option, path);
  });
  return text;
}

}  // namespace quench::cli
