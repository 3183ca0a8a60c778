// How every token is spelled: from the tables of lang/operators.h, plus punctuation, plus the spellings of other
// notations, which are understood well enough to name ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "parse/text/token.h"

namespace quench::parse {

struct Spelling {
  std::string text;
  Token token;
  std::string instead;  ///< of another notation: what to write here
};

/// The keyword, word operator or built-in predicate spelled like this, or null.
const Spelling* find_word(std::string_view word);
/// The longest sign that `rest` begins with, or null.
const Spelling* find_sign(std::string_view rest);
/// All words, for suggestions.
const std::vector<std::string_view>& reserved_words();

}  // namespace quench::parse
