// What a progression needs to know of each node, found once.
#include <algorithm>

#include "automata/formula/progression.h"
#include "base/overloaded.h"
#include "lang/looks_right.h"
#include "lang/print/print.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;

// Coefficients and constants: sums over words stay within 64 bits.
constexpr std::int64_t kLargest = std::int64_t{1} << 40;

}  // namespace

Progression::Progression(const lang::Formula& formula, const Limits& limits, bool unbounded, bool forgetful)
    : formula_(formula),
      unbounded_(unbounded),
      forgetful_(forgetful),
      place_(formula.size(), kNone),
      counter_of_(formula.size(), kNone) {
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (reachable[k]) prepare(FormulaId(k));
  check_limit(future_.size(), limits.guesses, "guesses", "operators that look to the right");
  bits_ += 3 * future_.size();
  bit_words_ = (bits_ + 63) / 64;
  value_.resize(formula.size());
  later_.resize(formula.size(), Later::open);
  for (const FormulaId id : needed_) code_.push_back(instruction(id));
}

Progression::Instruction Progression::instruction(FormulaId id) const {
  using Kind = Instruction::Kind;
  Instruction result{Kind::number, Operator::not_, id, id.index, id.index, 0, place_[id.index], kNone, kNone};
  const auto operation = [&](Operator op, FormulaId left, FormulaId right) {
    const bool neighbour = lang::facts(op).modality == lang::Modality::previous;
    result.kind = lang::looks_right(op)  ? Kind::guessed
                  : neighbour      ? Kind::neighbour
                  : lang::looks_left(op) ? Kind::carried
                                   : Kind::connective;
    result.op = op;
    result.left = left.index;
    result.right = right.index;
    if (lang::looks_left(op)) result.remembered = place_[neighbour ? right.index : id.index];
  };
  const auto number = [&] { result.counter = counter_of_[id.index]; };
  std::visit(Overloaded{[&](const lang::Constant& node) {
                          result.kind = Kind::constant;
                          result.symbol = node.value;
                        },
                        [&](const lang::SymbolAtom& node) {
                          result.kind = Kind::symbol;
                          result.symbol = node.symbol;
                        },
                        [&](const lang::Unary& node) { operation(node.op, node.arg, node.arg); },
                        [&](const lang::Binary& node) { operation(node.op, node.left, node.right); },
                        [&](const lang::Comparison&) { number(); }, [&](const lang::PositionPredicate&) { number(); },
                        [&](const lang::CountPredicate&) { number(); }, [&](const lang::Congruence&) { number(); }},
             formula_[id]);
  return result;
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
    if (lang::looks_right(op)) future_.push_back(id);
    if (lang::looks_left(op)) remember(lang::facts(op).modality == lang::Modality::previous ? arg : id);
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
                        [&](const lang::PositionPredicate& node) {
                          Counter counter;
                          counter.positions = true;
                          predicate_of(std::move(counter), formula_[node.predicate]);
                        },
                        [&](const lang::CountPredicate& node) {
                          if (node.count.scope != lang::Scope::left) outside(id, "counts to the right");
                          predicate_of({{{node.count.of, 1}}}, formula_[node.predicate]);
                        },
                        [&](const lang::Congruence& node) {
                          Counter counter;
                          counter.modulus = residue_class(formula_[node.predicate])->modulus;
                          if (counter.modulus > kLargest) outside(id, "has a modulus that is too large");
                          for (const lang::Term::Part& part : formula_[node.term].parts) {
                            if (part.count.scope != lang::Scope::left) outside(id, "counts to the right");
                            const std::int64_t step = part.coefficient % counter.modulus;
                            counter.parts.emplace_back(part.count.of, step < 0 ? step + counter.modulus : step);
                          }
                          count(id, std::move(counter));
                        }},
             formula_[id]);
}

}  // namespace quench::automata
