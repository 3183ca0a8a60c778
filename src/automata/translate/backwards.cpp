// Let S be a set of states and a⁻¹S the states from which the letter a leads into S. After a position with the letter a
// the state is in S if it was in a⁻¹S before:
//     in(S) = ⋁_a a ∧ before(a⁻¹S),
// where before(T) is `prev in(T)` if the initial state is not in T, and `Z in(T)` otherwise. Letters A that leave S as
// it is wait for another one:
//     in(S) = A S ⋁_{a ∉ A} a ∧ before(a⁻¹S)   if the initial state is not in S.
// A set and its complement are one question, so that the one without the initial state is asked. The sets that come
// from the accepting states are the states of the automaton that reads backwards; if it never comes back to one that it
// has left, this is a formula.
#include "automata/translate/backwards.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;
using lang::State;
using StateSet = std::vector<bool>;

/// A set without the initial state, and whether what is meant is its complement.
struct Question {
  std::size_t set;
  bool negated;
  friend auto operator<=>(const Question&, const Question&) = default;
};

class ReadBackwards {
 public:
  ReadBackwards(Logic& logic, const PartialMachine& machine, const Feature& letters, const Limits& limits,
                Budget& budget)
      : logic_(logic), machine_(machine), letters_(letters), limits_(limits), budget_(budget) {}

  FormulaId run() {
    const Question accepting = asked(StateSet(machine_.accepting.begin(), machine_.accepting.end()));
    for (std::size_t set = 0; set < sets_.size(); ++set)
      for (std::size_t a = 0; a < machine_.letters.size(); ++a) {
        const Question before = asked(led_by(a, *sets_[set]));  // which may move `steps_`
        steps_[set].push_back(before);
      }
    formulas_.resize(sets_.size());
    for (const std::size_t set : from_the_last()) formulas_[set] = formula_of(set);
    return signed_formula(formulas_[accepting.set], accepting.negated);
  }

  std::size_t size() const { return sets_.size(); }

 private:
  Question asked(StateSet set) {
    const bool negated = set[0];
    if (negated) set.flip();
    const auto [at, added] = numbers_.try_emplace(std::move(set), sets_.size());
    if (added) {
      sets_.push_back(&at->first);
      steps_.emplace_back();
      check_limit(sets_.size(), limits_.image_sets, "image_sets", "sets of states of the automaton read backwards");
    }
    return {at->second, negated};
  }

  StateSet led_by(std::size_t letter, const StateSet& into) {
    budget_.spend(machine_.states);
    StateSet from(machine_.states);
    for (State x = 0; x < machine_.states; ++x) from[x] = into[machine_.step(x, letter)];
    return from;
  }

  /// Every set after those that its formula asks for.
  std::vector<std::size_t> from_the_last() const {
    std::vector<std::size_t> waits_for(sets_.size()), order;
    std::vector<std::vector<std::size_t>> asked_by(sets_.size());
    for (std::size_t set = 0; set < sets_.size(); ++set) {
      for (const Question& step : steps_[set]) {
        if (step == Question{set, false}) continue;
        ++waits_for[set];
        asked_by[step.set].push_back(set);
      }
      if (waits_for[set] == 0) order.push_back(set);
    }
    for (std::size_t k = 0; k < order.size(); ++k)
      for (const std::size_t set : asked_by[order[k]])
        if (--waits_for[set] == 0) order.push_back(set);
    if (order.size() < sets_.size())
      throw UserError("read backwards, the automaton comes back to a state that it has left");
    return order;
  }

  FormulaId formula_of(std::size_t set) {
    std::map<Question, ValueSet> letters;  // by where they lead from
    for (std::size_t a = 0; a < steps_[set].size(); ++a) letters.try_emplace(steps_[set][a]).first->second.set(a);
    const Question itself{set, false};
    std::vector<FormulaId> leaving;
    for (const auto& [question, by] : letters)
      if (question != itself)
        leaving.push_back(
            logic_.all_of({letters_.is_in(by), signed_formula(logic_.unary(Operator::previous, formulas_[question.set]),
                                                              question.negated)}));
    const FormulaId leave = logic_.any_of(leaving);
    return letters.contains(itself) ? logic_.since(letters_.is_in(letters[itself]), leave) : leave;
  }

  FormulaId signed_formula(FormulaId p, bool negated) { return negated ? logic_.negation(p) : p; }

  Logic& logic_;
  const PartialMachine& machine_;
  const Feature& letters_;
  const Limits& limits_;
  Budget& budget_;
  std::map<StateSet, std::size_t> numbers_;
  std::vector<const StateSet*> sets_;         // the keys of `numbers_`, which stay where they are
  std::vector<std::vector<Question>> steps_;  // by set, then by letter
  std::vector<FormulaId> formulas_;           // by set
};

}  // namespace

FormulaId backwards(Logic& logic, const PartialMachine& machine, const Feature& letters, const Limits& limits,
                    Budget& budget, std::vector<std::string>& description) {
  ReadBackwards read(logic, machine, letters, limits, budget);
  const FormulaId root = read.run();
  description.push_back(fmt::format("read backwards: {} sets of states, none of which comes back", read.size()));
  return root;
}

}  // namespace quench::automata
