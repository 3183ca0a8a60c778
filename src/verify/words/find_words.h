// Accepted (or rejected) words of a given length, also where hardly any word is: what random words do not find.
//
// A formula without counts to the right is read as an automaton (rule_steps.h): with finitely many states, all words of
// the length are known; with counters, as many states as memory allows are followed. Whatever is not found so is tried
// by pumping short words. An automaton is followed as it is. Every word has been evaluated by the oracle.
#pragma once

#include <map>
#include <optional>

#include "base/number/random.h"
#include "lang/rule.h"
#include "verify/words/layered_search.h"
#include "verify/words/rule_automaton.h"

namespace quench::verify {

class WordFinder {
 public:
  /// Of a rule that accepts or rejects; it must outlive the finder.
  WordFinder(const lang::Rule& rule, bool with_unmentioned);

  struct Found {
    std::optional<Word> word;
    bool proved = false;    ///< without a word: that there is none
    std::size_t tried = 0;  ///< without a word and a proof: so many words of that length were tried
  };
  Found find(std::size_t n, bool wanted, Random& random);

 private:
  bool is(const Word& word, bool wanted) const;
  const LayeredSearch& layers(std::size_t n, bool wanted, Random& random);
  const std::vector<Word>& short_words(bool wanted);
  Found pump(std::size_t n, bool wanted, Random& random);

  const lang::Rule& rule_;
  bool with_unmentioned_;
  std::optional<RuleSteps> steps_;
  std::optional<RuleAutomaton> automaton_;    // the rule's own, if it is finite
  std::optional<RuleAutomaton> any_numbers_;  // otherwise
  std::map<std::pair<std::size_t, bool>, LayeredSearch> layers_;
  std::size_t entries_ = 0;  // of all layers kept
  std::optional<std::vector<Word>> short_words_[2];
};

}  // namespace quench::verify
