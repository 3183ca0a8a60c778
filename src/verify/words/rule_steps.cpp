#include "verify/words/rule_steps.h"

#include <algorithm>
#include <cstdlib>

#include "base/error.h"
#include "base/number/int128.h"
#include "base/overloaded.h"
#include "lang/looks_right.h"
#include "lang/step.h"
#include "oracle/evaluate.h"
#include "oracle/relation.h"

namespace quench::verify {
namespace {

using lang::FormulaId;
using lang::Operator;

constexpr std::size_t kMostGuesses = 10;                             // 2^10 per symbol
constexpr std::int64_t kLargestCoefficient = std::int64_t{1} << 30;  // so that no sum over a word overflows

/// m of odd, even and mod(m, r); 0 of the other predicates.
std::int64_t modulus_of(const Predicate& predicate) {
  const std::optional<ResidueClass> residues = residue_class(predicate);
  return residues ? residues->modulus : 0;
}

}  // namespace

std::optional<RuleSteps> RuleSteps::of(const lang::Formula& formula, bool with_unmentioned) {
  RuleSteps steps(formula, with_unmentioned);
  if (!steps.prepare()) return std::nullopt;
  return steps;
}

RuleSteps::RuleSteps(const lang::Formula& formula, bool with_unmentioned)
    : formula_(formula),
      needed_(formula.reachable()),
      with_unmentioned_(with_unmentioned || formula.alphabet.size() == 0),
      place_(formula.size(), -1),
      counter_of_(formula.size(), -1) {}

void RuleSteps::remember(FormulaId id) {
  if (place_[id.index] < 0) place_[id.index] = remembered_++;
}

/// The counter for a node, shared with those that count the same.
void RuleSteps::count(FormulaId id, Counter counter) {
  const auto found = std::ranges::find(counters_, counter);
  counter_of_[id.index] = static_cast<int>(found - counters_.begin());
  if (counter.modulus == 0) finite_ = false;
  if (found == counters_.end()) counters_.push_back(std::move(counter));
}

bool RuleSteps::prepare() {
  remember(formula_.root);
  bool possible = true;
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    const FormulaId id(k);
    if (!needed_[k]) continue;
    std::visit(Overloaded{[](const lang::Constant&) {}, [](const lang::SymbolAtom&) {},
                          [&](const lang::Unary& node) {
                            const bool neighbour = node.op == Operator::previous || node.op == Operator::weak_previous;
                            if (lang::looks_left(node.op)) remember(neighbour ? node.arg : id);
                            if (!lang::looks_right(node.op)) return;
                            future_.push_back(id);
                            remember(id);
                            if (lang::facts(node.op).modality == lang::Modality::until) remember(node.arg);
                          },
                          [&](const lang::Binary& node) {
                            if (lang::looks_left(node.op)) remember(id);
                            if (!lang::looks_right(node.op)) return;
                            future_.push_back(id);
                            for (const FormulaId part : {id, node.left, node.right}) remember(part);
                          },
                          [&](const lang::Comparison& node) {
                            numeric_.push_back(id);
                            Counter counter;
                            for (const auto& [term, sign] : {std::pair(node.left, 1), std::pair(node.right, -1)})
                              for (const lang::Term::Part& part : formula_[term].parts) {
                                possible &= part.count.scope == lang::Scope::left &&
                                            std::abs(part.coefficient / kLargestCoefficient) < 1;
                                if (possible) counter.parts.emplace_back(part.count.of, sign * part.coefficient);
                              }
                            count(id, std::move(counter));
                          },
                          [&](const lang::PositionPredicate&) {
                            numeric_.push_back(id);
                            finite_ = false;
                          },
                          [&](const lang::CountPredicate& node) {
                            numeric_.push_back(id);
                            possible &= node.count.scope == lang::Scope::left;
                            count(id, {{{node.count.of, 1}}, modulus_of(formula_[node.predicate])});
                          },
                          [&](const lang::Congruence& node) {
                            numeric_.push_back(id);
                            Counter counter{{}, modulus_of(formula_[node.predicate])};
                            possible &= counter.modulus < kLargestCoefficient;
                            for (const lang::Term::Part& part : formula_[node.term].parts) {
                              possible &= part.count.scope == lang::Scope::left;
                              counter.parts.emplace_back(part.count.of, part.coefficient % counter.modulus);
                            }
                            count(id, std::move(counter));
                          }},
               formula_[id]);
  }
  return possible && remembered_ <= 64 && future_.size() <= kMostGuesses;
}

bool RuleSteps::numbers_say(FormulaId id, const std::vector<std::int64_t>& counters, std::int64_t i,
                            std::int64_t n) const {
  const auto counter = [&] { return counters[static_cast<std::size_t>(counter_of_[id.index])]; };
  if (const auto* node = std::get_if<lang::Comparison>(&formula_[id]))
    return oracle::compare(node->relation, static_cast<Int128>(counter()) + formula_[node->left].constant,
                           static_cast<Int128>(formula_[node->right].constant));
  if (const auto* node = std::get_if<lang::Congruence>(&formula_[id])) {
    const auto [m, r] = *residue_class(formula_[node->predicate]);
    return (static_cast<Int128>(counter()) + formula_[node->term].constant - r) % m == 0;
  }
  if (const auto* node = std::get_if<lang::CountPredicate>(&formula_[id]))
    return oracle::holds(formula_[node->predicate], counter(), n);
  return oracle::holds(formula_[std::get<lang::PositionPredicate>(formula_[id]).predicate], i, n);
}

