#include "automata/formula/progression.h"

#include <algorithm>

#include "automata/formula/operators.h"
#include "automata/formula/settled.h"
#include "base/number/int128.h"
#include "base/overloaded.h"
#include "lang/print/print.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;

constexpr std::int64_t kLargest = std::int64_t{1}
                                  << 40;  // coefficients and constants: sums over words stay within 64 bits

constexpr std::int64_t kSettled = 1;  // the last word of a memory that will never change; others end in 0

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

Progression::Progression(const lang::Formula& formula, const Limits& limits, bool unbounded)
    : formula_(formula), unbounded_(unbounded), place_(formula.size(), kNone), counter_of_(formula.size(), kNone) {
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (reachable[k]) prepare(FormulaId(k));
  check_limit(future_.size(), limits.guesses, "guesses", "operators that look to the right");
  bits_ += 3 * future_.size();
  bit_words_ = (bits_ + 63) / 64;
}

void Progression::outside(FormulaId id, const char* why) const {
  throw UserError("not in the regular fragment: `" + lang::print_node(formula_, id) + "` " + why);
}

void Progression::remember(FormulaId id) {
  if (place_[id.index] == kNone) place_[id.index] = bits_++;
}

void Progression::count(FormulaId id, Counter counter) {
  const auto found = std::find(counters_.begin(), counters_.end(), counter);
  counter_of_[id.index] = static_cast<std::size_t>(found - counters_.begin());
  if (found == counters_.end()) counters_.push_back(std::move(counter));
}

/// Modulus or bound of a counter that a predicate is asked of.
void Progression::set_bound(Counter& counter, const Predicate& predicate) const {
  using Kind = Predicate::Kind;
  switch (predicate.kind) {
    case Kind::odd:
    case Kind::even:
      counter.modulus = 2;
      return;
    case Kind::mod:
      counter.modulus = predicate.modulus;
      return;
    case Kind::first:
      counter.bound = 2;
      counter.bounded = true;
      return;
    case Kind::set:
      counter.bound = predicate.members.empty() ? 0 : predicate.members.back() + 1;
      counter.bounded = true;
      return;
    case Kind::prime:
    case Kind::square:
    case Kind::cube:
    case Kind::pow2:
    case Kind::triangular:
    case Kind::fibonacci:
    case Kind::last:
    case Kind::expression:
      return;
  }
}

void Progression::prepare(FormulaId id) {
  needed_.push_back(id);
  const auto temporal = [&](Operator op, FormulaId arg) {
    if (looks_right(op)) future_.push_back(id);
    if (looks_left(op)) remember(lang::facts(op).modality == lang::Modality::previous ? arg : id);
  };
  const auto predicate_of = [&](Counter counter, const Predicate& predicate) {
    set_bound(counter, predicate);
    if (counter.modulus == 0 && !counter.bounded) outside(id, "is no condition modulo a number or up to a bound");
    count(id, std::move(counter));
  };
  std::visit(Overloaded{[](const lang::Constant&) {}, [](const lang::SymbolAtom&) {},
                        [&](const lang::Unary& node) { temporal(node.op, node.arg); },
                        [&](const lang::Binary& node) { temporal(node.op, node.right); },
                        [&](const lang::Comparison& node) {
                          Counter counter;
                          bool up = true, down = true;
                          const std::int64_t limit = formula_[node.right].constant - formula_[node.left].constant;
                          for (const auto& [term, sign] : {std::pair(node.left, 1), std::pair(node.right, -1)})
                            for (const lang::Term::Part& part : formula_[term].parts) {
                              if (part.count.scope != lang::Scope::left) outside(id, "counts to the right");
                              const std::int64_t c = sign * part.coefficient;
                              if (c > kLargest || c < -kLargest || limit > kLargest || limit < -kLargest)
                                outside(id, "has numbers that are too large");
                              (c > 0 ? down : up) = false;
                              counter.parts.emplace_back(part.count.of, c);
                            }
                          counter.bounded = up || down;
                          if (!counter.bounded && !unbounded_) outside(id, "compares counts with each other");
                          counter.bound =
                              up ? std::max<std::int64_t>(limit + 1, 0) : std::min<std::int64_t>(limit - 1, -1);
                          count(id, std::move(counter));
                        },
                        [&](const lang::PositionPredicate& node) { predicate_of({}, formula_[node.predicate]); },
                        [&](const lang::CountPredicate& node) {
                          if (node.count.scope != lang::Scope::left) outside(id, "counts to the right");
                          predicate_of({{{node.count.of, 1}}}, formula_[node.predicate]);
                        }},
             formula_[id]);
}

