// --limit NAME=N: how much may be spent on a regular language.
#pragma once

#include <string>
#include <vector>

#include "automata/limits.h"
#include "cli/arguments/options.h"

namespace quench::cli {

class LimitArguments {
 public:
  void add_to(App& command);
  automata::Limits limits() const;

 private:
  std::vector<std::string> given_;  ///< each checked: a name, '=' and a number
};

}  // namespace quench::cli
