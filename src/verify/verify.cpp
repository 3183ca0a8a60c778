#include "verify/verify.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

#include "base/error.h"
#include "base/random.h"
#include "verify/comparison.h"

namespace quench::verify {
namespace {

constexpr std::uint64_t kTogether = 256;  // words of one length that go through the network at once

/// The words of one task: all of one length.
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

bool smaller(const Word& a, const Word& b) { return a.size() != b.size() ? a.size() < b.size() : a < b; }

/// Deletes blocks, then single symbols, then lowers symbols, as long as the word still fails.
Word shrink(const Comparison& comparison, Word word) {
  Comparison::Scratch scratch(comparison);
  const auto fails = [&](const Word& w) { return !w.empty() && comparison.compare(w, scratch).differences > 0; };
  for (bool changed = true; changed;) {
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

}  // namespace

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

std::size_t symbol_count(const model::Transformer& model, const lang::Formula& formula) {
  return Comparison(model, formula, {}, run::Engine::reference).symbols();
}

namespace {

/// What one thread has found.
struct Partial {
  explicit Partial(const Comparison& comparison) : scratch(comparison) {}
  Report report;
  std::optional<Word> worst;
  Comparison::Scratch scratch;

  void take(const Comparison& comparison, const std::vector<Word>& words) {
    std::vector<std::size_t> failed;
    report.words += words.size();
    for (const Word& word : words) report.positions += word.size();
    report.differences += comparison.compare_many(words, scratch, failed);
    for (const std::size_t w : failed)
      if (!worst || smaller(words[w], *worst)) worst = words[w];
  }
};

/// All words, cut into tasks: lengths 1, 2, … in turn, then the random words one by one.
class Workload {
 public:
  Workload(std::size_t symbols, const Options& options) : symbols_(symbols), options_(options) {
    std::uint64_t words = 1;
    for (int length = 1; length <= options.exhaustive; ++length) tasks_ += tasks_of(words *= symbols);
    exhaustive_tasks_ = tasks_;
    tasks_ += options.random_length > 0 ? options.random_count : 0;
  }

  std::uint64_t tasks() const { return tasks_; }

  std::vector<Word> words(std::uint64_t task) const {
    if (task >= exhaustive_tasks_) return {random_word_at(task - exhaustive_tasks_, symbols_, options_)};
    std::size_t length = 1;
    std::uint64_t count = symbols_;
    for (; task >= tasks_of(count); count *= symbols_, ++length) task -= tasks_of(count);
    std::vector<Word> result;
    for (std::uint64_t k = task * kTogether; k < std::min(count, (task + 1) * kTogether); ++k)
      result.push_back(exhaustive_word(k, length, symbols_));
    return result;
  }

 private:
  std::size_t symbols_;
  const Options& options_;
  std::uint64_t tasks_ = 0, exhaustive_tasks_ = 0;
};

}  // namespace

Report verify(const model::Transformer& model, const lang::Formula& formula, const Options& options) {
  const Comparison comparison(model, formula, options.run, options.engine);
  if (count_words(comparison.symbols(), options.exhaustive) > 1ULL << 48)
    throw UserError("that many words cannot be enumerated; choose a smaller --exhaustive length");
  const Workload workload(comparison.symbols(), options);
  tbb::enumerable_thread_specific<Partial> partials([&] { return Partial(comparison); });
  std::atomic<std::uint64_t> done = 0;
  const auto work = [&](const tbb::blocked_range<std::uint64_t>& range) {
    Partial& partial = partials.local();
    for (std::uint64_t task = range.begin(); task != range.end(); ++task)
      partial.take(comparison, workload.words(task));
    const std::uint64_t so_far = done += range.size();
    if (options.progress) options.progress(so_far, workload.tasks());
  };
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] { tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, workload.tasks()), work); });

  Report report;
  std::optional<Word> worst;
  for (const Partial& partial : partials) {
    report.words += partial.report.words;
    report.positions += partial.report.positions;
    report.differences += partial.report.differences;
    if (partial.worst && (!worst || smaller(*partial.worst, *worst))) worst = partial.worst;
  }
  if (worst) {
    const Word smallest = shrink(comparison, *worst);
    Comparison::Scratch scratch(comparison);
    const Comparison::Outcome outcome = comparison.compare(smallest, scratch);
    report.counterexample = {comparison.text(smallest), outcome.position, outcome.expected ? "1" : "0",
                             outcome.expected ? "0" : "1"};
  }
  return report;
}

}  // namespace quench::verify
