#include "verify/words/near_words.h"

#include <algorithm>

#include "base/number/random.h"
#include "oracle/rule.h"
#include "verify/words/workload.h"

namespace quench::verify {
namespace {

constexpr std::uint64_t kMostBases = 4'000;  // words that are tried as short ones
constexpr std::size_t kTriedTimes = 24;      // what is not on the edge at so many repetitions is not tried with more
constexpr std::size_t kMostTried = 24;       // words of full length that are made for those that are found
constexpr std::size_t kNeighbours = 3;

bool accepts(const lang::Rule& rule, const Word& word) { return oracle::evaluate(rule, word).back() != 0; }

std::vector<Word> short_accepted_words(const lang::Rule& rule) {
  const std::size_t mentioned = lang::alphabet(rule).size(), symbols = mentioned + (lang::closed(rule) ? 0 : 1);
  Options options;
  while (options.exhaustive < 16 && count_words(symbols, options.exhaustive + 1) <= kMostBases) ++options.exhaustive;
  const Workload workload(symbols, options);
  std::vector<Word> found;
  for (std::uint64_t task = 0; task < workload.tasks(); ++task)
    for (Word word : workload.words(task)) {
      for (Symbol& s : word) s = s == static_cast<Symbol>(mentioned) ? kUnmentioned : s;
      if (accepts(rule, word)) found.push_back(std::move(word));
    }
  return found;
}

/// `times` copies one after the other, or of each symbol.
Word longer(const Word& base, std::size_t times, bool stretched) {
  Word word;
  word.reserve(base.size() * times);
  if (stretched)
    for (const Symbol symbol : base) word.insert(word.end(), times, symbol);
  else
    for (std::size_t k = 0; k < times; ++k) word.insert(word.end(), base.begin(), base.end());
  return word;
}

Word neighbour(const lang::Rule& rule, Word word, std::size_t which, Random& random) {
  const auto kinds = static_cast<std::int64_t>(lang::alphabet(rule).size());
  switch (which) {
    case 0: {  // one symbol becomes the next one of the alphabet
      Symbol& symbol = word[random.below(word.size())];
      symbol = symbol + 1 < kinds ? symbol + 1 : 0;
      break;
    }
    case 1: {  // two neighbours that differ change places
      const std::size_t from = random.below(word.size());
      for (std::size_t k = 0; k + 1 < word.size(); ++k) {
        const std::size_t i = (from + k) % (word.size() - 1);
        if (word[i] == word[i + 1]) continue;
        std::swap(word[i], word[i + 1]);
        break;
      }
      break;
    }
    default:  // the first symbol goes to the end
      std::rotate(word.begin(), word.begin() + 1, word.end());
  }
  return word;
}

/// Accepted, with a neighbour that is not.
bool is_on_the_edge(const lang::Rule& rule, const Word& word, Random& random) {
  if (!accepts(rule, word)) return false;
  for (std::size_t which = 0; which < kNeighbours; ++which)
    if (!accepts(rule, neighbour(rule, word, which, random))) return true;
  return false;
}

}  // namespace

std::vector<Word> near_words(const lang::Rule& rule, std::size_t n, std::size_t count, std::uint64_t seed) {
  std::vector<Word> words;
  if (count == 0 || lang::output_sort(rule) != lang::Sort::boolean) return words;
  Random random(seed);
  std::vector<Word> bases = short_accepted_words(rule);
  for (std::size_t k = bases.size(); k > 1; --k) std::swap(bases[k - 1], bases[random.below(k)]);
  std::size_t tried = 0;
  for (const Word& base : bases)
    for (const bool stretched : {true, false})
      for (const std::size_t fewer : {0, 1}) {
        const std::size_t times = n / base.size() - fewer;
        if (base.size() > n || times == 0 ||
            !is_on_the_edge(rule, longer(base, kTriedTimes - fewer, stretched), random))
          continue;
        if (++tried > kMostTried) return words;
        const Word word = longer(base, times, stretched);
        if (!accepts(rule, word)) continue;
        words.push_back(word);
        for (std::size_t which = 0; which < kNeighbours; ++which) words.push_back(neighbour(rule, word, which, random));
        if (words.size() >= count) {
          words.resize(count);
          return words;
        }
        break;
      }
  return words;
}

}  // namespace quench::verify
