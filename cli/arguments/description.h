// What the program's commands and options are, as data: shell completion, manual pages and the reference in docs/ are
// written from it, and so say what the help says.
#pragma once

#include <string>
#include <vector>

namespace quench::cli {

struct OptionDescription {
  std::vector<std::string> names;  ///< "-o", "--output"; of a positional argument what the usage calls it
  bool positional = false;
  std::string value;    ///< what the help calls its value; "" for flags
  std::string initial;  ///< the value it has if it is not given, where the help says so
  std::string help;
  std::vector<std::string> values;  ///< the values it takes, if they can be listed
};

struct CommandDescription {
  std::string name, full_name;  ///< "attention", "quench bench attention"
  std::string group;            ///< the heading under which the overview lists it
  std::string help, usage;
  std::string json;  ///< what --json prints, in words; "" if there is no such option
  std::vector<OptionDescription> options;
  std::vector<std::string> words;  ///< that it takes, if they can be listed
  std::vector<CommandDescription> commands;
};

}  // namespace quench::cli
