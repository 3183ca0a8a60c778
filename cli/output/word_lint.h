// --strict and --no-lint: what becomes of words with symbols that the rule does not mention.
#pragma once

#include <set>
#include <string>

#include "base/word.h"
#include "cli/arguments/options.h"

namespace quench::cli {

class WordLint {
 public:
  void add_to(App& command);
  /// With --strict, throws UserError if a symbol of the word is not of the alphabet. Otherwise warns of symbols that
  /// look like mistyped ones, once of each.
  void look_at(const Alphabet& alphabet, const std::string& word);
  bool strict() const { return strict_; }

 private:
  bool strict_ = false, no_lint_ = false;
  std::set<std::string> warned_;
};

}  // namespace quench::cli
