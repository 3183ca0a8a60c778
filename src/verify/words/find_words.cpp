#include "verify/words/find_words.h"

#include <algorithm>

#include "base/error.h"
#include "oracle/rule.h"
#include "verify/words/pumped_words.h"
#include "verify/words/workload.h"

namespace quench::verify {
namespace {

constexpr std::size_t kMostKept = 10'000'000;      // of layers kept
constexpr std::uint64_t kMostShortWords = 20'000;  // that are tried
constexpr std::size_t kMostPumped = 4'000;         // that are tried for one word
constexpr std::size_t kMostPumpedSymbols = 20'000'000;
constexpr std::size_t kMostPumpedPairs = 300'000'000;  // of positions, which programs look at
constexpr std::size_t kFewestPumped = 2;

}  // namespace

WordFinder::WordFinder(const lang::Rule& rule, bool with_unmentioned)
    : rule_(rule), with_unmentioned_(with_unmentioned || lang::alphabet(rule).size() == 0) {
  if (const auto* automaton = std::get_if<lang::Automaton>(&rule)) {
    automaton_ = RuleAutomaton::of(automaton->dfa, with_unmentioned_);
    return;
  }
  const auto* formula = std::get_if<lang::Formula>(&rule);
  if (formula) steps_ = RuleSteps::of(*formula, with_unmentioned_);
  if (!steps_) return;
  if (steps_->finite()) automaton_ = RuleAutomaton::explore(*steps_, false);
  if (!automaton_) any_numbers_ = RuleAutomaton::explore(*steps_, true);
}

bool WordFinder::is(const Word& word, bool wanted) const {
  return (oracle::evaluate(rule_, word).back() != 0) == wanted;
}

WordFinder::Found WordFinder::find(std::size_t n, bool wanted, Random& random) {
  if (automaton_ && automaton_->reaches(n)) {
    Found found{automaton_->random_word(n, wanted, random), false};
    found.proved = !found.word;
    if (found.word) QUENCH_ASSERT(is(*found.word, wanted));
    return found;
  }
  if (steps_ && n <= LayeredSearch::kLongest) {
    const LayeredSearch& search = layers(n, wanted, random);
    Found found{search.random_word(random), false};
    if (found.word) QUENCH_ASSERT(is(*found.word, wanted));
    found.proved = !found.word && search.complete();
    if (found.word || found.proved) return found;
  }
  return pump(n, wanted, random);
}

const LayeredSearch& WordFinder::layers(std::size_t n, bool wanted, Random& random) {
  const auto known = layers_.find({n, wanted});
  if (known != layers_.end()) return known->second;
  if (entries_ > kMostKept) layers_.clear(), entries_ = 0;
  RuleAutomaton* any = any_numbers_ && any_numbers_->reaches(n) ? &*any_numbers_ : nullptr;
  const auto& [key, search] =
      *layers_.emplace(std::pair(n, wanted), LayeredSearch(*steps_, any, n, wanted, random)).first;
  entries_ += search.size();
  return search;
}

const std::vector<Word>& WordFinder::short_words(bool wanted) {
  std::optional<std::vector<Word>>& words = short_words_[wanted];
  if (words) return *words;
  words.emplace();
  const std::size_t mentioned = lang::alphabet(rule_).size(), symbols = mentioned + (with_unmentioned_ ? 1 : 0);
  Options options;
  while (options.exhaustive < 16 && count_words(symbols, options.exhaustive + 1) <= kMostShortWords)
    ++options.exhaustive;
  const Workload workload(symbols, options);
  for (std::uint64_t task = 0; task < workload.tasks(); ++task)
    for (Word word : workload.words(task)) {
      for (Symbol& s : word) s = s == static_cast<Symbol>(mentioned) ? kUnmentioned : s;
      if (is(word, wanted)) words->push_back(std::move(word));
    }
  return *words;
}

WordFinder::Found WordFinder::pump(std::size_t n, bool wanted, Random& random) {
  const std::vector<Word>& bases = short_words(wanted);
  std::vector<Symbol> padding;
  if (with_unmentioned_) padding.push_back(kUnmentioned);
  for (std::size_t s = 0; s < lang::alphabet(rule_).size(); ++s) padding.push_back(static_cast<Symbol>(s));
  Found found;
  const bool program = std::holds_alternative<lang::Program>(rule_);
  const std::size_t affordable = program ? kMostPumpedPairs / n / n : kMostPumpedSymbols / n;
  const std::size_t most = std::clamp(affordable, kFewestPumped, kMostPumped);
  for (std::size_t k = 0; k < most && !bases.empty(); ++k) {
    const Word& base = bases[random.below(bases.size())];
    if (base.size() > n) continue;
    Word word = pumped(base, n, padding, random);
    if (is(word, wanted)) return {std::move(word)};
    ++found.tried;
  }
  return found;
}

}  // namespace quench::verify
