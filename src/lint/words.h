// Words with symbols that a rule does not mention: allowed, and now and then a slip of the fingers.
#pragma once

#include <string>
#include <vector>

#include "base/word.h"

namespace quench::lint {

struct UnmentionedSymbol {
  std::string symbol;
  std::size_t position = 0;  ///< its first, from 1
  std::string meant;         ///< the symbol of the rule that looks like it (W003), or ""
};

/// In the order of the word, each symbol once. `symbols` is what Alphabet::split gives.
std::vector<UnmentionedSymbol> unmentioned_symbols(const Alphabet& alphabet, const std::vector<std::string>& symbols);

}  // namespace quench::lint
