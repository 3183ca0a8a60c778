#include "circuits/pairs.h"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/number/random.h"
#include "oracle/rule.h"
#include "verify/words/find_words.h"

namespace quench::circuits {
namespace {

bool with_unmentioned(const lang::Rule& rule) { return lang::alphabet(rule).size() < 2; }

std::int64_t last_value(const lang::Rule& rule, const Word& word) { return oracle::evaluate(rule, word).back(); }

/// The word with every other symbol at one place, handed to `use`.
template <class Use>
void for_each_change(const lang::Rule& rule, const Word& word, std::size_t from, Use use) {
  const auto symbols = static_cast<Symbol>(lang::alphabet(rule).size());
  Word changed = word;
  for (std::size_t i = from; i < word.size(); ++i) {
    for (Symbol symbol = with_unmentioned(rule) ? kUnmentioned : 0; symbol < symbols; ++symbol) {
      if (symbol == word[i]) continue;
      changed[i] = symbol;
      use(changed, i);
    }
    changed[i] = word[i];
  }
}

class PairMaker {
 public:
  PairMaker(const lang::Rule& rule, const verify::AnswerTable& answers, const PairOptions& options)
      : rule_(rule), answers_(answers), options_(options), random_(options.seed) {
    if (boolean()) finder_.emplace(rule, with_unmentioned(rule));
  }

  std::vector<WordPair> make() {
    const std::vector<std::int64_t> classes = classes_of_answers();
    if (classes.size() < 2) return {};
    while (pairs_.size() + classes.size() <= options_.count) {
      // One of each class, or of none: so the classes stay balanced.
      std::vector<WordPair> round;
      for (const std::int64_t wanted : classes) {
        std::optional<WordPair> pair = new_pair(wanted);
        if (!pair) return std::move(pairs_);
        round.push_back(std::move(*pair));
      }
      pairs_.insert(pairs_.end(), round.begin(), round.end());
    }
    return std::move(pairs_);
  }

 private:
  static constexpr int kPatience = 4000, kSamples = 2000;

  bool boolean() const { return lang::output_sort(rule_) == lang::Sort::boolean; }
  std::size_t random_length() {
    return static_cast<std::size_t>(
        random_.between(static_cast<std::int64_t>(options_.shortest), static_cast<std::int64_t>(options_.longest)));
  }
  Word any_word() {
    return random_word(random_, lang::alphabet(rule_).size(), with_unmentioned(rule_), random_length());
  }

  /// The oracle's values that clean words are to have; of rules with many answers, those of at least one word in 200.
  std::vector<std::int64_t> classes_of_answers() {
    if (boolean()) return {1, 0};
    std::map<std::int64_t, int> seen;
    for (int k = 0; k < kSamples; ++k) ++seen[last_value(rule_, any_word())];
    std::vector<std::int64_t> classes;
    for (const auto& [value, times] : seen)
      if (times >= kSamples / 200) classes.push_back(value);
    return classes;
  }

  std::optional<Word> clean_word(std::int64_t wanted) {
    if (!boolean()) {
      const Word word = any_word();
      return last_value(rule_, word) == wanted ? std::optional(word) : std::nullopt;
    }
    const std::optional<Word> accepted = finder_->find(random_length(), true, random_).word;
    if (!accepted || wanted == 1) return accepted;
    return one_of(nearest_with_another_answer(rule_, *accepted));
  }

  std::optional<Word> one_of(const std::vector<Word>& words) {
    if (words.empty()) return std::nullopt;
    return words[random_.below(words.size())];
  }

  std::optional<WordPair> new_pair(std::int64_t wanted) {
    for (int k = 0; k < kPatience; ++k) {
      const std::optional<Word> clean = clean_word(wanted);
      if (!clean) continue;
      const std::optional<Word> corrupted = one_of(nearest_with_another_answer(rule_, *clean));
      if (!corrupted || !seen_.emplace(*clean, *corrupted).second) continue;
      return WordPair{*clean, *corrupted, answer(*clean), answer(*corrupted)};
    }
    return std::nullopt;
  }

  std::int64_t answer(const Word& word) const {
    return answers_.as_model_answers(oracle::evaluate(rule_, word)).back();
  }

  const lang::Rule& rule_;
  const verify::AnswerTable& answers_;
  const PairOptions& options_;
  Random random_;
  std::optional<verify::WordFinder> finder_;  ///< of rules that accept or reject
  std::set<std::pair<Word, Word>> seen_;
  std::vector<WordPair> pairs_;
};

}  // namespace

std::vector<Word> nearest_with_another_answer(const lang::Rule& rule, const Word& word) {
  const std::int64_t value = last_value(rule, word);
  std::vector<Word> found;
  const auto keep = [&](const Word& changed, std::size_t) {
    if (last_value(rule, changed) != value) found.push_back(changed);
  };
  for_each_change(rule, word, 0, keep);
  if (found.empty())
    for_each_change(rule, word, 0,
                    [&](const Word& once, std::size_t i) { for_each_change(rule, Word(once), i + 1, keep); });
  return found;
}

std::vector<WordPair> over_alphabet(std::vector<WordPair> pairs, const Alphabet& of_rule, const Alphabet& of_model) {
  for (WordPair& pair : pairs)
    for (Word* word : {&pair.clean, &pair.corrupted})
      for (Symbol& symbol : *word)
        if (symbol != kUnmentioned) symbol = of_model.find(of_rule.symbols()[static_cast<std::size_t>(symbol)]);
  return pairs;
}

std::vector<WordPair> word_pairs(const lang::Rule& rule, const verify::AnswerTable& answers,
                                 const PairOptions& options) {
  return PairMaker(rule, answers, options).make();
}

}  // namespace quench::circuits
