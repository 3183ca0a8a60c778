#include "automata/formula/progression.h"

#include <algorithm>

#include "automata/formula/step_tables.h"
#include "base/number/int128.h"
#include "lang/step.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;

/// What a guess needs of the position after: the node to look at has to be false, or true; and whether the word may
/// end. Three bits for each operator of the future.
enum Need : std::uint8_t { kMayBeFalse = 1, kMayBeTrue = 2, kMayEnd = 4 };

bool related(lang::Relation relation, Int128 a, Int128 b) {
  switch (relation) {
    case lang::Relation::less_equal:
      return a <= b;
    case lang::Relation::less:
      return a < b;
    case lang::Relation::greater_equal:
      return a >= b;
    case lang::Relation::greater:
      return a > b;
    case lang::Relation::equal:
      return a == b;
    case lang::Relation::not_equal:
      return a != b;
  }
  return false;
}

}  // namespace

/// Whether the node's predicate or comparison says yes to the number of its counter.
bool Progression::numeric(FormulaId id, std::int64_t number) const {
  if (const auto* node = std::get_if<lang::Comparison>(&formula_[id]))
    return related(node->relation, Int128{number} + formula_[node->left].constant, formula_[node->right].constant);
  if (const auto* node = std::get_if<lang::Congruence>(&formula_[id])) {
    const auto [m, r] = *residue_class(formula_[node->predicate]);
    return (Int128{number} + formula_[node->term].constant - r) % m == 0;
  }
  const auto* position = std::get_if<lang::PositionPredicate>(&formula_[id]);
  const Predicate& predicate =
      formula_[position ? position->predicate : std::get<lang::CountPredicate>(formula_[id]).predicate];
  switch (predicate.kind) {
    case Predicate::Kind::odd:
      return number == 1;
    case Predicate::Kind::even:
      return number == 0;
    case Predicate::Kind::mod:
      return (number - predicate.residue) % predicate.modulus == 0;
    case Predicate::Kind::first:
      return number == 1;
    case Predicate::Kind::set:
      return std::binary_search(predicate.members.begin(), predicate.members.end(), number);
    case Predicate::Kind::prime:
    case Predicate::Kind::square:
    case Predicate::Kind::cube:
    case Predicate::Kind::pow2:
    case Predicate::Kind::triangular:
    case Predicate::Kind::fibonacci:
    case Predicate::Kind::last:
    case Predicate::Kind::expression:
      break;
  }
  internal_error("a predicate of the fragment", __FILE__, __LINE__);
}

/// Parts of a counter have smaller numbers than the nodes that read it, so it can be advanced at the first of them;
/// later ones find the same number, because they advance it from `before` again.
bool Progression::count_on(const Instruction& instruction, const Memory* before, Memory& after) const {
  const Counter& counter = counters_[instruction.counter];
  std::int64_t& now = after[bit_words_ + instruction.counter];
  now = before ? (*before)[bit_words_ + instruction.counter] : 0;
  for (const auto& [of, coefficient] : counter.parts)
    if (value_[of.index]) now += coefficient;
  if (counter.positions) ++now;
  if (counter.modulus > 0) now %= counter.modulus;
  if (counter.bounded) now = counter.bound >= 0 ? std::min(now, counter.bound) : std::max(now, counter.bound);
  return numeric(instruction.id, now);
}

