// Shell completion, written from the commands' own declarations.
#pragma once

#include <string>

#include "cli/arguments/description.h"

namespace quench::cli {

std::string bash_completion(const CommandDescription& program);
std::string zsh_completion(const CommandDescription& program);
std::string fish_completion(const CommandDescription& program);

/// Whether the value of an option, by what the help calls it, is the name of a file.
bool names_file(const OptionDescription& option);

/// "'text'", as all three shells read it: quotes within are left out, which loses nothing in the texts of the help.
std::string shell_quoted(const std::string& text);

/// Calls `visit(command, path)` for every command below the program; the path is "bench attention".
template <class Visit>
void for_each_command(const CommandDescription& program, const Visit& visit, const std::string& above = "") {
  for (const CommandDescription& command : program.commands) {
    const std::string path = above.empty() ? command.name : above + " " + command.name;
    visit(command, path);
    for_each_command(command, visit, path);
  }
}

}  // namespace quench::cli
