// quench help --completion zsh
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/help/completion.h"

namespace quench::cli {
namespace {

/// As the text of an option in _arguments: a bracket or a colon would end it.
std::string description(const std::string& help) {
  std::string text;
  for (const char c : help) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') text += '\\';
    if (c != '\'') text += c;
  }
  return text;
}

std::string value_of(const OptionDescription& option) {
  if (option.value.empty()) return "";
  const std::string what = description(option.value);
  if (!option.values.empty() && names_file(option))
    return fmt::format(":{}:{{compadd {}; _files}}", what, fmt::join(option.values, " "));
  if (!option.values.empty()) return fmt::format(":{}:({})", what, fmt::join(option.values, " "));
  return fmt::format(":{}:{}", what, names_file(option) ? "_files" : " ");
}

/// "'*'{-o,--output}'[help]:FILE:_files'"
std::string argument(const OptionDescription& option) {
  const std::string names = option.names.size() == 1 ? fmt::format("'*{}", option.names.front())
                                                     : fmt::format("'*'{{{}}}'", fmt::join(option.names, ","));
  return fmt::format("{}[{}]{}'", names, description(option.help), value_of(option));
}

std::string list_of(const std::vector<CommandDescription>& commands) {
  std::string list;
  for (const CommandDescription& command : commands)
    list += fmt::format("      '{}:{}'\n", command.name, description(command.help));
  return list;
}

std::string zsh_case(const CommandDescription& command, const std::string& path) {
  std::string text = fmt::format("    '{}'*)\n", path.find(' ') == std::string::npos ? path + " " : path);
  if (!command.commands.empty())
    text += fmt::format("      commands=(\n{}      )\n      (( CURRENT == 3 )) && _describe command commands\n",
                        list_of(command.commands));
  text += "      _arguments -S";
  for (const OptionDescription& option : command.options)
    if (!option.positional) text += " \\\n        " + argument(option);
  const std::string words =
      command.words.empty() ? "*:file:_files" : fmt::format("*:word:({})", fmt::join(command.words, " "));
  return text + " \\\n        " + shell_quoted(words) + " ;;\n";
}

}  // namespace

std::string zsh_completion(const CommandDescription& program) {
  std::vector<std::string> cases;
  for_each_command(program, [&](const CommandDescription& command, const std::string& path) {
    cases.push_back(zsh_case(command, path));
  });
  // "bench attention" before "bench": the first pattern that fits is taken.
  std::ranges::reverse(cases);
  return fmt::format(R"(#compdef quench
# Completion of quench in zsh; written by `quench help --completion zsh`.
_quench() {{
  local -a commands
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    commands=(
{0}    )
    _describe command commands
    return
  fi
  case "$words[2] $words[3]" in
{1}    *) _arguments '--help[Print this help message and exit]' '--version[Display program version information and exit]' ;;
  esac
}}
_quench "$@"
)",
                     list_of(program.commands), fmt::join(cases, ""));
}

}  // namespace quench::cli
