// The command line, split by us: CLI11 gets the options, and every other word stays what was typed.
//
// As a positional argument CLI11 would take '[a,b]' for two words, '{}' for none and '++' for the end of the command,
// and it refuses a word that begins with '-' even after '--'. So words go past its parser, straight into the positional
// options that commands declare. The rules are those of other programs: an argument that begins with '-' is an option,
// except '-' itself and numbers; an option's value is the next argument, or what follows '='; after '--' everything is a
// word.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace quench::cli {

/// Runs the command that the arguments (without the program's name) name.
void parse_arguments(CLI::App& program, const std::vector<std::string>& arguments);

/// Any number of words, as they were typed.
CLI::Option* add_words_option(CLI::App& command, const std::string& name, std::vector<std::string>& words,
                              const std::string& help = "");

}  // namespace quench::cli
