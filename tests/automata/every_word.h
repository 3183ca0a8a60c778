// All short words, the empty one first.
#pragma once

#include <functional>

#include "base/word.h"

namespace quench::automata {

/// Over the symbols 0 … symbols−1 and, if `with_unmentioned`, kUnmentioned.
inline void for_every_word(std::size_t symbols, bool with_unmentioned, std::size_t longest,
                           const std::function<void(const Word&)>& visit) {
  const Symbol least = with_unmentioned ? kUnmentioned : 0;
  visit({});
  if (symbols == 0 && !with_unmentioned) return;
  for (std::size_t length = 1; length <= longest; ++length) {
    Word word(length, least);
    for (;;) {
      visit(word);
      std::size_t k = 0;
      while (k < length && word[k] + 1 == static_cast<Symbol>(symbols)) word[k++] = least;
      if (k == length) break;
      ++word[k];
    }
  }
}

}  // namespace quench::automata
