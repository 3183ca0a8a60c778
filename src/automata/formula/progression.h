// A formula read from left to right: what has to be remembered of a prefix to know the formula's truth from there on.
// For the regular fragment that is finite: temporal operators, positions and counts to the left modulo m or up to a
// bound.
//
// Operators of the past are known from their operands here and what was remembered. Operators of the future are
// guessed; what a guess needs of the position after is remembered and checked there, and a word may end only where
// nothing is needed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "automata/formula/step_tables.h"
#include "automata/limits.h"
#include "lang/formula.h"

namespace quench::automata {

class Progression {
 public:
  /// Remembered bits, then numbers. Two prefixes with the same memory have the same continuations.
  using Memory = std::vector<std::int64_t>;

  /// Throws UserError, naming the part, if the formula is outside the fragment. With `unbounded`, differences of counts
  /// are allowed: then memories may be infinitely many. With `forgetful`, memories are one where the formula will not
  /// change any more.
  explicit Progression(const lang::Formula& formula, const Limits& limits = {}, bool unbounded = false,
                       bool forgetful = true);

  const lang::Formula& formula() const { return formula_; }
  /// Nothing is guessed: each symbol has one step.
  bool deterministic() const { return future_.empty(); }

  /// Appends the memories after one more symbol; `before` null: it is the first.
  void step(const Memory* before, Symbol symbol, std::vector<Memory>& found) const;
  /// The truth of every node at the last step, by number; of the last guess, if there was one.
  const std::vector<std::uint8_t>& values() const { return value_; }
  /// Nothing will change any more, and values() are not those of the step that is asked for.
  static bool is_settled(const Memory* memory) { return memory && memory->back() == kSettled; }
  /// Whether the word may end here, and whether the formula is true there.
  bool may_end(const Memory& memory) const;
  bool truth(const Memory& memory) const { return memory[0] & 1; }

 private:
  /// Σ coefficient · [node] over the positions so far, modulo `modulus` or held at `bound` once it gets there.
  struct Counter {
    std::vector<std::pair<lang::FormulaId, std::int64_t>> parts;
    std::int64_t modulus = 0, bound = 0;
    bool bounded = false, positions = false;  ///< positions: one more at each of them
    friend bool operator==(const Counter&, const Counter&) = default;
  };

  void prepare(lang::FormulaId id);
  void count(lang::FormulaId id, Counter counter);
  void remember(lang::FormulaId id);
  void set_bound(Counter& counter, const Predicate& predicate) const;
  [[noreturn]] void outside(lang::FormulaId id, const char* why) const;
  /// A node as it is worked out at every position.
  struct Instruction {
    enum class Kind : std::uint8_t { constant, symbol, connective, neighbour, carried, guessed, number };
    Kind kind;
    lang::Operator op;
    lang::FormulaId id;
    std::uint32_t left, right;  ///< operands; itself if there are none
    Symbol symbol;              ///< or the value of a constant
    std::size_t place;          ///< among the remembered bits, or kNone
    std::size_t remembered;     ///< where the bit is that it looks at
    std::size_t counter;
  };
  Instruction instruction(lang::FormulaId id) const;
  void execute(const Memory* before, Symbol symbol, Memory& after) const;
  bool count_on(const Instruction& instruction, const Memory* before, Memory& after) const;
  bool numeric(lang::FormulaId id, std::int64_t number) const;
  bool bit(const Memory& memory, std::size_t place) const { return memory[place / 64] >> (place % 64) & 1; }
  void try_guess(const Memory* before, Symbol symbol, std::vector<Memory>& found) const;

  lang::Formula formula_;
  bool unbounded_, forgetful_;
  std::vector<lang::FormulaId> needed_;  // in order
  std::vector<lang::FormulaId> future_;  // operators that look to the right
  std::vector<std::size_t> place_;       // of a remembered node among the bits, or kNone
  std::vector<std::size_t> counter_of_;  // of a node, or kNone
  std::vector<Counter> counters_;
  std::vector<Instruction> code_;  // of needed_, in order
  std::size_t bits_ = 1;  // the root's truth is bit 0
  std::size_t bit_words_ = 0;
  // Reused from step to step, so that these allocate nothing: one progression is for one thread.
  mutable std::vector<std::uint8_t> value_;
  mutable std::vector<Later> later_;
  static constexpr std::size_t kNone = SIZE_MAX;
  static constexpr std::int64_t kSettled = 1;  // the last word of a memory that will never change; others end in 0
};

}  // namespace quench::automata
