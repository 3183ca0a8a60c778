// --strict, and what is said of words with symbols that the rule does not mention.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/word.h"
#include "cli/arguments/options.h"
#include "cli/arguments/source.h"

namespace quench::cli {

class WordLint {
 public:
  void add_to(App& command);

  /// What the rule says of symbols, and whether anybody wants to hear of it (--no-lint).
  struct Known {
    const Alphabet& alphabet;
    bool closed;  ///< it declares its alphabet
    bool linted;
  };
  /// With --strict, throws UserError if a symbol of the word is not of the alphabet. Otherwise warns, once of each symbol:
  /// of all such symbols if the rule declares its alphabet, of those that look mistyped if it does not.
  void look_at(const Known& known, const std::string& word);
  bool strict() const { return strict_; }

 private:
  bool strict_ = false;
  std::set<std::string> warned_;
};

/// What `run`, `trace` and `attend` say of the words that they are given.
void look_at(WordLint& lint, const SourceArguments& arguments, const LoadedModel& loaded,
             const std::vector<GivenWord>& words);

}  // namespace quench::cli
