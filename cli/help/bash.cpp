// quench help --completion bash
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion.h"

namespace quench::cli {
namespace {

std::string names_of(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> names;
  for (const CommandDescription& command : commands) names.push_back(command.name);
  return fmt::format("{}", fmt::join(names, " "));
}

std::string options_of(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const OptionDescription& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return fmt::format("{}", fmt::join(names, " "));
}

/// What the command offers where no option waits for its value.
std::string bash_case(const CommandDescription& command, const std::string& path, const std::string& commands) {
  return fmt::format("    {}) commands={} options={} ;;\n", shell_quoted(path), shell_quoted(commands),
                     shell_quoted(options_of(command)));
}

/// What may follow each option that takes a value: one of a list, a file, or what nobody can guess.
std::string value_cases(const CommandDescription& command, const std::string& path) {
  std::string cases;
  for (const OptionDescription& option : command.options) {
    if (option.positional || option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back(shell_quoted(path + " " + name));
    std::string action;
    if (!option.values.empty())
      action = fmt::format("values={} ", shell_quoted(fmt::format("{}", fmt::join(option.values, " "))));
    if (names_file(option)) action += "files=1 ";
    cases += fmt::format("    {}) {};;\n", fmt::join(patterns, "|"), action.empty() ? "return " : action);
  }
  return cases;
}

}  // namespace

std::string bash_completion(const CommandDescription& program) {
  std::vector<std::string> paths;
  std::string commands = bash_case(program, "", names_of(program.commands)), values = value_cases(program, "");
  for_each_command(program, [&](const CommandDescription& command, const std::string& path) {
    const bool top = path == command.name;
    paths.push_back(shell_quoted(top ? " " + path : path));
    commands += bash_case(command, path,
                          path == "help"           ? names_of(program.commands)
                          : !command.words.empty() ? fmt::format("{}", fmt::join(command.words, " "))
                                                   : names_of(command.commands));
    values += value_cases(command, path);
  });
  return fmt::format(R"(# Completion of quench in bash; written by `quench help --completion bash`.
_quench() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}} command= commands= options= values= files= i
  COMPREPLY=()
  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${{COMP_WORDS[COMP_CWORD-2]}}; fi
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$command ${{COMP_WORDS[i]}}" in
      {0}) command="${{command:+$command }}${{COMP_WORDS[i]}}" ;;
    esac
  done
  case "$command" in
{1}  esac
  case "$command $prev" in
{2}  esac
  if [[ -n $values ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$values" -- "$cur")
  elif [[ -z $files && $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ -z $files && -n $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$cur")
  fi
  if [[ ${{COMPREPLY[0]}} == *= ]]; then compopt -o nospace 2>/dev/null; fi
  if [[ ( -z $values || -n $files ) && $cur != -* && ${{#COMPREPLY[@]}} == 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
    compopt -o filenames 2>/dev/null
  fi
  return 0
}}
complete -F _quench quench
)",
                     fmt::join(paths, "|"), commands, values);
}

}  // namespace quench::cli