/// Whether the node's predicate or comparison says yes to the number of its counter.
bool Progression::numeric(FormulaId id, std::int64_t number) const {
  if (const auto* node = std::get_if<lang::Comparison>(&formula_[id]))
    return related(node->relation, Int128{number} + formula_[node->left].constant, formula_[node->right].constant);
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
bool Progression::evaluate(FormulaId id, const Memory* before, Symbol symbol, std::vector<std::uint8_t>& value,
                           Memory& after) const {
  const auto remembered = [&](FormulaId of) { return before && bit(*before, place_[of.index]); };
  const auto temporal = [&](Operator op, bool p, FormulaId arg) {
    if (looks_right(op)) return value[id.index] != 0;  // guessed
    const bool neighbour = lang::facts(op).modality == lang::Modality::previous;
    const bool then = looks_left(op) && remembered(neighbour ? arg : id);
    return truth_here(op, p, value[arg.index], then, !before);
  };
  const auto number = [&] {
    const Counter& counter = counters_[counter_of_[id.index]];
    std::int64_t& now = after[bit_words_ + counter_of_[id.index]];
    now = before ? (*before)[bit_words_ + counter_of_[id.index]] : 0;
    for (const auto& [of, coefficient] : counter.parts)
      if (value[of.index]) now += coefficient;
    if (counter.parts.empty() && !std::holds_alternative<lang::Comparison>(formula_[id])) ++now;  // the position
    if (counter.modulus > 0) now %= counter.modulus;
    if (counter.bounded) now = counter.bound >= 0 ? std::min(now, counter.bound) : std::max(now, counter.bound);
    return numeric(id, now);
  };
  return std::visit(
      Overloaded{[&](const lang::Constant& node) { return node.value; },
                 [&](const lang::SymbolAtom& node) { return node.symbol == symbol; },
                 [&](const lang::Unary& node) { return temporal(node.op, false, node.arg); },
                 [&](const lang::Binary& node) { return temporal(node.op, value[node.left.index], node.right); },
                 [&](const lang::Comparison&) { return number(); },
                 [&](const lang::PositionPredicate&) { return number(); },
                 [&](const lang::CountPredicate&) { return number(); }},
      formula_[id]);
}

void Progression::try_guess(const Memory* before, Symbol symbol, std::vector<std::uint8_t>& value,
                            std::vector<Memory>& found) const {
  Memory after(bit_words_ + counters_.size() + 1, 0);
  const auto set = [&](std::size_t place, bool truth) {
    if (truth) after[place / 64] |= static_cast<std::int64_t>(std::uint64_t{1} << (place % 64));
  };
  for (const FormulaId id : needed_) {
    value[id.index] = evaluate(id, before, symbol, value, after);
    if (place_[id.index] != kNone) set(place_[id.index], value[id.index]);
  }
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
        static_cast<std::uint8_t>((guess == truth_ahead(op, p, q, false, false) ? kMayBeFalse : 0) |
                                  (guess == truth_ahead(op, p, q, true, false) ? kMayBeTrue : 0) |
                                  (guess == truth_ahead(op, p, q, false, true) ? kMayEnd : 0));
    if (need == 0) return;
    for (std::size_t k = 0; k < 3; ++k) set(bits_ - 3 * (f + 1) + k, need >> k & 1);
  }
  if (deterministic()) {
    // Where the formula will not change any more, nothing else matters.
    std::vector<bool> saturated(formula_.size());
    for (const FormulaId id : needed_)
      if (counter_of_[id.index] != kNone) {
        const Counter& counter = counters_[counter_of_[id.index]];
        saturated[id.index] = counter.bounded && after[bit_words_ + counter_of_[id.index]] == counter.bound;
      }
    const Later root = settled(formula_, needed_, value, saturated)[formula_.root.index];
    if (root != Later::open && (root == Later::true_) == truth(after)) after = {truth(after), kSettled};
  }
  found.push_back(std::move(after));
}

void Progression::step(const Memory* before, Symbol symbol, std::vector<Memory>& found) const {
  if (before && before->back() == kSettled) return found.push_back(*before);
  std::vector<std::uint8_t> value(formula_.size());
  for (std::uint64_t guess = 0; guess >> future_.size() == 0; ++guess) {
    for (std::size_t f = 0; f < future_.size(); ++f) value[future_[f].index] = guess >> f & 1;
    try_guess(before, symbol, value, found);
  }
}

bool Progression::may_end(const Memory& memory) const {
  for (std::size_t f = 0; f < future_.size(); ++f)
    if (!bit(memory, bits_ - 3 * (f + 1) + 2)) return false;
  return true;
}

}  // namespace quench::automata
