// All words over `symbols` symbols up to a length; the last symbol is the unmentioned one if asked for.
#pragma once

#include "base/word.h"

namespace quench::test {

template <class Visit>
void for_all_words(std::size_t symbols, bool with_unmentioned, std::size_t max_length, Visit visit) {
  const Symbol kinds = static_cast<Symbol>(symbols + with_unmentioned);
  const auto symbol = [&](Symbol s) { return with_unmentioned && s + 1 == kinds ? kUnmentioned : s; };
  for (std::size_t length = 1; length <= max_length; ++length) {
    Word digits(length, 0), word(length);
    for (bool more = true; more;) {
      for (std::size_t i = 0; i < length; ++i) word[i] = symbol(digits[i]);
      visit(word);
      std::size_t i = length;
      while (i > 0 && digits[i - 1] + 1 == kinds) digits[--i] = 0;
      more = i > 0;
      if (more) ++digits[i - 1];
    }
  }
}

}  // namespace quench::test
