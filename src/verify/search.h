// The search that verification is: all short words and random long ones, spread over threads, and the smallest word
// that fails. What is compared with what is up to the Comparison, which has
//   symbols()                            how many symbols words are made of
//   Scratch(comparison)                  the buffers of one thread
//   differs(word, scratch)               whether network and rule differ on it
//   compare_many(words, scratch, failed) words of one length: how many differences; the indices of words that differ
//   counterexample(word)
#pragma once

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <utility>

#include "base/error.h"
#include "verify/verify.h"
#include "verify/words/workload.h"

namespace quench::verify {

constexpr std::size_t kLongestShrunk = 4096;  // longer words are left as they are

/// Deletes blocks, then single symbols, then lowers symbols, as long as the word still fails.
template <class Comparison>
Word shrink(const Comparison& comparison, Word word) {
  typename Comparison::Scratch scratch(comparison);
  const auto fails = [&](const Word& w) { return !w.empty() && comparison.differs(w, scratch); };
  for (bool changed = word.size() <= kLongestShrunk; changed;) {
    changed = false;
    for (std::size_t block = std::max<std::size_t>(word.size() / 2, 1); block >= 1; block /= 2)
      for (std::size_t at = 0; at + block <= word.size();) {
        Word shorter = word;
        shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(at),
                      shorter.begin() + static_cast<std::ptrdiff_t>(at + block));
        if (fails(shorter))
          word = std::move(shorter), changed = true;
        else
          ++at;
      }
    for (Symbol& symbol : word)
      for (Symbol lower = 0; lower < symbol; ++lower) {
        const Symbol kept = std::exchange(symbol, lower);
        if (fails(word)) {
          changed = true;
          break;
        }
        symbol = kept;
      }
  }
  return word;
}

/// What one thread has found.
template <class Comparison>
struct Partial {
  explicit Partial(const Comparison& comparison) : scratch(comparison) {}
  Report report;
  std::optional<Word> worst;
  typename Comparison::Scratch scratch;

  void take(const Comparison& comparison, const std::vector<Word>& words) {
    std::vector<std::size_t> failed;
    report.words += words.size();
    for (const Word& word : words) {
      report.positions += word.size();
      report.longest = std::max(report.longest, word.size());
    }
    report.differences += comparison.compare_many(words, scratch, failed);
    for (const std::size_t w : failed)
      if (!worst || smaller(words[w], *worst)) worst = words[w];
  }
};

/// The symbols that words are made of: with `mentioned_only`, without the one that nobody mentions, unless it is the
/// only one.
template <class Comparison>
std::size_t symbol_count(const Comparison& comparison, bool mentioned_only) {
  return mentioned_only && comparison.mentioned() > 0 ? comparison.mentioned() : comparison.symbols();
}

template <class Comparison>
Report search(const Comparison& comparison, const Options& options) {
  const std::size_t symbols = symbol_count(comparison, options.mentioned_only);
  if (count_words(symbols, options.exhaustive) > 1ULL << 48)
    throw UserError("that many words cannot be enumerated; choose a smaller --exhaustive length");
  const Workload workload(symbols, options);
  tbb::enumerable_thread_specific<Partial<Comparison>> partials([&] { return Partial<Comparison>(comparison); });
  std::atomic<std::uint64_t> done = 0;
  const auto work = [&](const tbb::blocked_range<std::uint64_t>& range) {
    Partial<Comparison>& partial = partials.local();
    for (std::uint64_t task = range.begin(); task != range.end(); ++task) {
      partial.take(comparison, workload.words(task));
      const std::uint64_t so_far = ++done;
      if (options.progress) options.progress(so_far, workload.tasks());
    }
  };
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] { tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, workload.tasks()), work); });

  Report report;
  std::optional<Word> worst;
  for (const Partial<Comparison>& partial : partials) {
    report.words += partial.report.words;
    report.positions += partial.report.positions;
    report.differences += partial.report.differences;
    report.longest = std::max(report.longest, partial.report.longest);
    if (partial.worst && (!worst || smaller(*partial.worst, *worst))) worst = partial.worst;
  }
  if (worst) report.counterexample = comparison.counterexample(shrink(comparison, *worst));
  return report;
}

}  // namespace quench::verify
