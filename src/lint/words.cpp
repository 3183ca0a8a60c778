#include "lint/words.h"

#include <algorithm>
#include <unordered_set>

#include "base/text/suggest.h"

namespace quench::lint {

std::vector<UnmentionedSymbol> unmentioned_symbols(const Alphabet& alphabet, const std::vector<std::string>& symbols) {
  const std::vector<std::string_view> mentioned(alphabet.symbols().begin(), alphabet.symbols().end());
  std::vector<UnmentionedSymbol> found;
  std::unordered_set<std::string_view> seen;
  for (std::size_t k = 0; k < symbols.size(); ++k)
    if (alphabet.find(symbols[k]) == kUnmentioned && seen.insert(symbols[k]).second)
      found.push_back({symbols[k], k + 1, nearest(symbols[k], mentioned)});
  return found;
}

}  // namespace quench::lint
