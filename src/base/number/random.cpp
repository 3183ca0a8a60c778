#include "base/number/random.h"

namespace quench {

Word random_word(Random& random, std::size_t symbols, bool with_unmentioned, std::size_t length) {
  const std::uint64_t choices = symbols + (with_unmentioned ? 1 : 0);
  Word word(length, kUnmentioned);
  if (choices == 0) return word;  // nothing to choose from: only unmentioned symbols exist
  for (Symbol& symbol : word) {
    const std::uint64_t choice = random.below(choices);
    if (choice < symbols) symbol = static_cast<Symbol>(choice);
  }
  return word;
}

}  // namespace quench
