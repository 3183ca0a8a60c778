#include "verify/words/workload.h"

#include <algorithm>

#include "base/number/int128.h"
#include "base/number/random.h"
#include "verify/words/adversarial_words.h"

namespace quench::verify {
namespace {

constexpr std::uint64_t kTogether = 256;  // words of one length that go through the network at once

std::uint64_t tasks_of(std::uint64_t words) { return (words + kTogether - 1) / kTogether; }

/// The `index`-th word of a length.
Word exhaustive_word(std::uint64_t index, std::size_t length, std::size_t symbols) {
  Word word(length);
  for (std::size_t i = length; i-- > 0; index /= symbols) word[i] = static_cast<Symbol>(index % symbols);
  return word;
}

Word random_word_at(std::uint64_t index, std::size_t symbols, const Options& options) {
  Random random(options.seed * 0x9e3779b97f4a7c15ULL + index);
  const std::size_t length = index % 2 == 0 ? options.random_length : 1 + random.below(options.random_length);
  return random_word(random, symbols, false, length);
}

/// Every shape in turn; of full length and one less, as certified lengths are tried at their ends.
Word adversarial_word_at(std::uint64_t index, std::size_t symbols, const Options& options) {
  const std::size_t length = std::max<std::size_t>(options.random_length - index / kFamilies % 2, 1);
  return adversarial_word(index % kFamilies, symbols, length, options.seed + index);
}

}  // namespace

Workload::Workload(std::size_t symbols, const Options& options) : symbols_(symbols), options_(options) {
  std::uint64_t words = 1;
  for (int length = 1; length <= options.exhaustive; ++length) exhaustive_tasks_ += tasks_of(words *= symbols);
  const bool longer = options.random_length > 0;
  random_tasks_ = longer ? options.random_count : 0;
  adversarial_tasks_ = longer ? options.adversarial_count : 0;
  const std::uint64_t all = exhaustive_tasks_ + random_tasks_ + adversarial_tasks_ + options.given.size();
  const auto share = [&](std::uint64_t part) {
    return static_cast<std::uint64_t>(static_cast<Uint128>(all) * part / options.parts);
  };
  begin_ = share(options.part);
  end_ = share(options.part + 1);
}

std::vector<Word> Workload::words(std::uint64_t task) const {
  task += begin_;
  if (const std::uint64_t before = exhaustive_tasks_ + random_tasks_ + adversarial_tasks_; task >= before)
    return {options_.given[task - before]};
  if (task >= exhaustive_tasks_ + random_tasks_)
    return {adversarial_word_at(task - exhaustive_tasks_ - random_tasks_, symbols_, options_)};
  if (task >= exhaustive_tasks_) return {random_word_at(task - exhaustive_tasks_, symbols_, options_)};
  std::size_t length = 1;
  std::uint64_t count = symbols_;
  for (; task >= tasks_of(count); count *= symbols_, ++length) task -= tasks_of(count);
  std::vector<Word> result;
  for (std::uint64_t k = task * kTogether; k < std::min(count, (task + 1) * kTogether); ++k)
    result.push_back(exhaustive_word(k, length, symbols_));
  return result;
}

bool smaller(const Word& a, const Word& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

std::uint64_t count_words(std::size_t symbols, int max_length) {
  constexpr std::uint64_t kMany = 1ULL << 63;
  std::uint64_t total = 0, of_length = 1;
  for (int length = 1; length <= max_length; ++length) {
    if (of_length > kMany / symbols) return kMany;
    of_length *= symbols;
    total = std::min(kMany, total + of_length);
  }
  return total;
}

int usual_exhaustive(std::size_t symbols) {
  int length = 1;
  while (length < 16 && count_words(symbols, length + 1) <= 100'000) ++length;
  return length;
}

}  // namespace quench::verify
