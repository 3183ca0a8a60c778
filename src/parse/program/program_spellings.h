// The words and signs that only programs have. Their Boolean connectives are those of formulas; the temporal operators
// are ordinary names here, so a vector may be called `prev` or `last`.
#pragma once

#include "parse/text/spellings.h"

namespace quench::parse {

const Spelling* find_program_word(std::string_view word);
const Spelling* find_program_sign(std::string_view rest);
/// For suggestions.
const std::vector<std::string_view>& program_words();

}  // namespace quench::parse