/// Whether what was guessed before fits what is true after it; without an after, the end of the word.
bool RuleSteps::comes_true(FormulaId id, const RuleState& before, const std::vector<std::uint8_t>* after) const {
  const bool last = after == nullptr;
  if (const auto* node = std::get_if<lang::Binary>(&formula_[id]))
    return truth(before, id) == lang::truth_ahead(node->op, truth(before, node->left), truth(before, node->right),
                                                  !last && (*after)[id.index], last);
  const auto& node = std::get<lang::Unary>(formula_[id]);
  const bool neighbour = lang::facts(node.op).modality == lang::Modality::next;
  return truth(before, id) == lang::truth_ahead(node.op, false, !neighbour && truth(before, node.arg),
                                                !last && (*after)[neighbour ? node.arg.index : id.index], last);
}

std::optional<RuleState> RuleSteps::step(const RuleState* before, Symbol symbol, std::uint64_t guess,
                                         const std::vector<FormulaId>& guessed, std::int64_t i, std::int64_t n,
                                         bool any_numbers) const {
  std::vector<std::uint8_t> value(formula_.size());
  for (std::size_t g = 0; g < guessed.size(); ++g) value[guessed[g].index] = guess >> g & 1;
  RuleState state;
  if (!any_numbers) state.counters = before ? before->counters : std::vector<std::int64_t>(counters_.size());
  std::vector<bool> counted(counters_.size());
  /// Parts of counters have smaller numbers than their nodes, so their truth is known when a counter is first read.
  const auto take_count = [&](FormulaId id) {
    if (counter_of_[id.index] < 0) return;
    const auto c = static_cast<std::size_t>(counter_of_[id.index]);
    if (counted[c]) return;
    counted[c] = true;
    for (const auto& [of, coefficient] : counters_[c].parts)
      if (value[of.index]) state.counters[c] += coefficient;
    if (counters_[c].modulus > 0) state.counters[c] %= counters_[c].modulus;
  };
  const auto remembered = [&](FormulaId id) { return before && place_[id.index] >= 0 && truth(*before, id); };
  const auto numeric = [&](FormulaId id) {
    if (any_numbers) return value[id.index] != 0;  // guessed
    take_count(id);
    return numbers_say(id, state.counters, i, n);
  };
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    if (!needed_[k]) continue;
    const FormulaId id(k);
    value[k] = std::visit(Overloaded{[&](const lang::Constant& node) { return node.value; },
                                     [&](const lang::SymbolAtom& node) { return node.symbol == symbol; },
                                     [&](const lang::Unary& node) {
                                       if (lang::looks_right(node.op)) return value[k] != 0;
                                       const bool neighbour = lang::facts(node.op).modality == lang::Modality::previous;
                                       return lang::truth_here(node.op, false, value[node.arg.index],
                                                               remembered(neighbour ? node.arg : id), !before);
                                     },
                                     [&](const lang::Binary& node) {
                                       if (lang::looks_right(node.op)) return value[k] != 0;
                                       return lang::truth_here(node.op, value[node.left.index], value[node.right.index],
                                                               remembered(id), !before);
                                     },
                                     [&](const lang::Comparison&) { return numeric(id); },
                                     [&](const lang::PositionPredicate&) { return numeric(id); },
                                     [&](const lang::CountPredicate&) { return numeric(id); },
                                     [&](const lang::Congruence&) { return numeric(id); }},
                          formula_[id]);
    if (place_[k] >= 0 && value[k]) state.bits |= std::uint64_t{1} << place_[k];
  }
  if (before)
    for (const FormulaId id : future_)
      if (!comes_true(id, *before, &value)) return std::nullopt;
  return state;
}

std::vector<RuleSteps::Step> RuleSteps::steps(const RuleState* before, std::int64_t i, std::int64_t n,
                                              bool any_numbers) const {
  std::vector<FormulaId> guessed = future_;
  if (any_numbers) guessed.insert(guessed.end(), numeric_.begin(), numeric_.end());
  QUENCH_ASSERT(guessed.size() <= kMostGuesses);
  std::vector<Step> found;
  const Symbol first = with_unmentioned_ ? kUnmentioned : 0;
  for (Symbol symbol = first; symbol < static_cast<Symbol>(formula_.alphabet.size()); ++symbol)
    for (std::uint64_t guess = 0; guess >> guessed.size() == 0; ++guess)
      if (std::optional<RuleState> state = step(before, symbol, guess, guessed, i, n, any_numbers))
        found.push_back({symbol, std::move(*state)});
  return found;
}

std::vector<RuleSteps::Step> RuleSteps::next(const RuleState* before, std::int64_t i, std::int64_t n) const {
  return steps(before, i, n, false);
}

std::vector<RuleSteps::Step> RuleSteps::next_of_any_numbers(const RuleState* before) const {
  return steps(before, 0, 0, true);
}

bool RuleSteps::numbers_can_be_guessed() const { return future_.size() + numeric_.size() <= kMostGuesses; }

std::size_t RuleSteps::tries(bool any_numbers) const {
  const std::size_t symbols = formula_.alphabet.size() + (with_unmentioned_ ? 1 : 0);
  return symbols << (future_.size() + (any_numbers ? numeric_.size() : 0));
}

bool RuleSteps::may_end(const RuleState& state) const {
  return std::ranges::all_of(future_, [&](FormulaId id) { return comes_true(id, state, nullptr); });
}

bool RuleSteps::accepts(const RuleState& state) const { return truth(state, formula_.root); }

}  // namespace quench::verify
