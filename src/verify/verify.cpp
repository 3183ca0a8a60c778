#include "verify/verify.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <mutex>

#include "base/error.h"
#include "base/random.h"
#include "oracle/rule.h"
#include "run/answers.h"
#include "verify/answer_table.h"

namespace quench::verify {
namespace {

/// One word at a time through network and oracle. Words are over the joint alphabet of both; its last symbol stands for
/// all that neither mentions.
class Comparison {
 public:
  Comparison(const model::Transformer& model, const lang::Rule& rule, const run::Options& options)
      : rule_(rule), executor_(model, options), answers_(model, rule), joint_(lang::alphabet(rule)) {
    for (const std::string& symbol : model.alphabet.symbols()) joint_.intern(symbol);
    for (std::size_t s = 0; s < joint_.size(); ++s) {
      model_symbol_.push_back(model.alphabet.find(joint_.symbols()[s]));
      rule_symbol_.push_back(lang::alphabet(rule).find(joint_.symbols()[s]));
    }
    model_symbol_.push_back(kUnmentioned);
    rule_symbol_.push_back(kUnmentioned);
  }

  std::size_t symbols() const { return model_symbol_.size(); }

  struct Scratch {
    run::ReferenceExecutor::Workspace workspace;
    Word for_model, for_rule;
  };
  struct Outcome {
    std::uint64_t differences = 0;
    std::size_t position = 0;  // 1-based, first difference
    std::int64_t expected = 0, got = 0;
  };

  Outcome compare(const Word& word, Scratch& scratch) const {
    scratch.for_model.clear();
    scratch.for_rule.clear();
    for (const Symbol s : word) {
      scratch.for_model.push_back(model_symbol_[static_cast<std::size_t>(s)]);
      scratch.for_rule.push_back(rule_symbol_[static_cast<std::size_t>(s)]);
    }
    const std::vector<std::int64_t> got = run::answers(answers_.model(), executor_.run(scratch.for_model, scratch.workspace));
    const oracle::Values expected = answers_.as_model_answers(oracle::evaluate(rule_, scratch.for_rule));
    Outcome outcome;
    for (std::size_t i = 0; i < word.size(); ++i) {
      if (got[i] == expected[i]) continue;
      if (outcome.differences++ == 0) outcome.position = i + 1, outcome.expected = expected[i], outcome.got = got[i];
    }
    return outcome;
  }

  const AnswerTable& answers() const { return answers_; }

  std::string text(Word word) const {
    for (Symbol& s : word)
      if (s + 1 == static_cast<Symbol>(symbols())) s = kUnmentioned;
    return joint_.print(word);
  }

 private:
  const lang::Rule& rule_;
  run::ReferenceExecutor executor_;
  AnswerTable answers_;
  Alphabet joint_;
  std::vector<Symbol> model_symbol_, rule_symbol_;  // by joint symbol
};

/// The `index`-th word in order of length, then of symbols.
Word exhaustive_word(std::uint64_t index, std::size_t symbols) {
  std::size_t length = 1;
  for (std::uint64_t of_length = symbols; index >= of_length; of_length *= symbols) {
    index -= of_length;
    ++length;
  }
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
  Comparison::Scratch scratch;
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

std::size_t symbol_count(const model::Transformer& model, const lang::Rule& rule) {
  return Comparison(model, rule, {}).symbols();
}

Report verify(const model::Transformer& model, const lang::Rule& rule, const Options& options) {
  const Comparison comparison(model, rule, options.run);
  const std::uint64_t exhaustive = count_words(comparison.symbols(), options.exhaustive);
  if (exhaustive > 1ULL << 48)
    throw UserError("that many words cannot be enumerated; choose a smaller --exhaustive length");
  const std::uint64_t random = options.random_length > 0 ? options.random_count : 0;
  const std::uint64_t total = exhaustive + random;

  struct Partial {
    Report report;
    std::optional<Word> worst;
    Comparison::Scratch scratch;
  };
  tbb::enumerable_thread_specific<Partial> partials;
  std::atomic<std::uint64_t> done = 0;
  const auto work = [&](const tbb::blocked_range<std::uint64_t>& range) {
    Partial& partial = partials.local();
    for (std::uint64_t index = range.begin(); index != range.end(); ++index) {
      const Word word = index < exhaustive ? exhaustive_word(index, comparison.symbols())
                                           : random_word_at(index - exhaustive, comparison.symbols(), options);
      const Comparison::Outcome outcome = comparison.compare(word, partial.scratch);
      partial.report.words += 1;
      partial.report.positions += word.size();
      partial.report.differences += outcome.differences;
      if (outcome.differences > 0 && (!partial.worst || smaller(word, *partial.worst))) partial.worst = word;
    }
    const std::uint64_t so_far = done += range.size();
    if (options.progress) options.progress(so_far, total);
  };
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] { tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, total, 32), work); });

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
    Comparison::Scratch scratch;
    const Comparison::Outcome outcome = comparison.compare(smallest, scratch);
    report.counterexample = {comparison.text(smallest), outcome.position, comparison.answers().text(outcome.expected),
                             comparison.answers().text(outcome.got)};
  }
  return report;
}

}  // namespace quench::verify
