// --no-lint and --strict: what is said of rules that hardly mean what was meant, and of words with symbols that the
// rule does not mention.
#pragma once

#include <set>
#include <string>

#include "base/word.h"
#include "cli/arguments/options.h"
#include "cli/arguments/source.h"

namespace quench::cli {

class Lint {
 public:
  void add_to(App& command);
  /// For commands that take words, too.
  void add_strict(App& command);

  /// Warnings about a formula, and where they are in its text.
  void look_at(const lang::Rule& rule, const Source& source) const;
  /// With --strict, throws UserError if a symbol of the word is not of the alphabet. Otherwise warns of symbols that
  /// look like mistyped ones, once of each.
  void look_at(const Alphabet& alphabet, const std::string& word);
  bool strict() const { return strict_; }

 private:
  bool strict_ = false, no_lint_ = false;
  std::set<std::string> warned_;
};

}  // namespace quench::cli
