#include "verify/words/pumped_words.h"

#include <algorithm>

namespace quench::verify {
namespace {

/// One symbol, at one place or anywhere, until the word is long enough.
void pad(Word& word, std::size_t n, const std::vector<Symbol>& padding, Random& random) {
  const bool one_place = random.chance(0.5);
  const Symbol one = padding.empty() ? word.front() : padding[random.below(padding.size())];
  std::size_t at = random.below(word.size() + 1);
  if (one_place) {
    word.insert(word.begin() + static_cast<std::ptrdiff_t>(at), n - word.size(), one);
    return;
  }
  // In one pass: every place gets its share.
  std::vector<std::size_t> before(word.size() + 1);
  for (std::size_t k = word.size(); k < n; ++k) ++before[random.below(before.size())];
  Word result;
  for (std::size_t k = 0; k <= word.size(); ++k) {
    result.insert(result.end(), before[k], one);
    if (k < word.size()) result.push_back(word[k]);
  }
  word = std::move(result);
}

Word repeated(const Word& base, std::size_t n) {
  Word word;
  while (word.size() + base.size() <= n) word.insert(word.end(), base.begin(), base.end());
  return word;
}

/// Every symbol so many times.
Word stretched(const Word& base, std::size_t n) {
  Word word;
  for (const Symbol symbol : base) word.insert(word.end(), n / base.size(), symbol);
  return word;
}

/// x u y v z → x u^k y v^k z, or without v.
Word with_pumped_parts(const Word& base, std::size_t n, Random& random) {
  std::size_t cut[4];
  for (std::size_t& place : cut) place = random.below(base.size() + 1);
  std::sort(cut, cut + 4);
  if (random.chance(0.3)) cut[2] = cut[3];
  const std::size_t pumped = (cut[1] - cut[0]) + (cut[3] - cut[2]);
  if (pumped == 0) return base;
  const std::size_t times = 1 + (n - base.size()) / pumped;
  Word word;
  const auto add = [&](std::size_t from, std::size_t to, std::size_t count) {
    for (std::size_t k = 0; k < count; ++k)
      word.insert(word.end(), base.begin() + static_cast<std::ptrdiff_t>(from),
                  base.begin() + static_cast<std::ptrdiff_t>(to));
  };
  add(0, cut[0], 1);
  add(cut[0], cut[1], times);
  add(cut[1], cut[2], 1);
  add(cut[2], cut[3], times);
  add(cut[3], base.size(), 1);
  return word;
}

}  // namespace

Word pumped(const Word& base, std::size_t n, const std::vector<Symbol>& padding, Random& random) {
  Word word;
  switch (random.below(4)) {
    case 0:
      word = repeated(base, n);
      break;
    case 1:
      word = stretched(base, n);
      break;
    case 2:
      word = with_pumped_parts(base, n, random);
      break;
    case 3:
      word = base;
      break;
  }
  if (word.size() < n) pad(word, n, padding, random);
  return word;
}

}  // namespace quench::verify
