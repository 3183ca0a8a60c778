// A formula read from left to right, one position at a time: what a state has to remember, and which states may follow.
//
// Past operators are functions of the state before. Future operators are guessed, and the guess is held against what
// comes: a run that ends well has guessed right everywhere. Counts to the left are numbers in the state. Counts to the
// right or of the whole word would have to be guessed, too, and are not: such formulas have no steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/word.h"
#include "lang/formula.h"

namespace quench::verify {

struct RuleState {
  std::uint64_t bits = 0;              ///< truth of the remembered subformulas
  std::vector<std::int64_t> counters;  ///< of the comparisons and predicates of counts
  friend bool operator==(const RuleState&, const RuleState&) = default;
};

class RuleSteps {
 public:
  /// Nothing if the formula counts to the right, or has more parts than a state can hold.
  static std::optional<RuleSteps> of(const lang::Formula& formula, bool with_unmentioned);

  /// Whether the next states depend on nothing but the state, and the states are finitely many: no position predicates,
  /// and no counts but modulo a number.
  bool finite() const { return finite_; }

  struct Step {
    Symbol symbol;
    RuleState state;
  };
  /// The states at position i of words of length n; `before` is null at position 1.
  std::vector<Step> next(const RuleState* before, std::int64_t i, std::int64_t n) const;
  /// The same where comparisons and numerical predicates may have any truth value; states have no counters. Every run
  /// of next() is one of these, so what cannot be accepted here cannot be accepted there.
  std::vector<Step> next_of_any_numbers(const RuleState* before) const;
  /// Whether there are not too many truth values to try for that.
  bool numbers_can_be_guessed() const;
  /// How many states are tried to find the next ones of a state.
  std::size_t tries(bool any_numbers) const;

  /// Whether a word may end in the state: all guesses have come true.
  bool may_end(const RuleState& state) const;
  /// The truth of the rule.
  bool accepts(const RuleState& state) const;

 private:
  /// Σ coefficient · #<[of], modulo `modulus` if that is not 0.
  struct Counter {
    std::vector<std::pair<lang::FormulaId, std::int64_t>> parts;
    std::int64_t modulus = 0;
    friend bool operator==(const Counter&, const Counter&) = default;
  };

  explicit RuleSteps(const lang::Formula& formula, bool with_unmentioned);
  bool prepare();
  void count(lang::FormulaId id, Counter counter);
  void remember(lang::FormulaId id);
  bool truth(const RuleState& state, lang::FormulaId id) const { return state.bits >> place_[id.index] & 1; }
  std::vector<Step> steps(const RuleState* before, std::int64_t i, std::int64_t n, bool any_numbers) const;
  std::optional<RuleState> step(const RuleState* before, Symbol symbol, std::uint64_t guess,
                                const std::vector<lang::FormulaId>& guessed, std::int64_t i, std::int64_t n,
                                bool any_numbers) const;
  bool numbers_say(lang::FormulaId id, const std::vector<std::int64_t>& counters, std::int64_t i, std::int64_t n) const;
  bool comes_true(lang::FormulaId id, const RuleState& before, const std::vector<std::uint8_t>* after) const;

  lang::Formula formula_;
  std::vector<bool> needed_;
  bool with_unmentioned_;
  bool finite_ = true;
  std::vector<int> place_;  ///< of a remembered node in the bits, or −1
  int remembered_ = 0;
  std::vector<lang::FormulaId> future_;   ///< operators that look to the right
  std::vector<lang::FormulaId> numeric_;  ///< comparisons and predicates
  std::vector<Counter> counters_;
  std::vector<int> counter_of_;  ///< of a comparison or a predicate of a count, or −1
};

}  // namespace quench::verify
