// Words that suffice to tell whether something is a given automaton, if it is an automaton with no more states.
//
// For a minimal complete automaton with k states take P, shortest words to every state and those words with one letter
// more, and W, in which every two states have a word that one of them accepts and the other does not. An automaton with
// at most k states that agrees on all words of P·W accepts the same language (Vasilevskii 1973, Chow 1978: W tells k
// states of it apart, so these are all of them, and P shows where every letter leads from each). All words up to length
// k + m − 2 tell it from any automaton with m states, and are a simpler suite where they are few.
#pragma once

#include <algorithm>
#include <queue>
#include <set>
#include <vector>

#include "lang/dfa.h"

namespace quench::test {

/// A minimal automaton, made complete over its first `letters` letters: the words that lead nowhere lead to a state more.
class TestSuite {
 public:
  using Letters = std::vector<lang::Letter>;

  TestSuite(const lang::Dfa& minimal, std::size_t letters) : dfa_(minimal), letters_(letters) {
    bool partial = false;
    for (lang::State s = 0; s < dfa_.size(); ++s)
      for (lang::Letter a = 0; a < letters_; ++a) partial = partial || dfa_.next(s, a) == lang::kNoState;
    states_ = dfa_.size() + partial;
  }

  std::size_t states() const { return states_; }

  /// P·W
  std::set<Letters> words() const {
    const std::set<Letters> tails = characterising();
    std::set<Letters> result;
    for (const Letters& access : accesses())
      for (std::size_t a = 0; a <= letters_; ++a)
        for (const Letters& tail : tails) {
          Letters word = access;
          if (a < letters_) word.push_back(a);
          word.insert(word.end(), tail.begin(), tail.end());
          result.insert(std::move(word));
        }
    return result;
  }

 private:
  std::size_t next(std::size_t state, lang::Letter letter) const {
    if (state >= dfa_.size()) return state;
    const lang::State to = dfa_.next(static_cast<lang::State>(state), letter);
    return to == lang::kNoState ? dfa_.size() : to;
  }
  bool accepting(std::size_t state) const {
    return state < dfa_.size() && dfa_.accepting(static_cast<lang::State>(state));
  }

  std::vector<Letters> accesses() const {
    std::vector<Letters> found{{}};
    std::vector<std::size_t> order{dfa_.initial};
    for (std::size_t at = 0; at < order.size(); ++at)
      for (lang::Letter a = 0; a < letters_; ++a) {
        const std::size_t to = next(order[at], a);
        if (std::find(order.begin(), order.end(), to) != order.end()) continue;
        order.push_back(to);
        found.push_back(found[at]);
        found.back().push_back(a);
      }
    return found;
  }

  /// Pairs of states in rounds: those that the empty word tells apart, then those that a letter leads to such a pair.
  std::set<Letters> characterising() const {
    std::set<Letters> result;
    std::vector<std::vector<Letters>> tells(states_, std::vector<Letters>(states_));
    std::vector<std::vector<bool>> apart(states_, std::vector<bool>(states_, false));
    for (std::size_t s = 0; s < states_; ++s)
      for (std::size_t t = 0; t < states_; ++t)
        if (accepting(s) != accepting(t)) {
          apart[s][t] = true;
          result.insert(Letters{});
        }
    for (bool more = true; more;) {
      more = false;
      const auto before = apart;
      for (std::size_t s = 0; s < states_; ++s)
        for (std::size_t t = 0; t < s; ++t)
          for (lang::Letter a = 0; a < letters_ && !apart[s][t]; ++a) {
            const std::size_t u = next(s, a), v = next(t, a);
            if (!before[u][v]) continue;
            Letters word{a};
            word.insert(word.end(), tells[u][v].begin(), tells[u][v].end());
            tells[s][t] = tells[t][s] = word;
            apart[s][t] = apart[t][s] = more = true;
            result.insert(std::move(word));
          }
    }
    if (result.empty()) result.insert(Letters{});  // one state
    return result;
  }

  const lang::Dfa& dfa_;
  std::size_t letters_, states_ = 0;
};

}  // namespace quench::test
