#include "automata/translate/decompose/base_variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace quench::automata {
namespace {

using lang::FormulaId;

/// A sum of counts that has one of these values, in order, wherever it matters. Values that follow each other are an
/// interval, and no bound is asked for beyond which there are none: a bound is one head, an equality two.
Feature feature_of_sum(Logic& logic, std::vector<std::pair<std::int64_t, FormulaId>> sum,
                       const std::vector<std::int64_t>& values) {
  if (values.size() > kMostValues) throw UserError("a difference of counts with more than 256 values");
  Feature feature;
  feature.values = values.size();
  feature.cost = 2;
  feature.is_in = [&logic, sum = std::move(sum), values](const ValueSet& set) {
    std::vector<FormulaId> runs;
    for (std::size_t begin = 0; begin < values.size(); ++begin) {
      if (!set[begin]) continue;
      std::size_t end = begin;
      while (end + 1 < values.size() && set[end + 1]) ++end;
      const auto bound = [&](lang::Relation relation, std::size_t v) {
        return logic.sum_compares(sum, relation, values[v]);
      };
      if (begin == end && begin > 0 && end + 1 < values.size()) {
        runs.push_back(bound(lang::Relation::equal, begin));
      } else {
        std::vector<FormulaId> bounds;
        if (begin > 0) bounds.push_back(bound(lang::Relation::greater_equal, begin));
        if (end + 1 < values.size()) bounds.push_back(bound(lang::Relation::less_equal, end));
        runs.push_back(logic.all_of(bounds));
      }
      begin = end;
    }
    return logic.any_of(runs);
  };
  return feature;
}

}  // namespace

BaseVariables::BaseVariables(Logic& logic, const PartialMachine& machine, const Strategy& strategy,
                             const Limits& limits, Budget& budget)
    : logic_(logic), machine_(machine), blocks_(machine.states, 0) {
  add_letters();
  if (machine.s > 1) add_phase();
  if (strategy.fold) add_group(limits, budget);
  if (strategy.potential) add_potentials();
}

void BaseVariables::refine(const Partition& by) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> number;
  for (std::size_t x = 0; x < blocks_.size(); ++x)
    blocks_[x] = number.try_emplace({blocks_[x], by[x]}, static_cast<std::uint32_t>(number.size())).first->second;
}

/// A class of letters is a disjunction of symbols; one that has the unlisted symbols is the negation of the others. If
/// there are no unlisted symbols, whichever is shorter.
void BaseVariables::add_letters() {
  bool open = false;
  for (const std::vector<lang::Letter>& letters : machine_.letters)
    open |= std::find(letters.begin(), letters.end(), machine_.symbols) != letters.end();
  const auto formula_of = [this, open](const ValueSet& set) {
    std::vector<FormulaId> in, out;
    bool with_other = false;
    for (std::size_t a = 0; a < machine_.letters.size(); ++a)
      for (const lang::Letter letter : machine_.letters[a]) {
        if (letter == machine_.symbols)
          with_other = set[a];
        else
          (set[a] ? in : out).push_back(logic_.symbol(static_cast<Symbol>(letter)));
      }
    if (!open) with_other = in.size() > out.size();
    return with_other ? logic_.negation(logic_.any_of(out)) : logic_.any_of(in);
  };
  if (machine_.letters.size() > kMostValues) throw UserError("more than 256 letters that differ");
  Feature feature;
  feature.values = machine_.letters.size();
  feature.is_in = formula_of;
  for (std::size_t a = 0; a < machine_.letters.size(); ++a) letter_formulas_.push_back(formula_of(ValueSet().set(a)));
  features_.push_back(std::move(feature));
}

void BaseVariables::add_phase() {
  std::vector<FormulaId> values;
  for (std::size_t r = 0; r < machine_.s; ++r)
    values.push_back(logic_.position_mod(static_cast<std::int64_t>(machine_.s), static_cast<std::int64_t>(r)));
  features_.push_back(feature_of(logic_, std::move(values), 1));
  refine(Partition(machine_.phase.begin(), machine_.phase.end()));
  description_.push_back(fmt::format("the position modulo {}", machine_.s));
}

