// How symbols are written one after the other: words, and what rules and models put out.
#pragma once

#include <string>
#include <vector>

#include "base/word.h"

namespace quench {

/// As words over the alphabet are read: one character per symbol when every symbol of the alphabet is a single
/// character; otherwise separated by blanks. The symbols themselves may be any.
std::string joined_symbols(const Alphabet& alphabet, const std::vector<std::string>& symbols);

}  // namespace quench
