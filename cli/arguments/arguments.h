// The command line, split by us: CLI11 gets the options, and every other word stays what was typed.
//
// As a positional argument CLI11 would take '[a,b]' for two words, '{}' for none and '++' for the end of the command,
// and it refuses a word that begins with '-' even after '--'. So words go past its parser, straight into the positional
// options that commands declare. The rules are those of other programs: an argument that begins with '-' is an option,
// except '-' itself and numbers; an option's value is the next argument, or what follows '='; after '--' everything is a
// word.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace quench::cli {

/// Runs the command that the arguments (without the program's name) name; prints help and version, and what is wrong with
/// options.
ExitCode parse_arguments(App& program, const std::vector<std::string>& arguments);

}  // namespace quench::cli