void BaseVariables::add_group(const Limits& limits, Budget& budget) {
  const Partition folded = folding(machine_, budget);
  const std::size_t points = automata::blocks(folded);
  if (points < 2) throw UserError("folding leaves one state");
  std::map<Permutation, std::vector<FormulaId>> letters_of;
  for (std::size_t a = 0; a < machine_.letters.size(); ++a) {
    Permutation permutation(points, UINT32_MAX);
    bool leads = false;
    for (lang::State x = 0; x < machine_.states; ++x)
      if (const lang::State to = machine_.step(x, a); to != lang::kNoState) {
        permutation[folded[x]] = folded[to];
        leads = true;
      }
    if (!leads) permutation = identity_permutation(points);
    if (std::find(permutation.begin(), permutation.end(), UINT32_MAX) != permutation.end())
      throw UserError("the folded machine is no permutation automaton");
    letter_permutations_.push_back(permutation);
    letters_of[permutation].push_back(letter_formulas_[a]);
  }
  group_.emplace(points, letter_permutations_, limits);
  letters_of.erase(identity_permutation(points));
  std::map<Permutation, FormulaId> elements;
  for (const auto& [permutation, formulas] : letters_of) elements[permutation] = logic_.any_of(formulas);
  word_ = group_word(logic_, *group_, elements, limits, budget);
  features_.insert(features_.end(), word_.coordinates.begin(), word_.coordinates.end());
  refine(folded);
  description_.push_back(fmt::format("the product of the letters in a group of {} elements", group_->size()));
}

void BaseVariables::add_potentials() {
  potentials_ = automata::potentials(machine_);
  if (potentials_.empty()) throw UserError("there is no potential");
  for (const Potential& potential : potentials_) {
    std::map<std::int64_t, std::vector<FormulaId>> by_weight;
    for (std::size_t a = 0; a < machine_.letters.size(); ++a)
      if (potential.of_letter[a] != 0) by_weight[-potential.of_letter[a]].push_back(letter_formulas_[a]);
    std::vector<std::pair<std::int64_t, FormulaId>> sum;
    for (const auto& [weight, letters] : by_weight) sum.emplace_back(-weight, logic_.any_of(letters));
    std::vector<std::int64_t> values;
    for (lang::State x = 0; x < machine_.states; ++x)
      for (std::size_t a = 0; a < machine_.letters.size(); ++a)
        values.push_back(potential.of_state[x] + potential.of_letter[a]);
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    features_.push_back(feature_of_sum(logic_, std::move(sum), values));
    potential_values_.push_back(values);
    description_.push_back(fmt::format("a difference of counts with {} values", values.size()));
    Partition kernel;
    for (const std::int64_t value : potential.of_state)
      kernel.push_back(
          static_cast<std::uint32_t>(std::lower_bound(values.begin(), values.end(), value) - values.begin()));
    // The initial state's value need not be among those after a letter.
    for (lang::State x = 0; x < machine_.states; ++x)
      for (lang::State y = 0; y < x; ++y)
        if (kernel[x] == kernel[y] && potential.of_state[x] != potential.of_state[y])
          kernel[x] = static_cast<std::uint32_t>(values.size() + x);
    refine(kernel);
  }
}

std::uint32_t BaseVariables::follow(std::uint32_t memory, std::size_t letter) const {
  if (!group_) return memory;
  return static_cast<std::uint32_t>(group_->number(compose(group_->elements()[memory], letter_permutations_[letter])));
}

Point BaseVariables::values(lang::State x, std::uint32_t memory, std::size_t letter) const {
  Point point{static_cast<std::int16_t>(letter)};
  if (machine_.s > 1) point.push_back(static_cast<std::int16_t>((machine_.phase[x] + 1) % machine_.s));
  if (group_) {
    const Point& coordinates = word_.of_element[follow(memory, letter)];
    point.insert(point.end(), coordinates.begin(), coordinates.end());
  }
  for (std::size_t k = 0; k < potentials_.size(); ++k) {
    const std::int64_t value = potentials_[k].of_state[x] + potentials_[k].of_letter[letter];
    const std::vector<std::int64_t>& all = potential_values_[k];
    point.push_back(static_cast<std::int16_t>(std::lower_bound(all.begin(), all.end(), value) - all.begin()));
  }
  return point;
}

}  // namespace quench::automata
