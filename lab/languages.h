// The languages the experiments run on: their rules, and words that are neither all accepted nor all rejected.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/number/random.h"
#include "base/word.h"
#include "lang/rule.h"

namespace quench::lab {

enum class LogicClass : std::uint8_t { ltl, counting, srasp };
std::string_view to_string(LogicClass logic);

struct Language {
  std::string name;
  std::string symbols;  ///< one character each; the numbers `draw` gives are places in it
  LogicClass logic;
  std::string text;    ///< the rule
  std::string recipe;  ///< of the paper, where it has one
  /// A word of this length. Half of them are made to be accepted where chance alone would hardly
  /// ever do it.
  Word (*draw)(Random& random, std::size_t symbols, std::size_t length);
};

const std::vector<Language>& languages();
const Language& language(std::string_view name);

/// A word and what the rule says at every position.
struct LabelledWord {
  Word word;
  std::vector<std::uint8_t> labels;
};
std::vector<LabelledWord> draw_words(const Language& language, const lang::Rule& rule, std::uint64_t seed,
                                     std::size_t count, std::size_t length);

}  // namespace quench::lab
