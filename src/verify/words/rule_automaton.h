// The states of a formula that has finitely many, explored; and from which of them a word of a given length can end
// well.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/number/random.h"
#include "lang/dfa.h"
#include "verify/words/rule_steps.h"

namespace quench::verify {

struct RuleStateHash {
  std::size_t operator()(const RuleState& state) const;
};

class RuleAutomaton {
 public:
  /// By next(), which must be finite, or with `any_numbers` by next_of_any_numbers(). Nothing if the states are too
  /// many.
  static std::optional<RuleAutomaton> explore(const RuleSteps& steps, bool any_numbers);

  /// The automaton itself, completed where it leads nowhere. Nothing if there are too many states.
  static std::optional<RuleAutomaton> of(const lang::Dfa& dfa, bool with_unmentioned);

  /// Whether the lengths up to `n` fit into memory; the functions below must not be asked about others.
  bool reaches(std::size_t n) const;
  /// Whether `more` symbols can follow the state such that the word is accepted, or with `wanted` false rejected. A
  /// state that no word leads to has no such symbols.
  bool can_end(const RuleState& state, std::size_t more, bool wanted);
  /// A word of length n that is accepted or rejected as wanted; nothing if there is none.
  std::optional<Word> random_word(std::size_t n, bool wanted, Random& random);

 private:
  struct Edge {
    Symbol symbol;
    std::uint32_t to;
  };
  using Set = std::vector<bool>;  // of states

  std::uint32_t number(const RuleState& state);
  const Set& ending(std::size_t more, bool wanted);

  std::vector<RuleState> states_;
  std::unordered_map<RuleState, std::uint32_t, RuleStateHash> numbers_;
  std::vector<Edge> first_;               // to the states of position 1
  std::vector<std::vector<Edge>> edges_;  // by state
  std::vector<Set> ending_[2];            // by whether it is accepted, then by the number of symbols still to come
};

}  // namespace quench::verify