/// The instructions in order: the truth of each node here, and whether it stays so for good.
void Progression::execute(const Memory* before, Symbol symbol, Memory& after) const {
  const StepTables& tables = step_tables();
  for (const Instruction& instruction : code_) {
    std::uint8_t& value = value_[instruction.id.index];
    Later& later = later_[instruction.id.index];
    const auto op = static_cast<std::size_t>(instruction.op);
    const bool p = value_[instruction.left], q = value_[instruction.right];
    const auto p_later = static_cast<std::size_t>(later_[instruction.left]);
    const auto q_later = static_cast<std::size_t>(later_[instruction.right]);
    switch (instruction.kind) {
      case Instruction::Kind::constant:
        value = instruction.symbol != 0;
        later = later_if(value);
        break;
      case Instruction::Kind::symbol:
        value = instruction.symbol == symbol;
        break;
      case Instruction::Kind::connective:
        value = tables.truth[op][p][q][0][0];
        later = tables.later[op][p_later][q_later][0];
        break;
      case Instruction::Kind::neighbour:
        value = tables.truth[op][0][0][before && bit(*before, instruction.remembered)][!before];
        later = later_[instruction.right] == later_if(q) ? later_[instruction.right] : Later::open;
        break;
      case Instruction::Kind::carried:
        value = tables.truth[op][p][q][before && bit(*before, instruction.remembered)][!before];
        later = tables.later[op][p_later][q_later][value];
        break;
      case Instruction::Kind::guessed:
        break;
      case Instruction::Kind::number: {
        value = count_on(instruction, before, after);
        const Counter& counter = counters_[instruction.counter];
        const bool saturated = counter.bounded && after[bit_words_ + instruction.counter] == counter.bound;
        later = saturated ? later_if(value) : Later::open;
        break;
      }
    }
    if (value && instruction.place != kNone)
      after[instruction.place / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << (instruction.place % 64));
  }
}

void Progression::try_guess(const Memory* before, Symbol symbol, std::vector<Memory>& found) const {
  const std::vector<std::uint8_t>& value = value_;
  Memory after(bit_words_ + counters_.size() + 1, 0);
  const auto set = [&](std::size_t place, bool truth) {
    if (truth) after[place / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << (place % 64));
  };
  execute(before, symbol, after);
  set(0, value[formula_.root.index]);
  for (std::size_t f = 0; f < future_.size(); ++f) {
    const FormulaId id = future_[f];
    const auto* unary = std::get_if<lang::Unary>(&formula_[id]);
    const auto* binary = std::get_if<lang::Binary>(&formula_[id]);
    const Operator op = unary ? unary->op : binary->op;
    const FormulaId arg = unary ? unary->arg : binary->right;
    const bool p = binary && value[binary->left.index], q = value[arg.index], guess = value[id.index];
    if (before) {  // does what was needed hold here?
      const bool neighbour = lang::facts(op).modality == lang::Modality::next;
      const bool seen = value[neighbour ? arg.index : id.index];
      if (!bit(*before, bits_ - 3 * (f + 1) + (seen ? 1 : 0))) return;
    }
    const std::uint8_t need =
        static_cast<std::uint8_t>((guess == lang::truth_ahead(op, p, q, false, false) ? kMayBeFalse : 0) |
                                  (guess == lang::truth_ahead(op, p, q, true, false) ? kMayBeTrue : 0) |
                                  (guess == lang::truth_ahead(op, p, q, false, true) ? kMayEnd : 0));
    if (need == 0) return;
    for (std::size_t k = 0; k < 3; ++k) set(bits_ - 3 * (f + 1) + k, need >> k & 1);
  }
  if (deterministic() && forgetful_) {
    // Where the formula will not change any more, nothing else matters.
    const Later root = later_[formula_.root.index];
    if (root != Later::open && (root == Later::true_) == truth(after)) after = {truth(after), kSettled};
  }
  found.push_back(std::move(after));
}

void Progression::step(const Memory* before, Symbol symbol, std::vector<Memory>& found) const {
  if (before && before->back() == kSettled) return found.push_back(*before);
  for (std::uint64_t guess = 0; guess >> future_.size() == 0; ++guess) {
    for (std::size_t f = 0; f < future_.size(); ++f) value_[future_[f].index] = guess >> f & 1;
    try_guess(before, symbol, found);
  }
}

bool Progression::may_end(const Memory& memory) const {
  for (std::size_t f = 0; f < future_.size(); ++f)
    if (!bit(memory, bits_ - 3 * (f + 1) + 2)) return false;
  return true;
}

}  // namespace quench::automata
