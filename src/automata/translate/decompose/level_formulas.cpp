#include "automata/translate/decompose/level_formulas.h"

#include <functional>

#include "automata/translate/groups/group_word.h"

namespace quench::automata {
namespace {

using Action = Holonomy::Action;
using lang::FormulaId;

class Level {
 public:
  Level(Logic& logic, const std::vector<Feature>& features, const ActionTable& table, std::size_t labels,
        std::int16_t initial, const Limits& limits, Budget& budget)
      : logic_(logic),
        features_(features),
        table_(table),
        labels_(labels),
        initial_(initial < 0 ? 0 : static_cast<std::size_t>(initial)),
        limits_(limits),
        budget_(budget) {}

  std::vector<FormulaId> run() {
    std::map<Permutation, bool> permutations;
    bool holds = false;
    for (const auto& [point, action] : table_) {
      if (action.kind != Action::Kind::permute) continue;
      holds = true;
      if (!action.permutation.empty()) permutations[action.permutation] = true;
    }
    for (std::size_t l = 0; l < labels_; ++l)
      resets_.push_back(where([&](const Action& a) { return is_reset(a) && a.label == static_cast<std::int16_t>(l); },
                              [&](const Action& a) { return a.kind != Action::Kind::none; }));
    if (!holds) return resets_;  // the label is known from what is read here alone
    if (permutations.empty()) return remembered(resets_);
    std::vector<Permutation> generators;
    for (const auto& [permutation, seen] : permutations) generators.push_back(permutation);
    return permuted(generators);
  }

 private:
  static bool is_reset(const Action& action) { return action.kind == Action::Kind::reset; }

  /// True where the action is `wanted`, false at the other ones that are `relevant`.
  FormulaId where(const std::function<bool(const Action&)>& wanted,
                  const std::function<bool(const Action&)>& relevant) {
    std::vector<Point> yes, no;
    for (const auto& [point, action] : table_)
      if (relevant(action)) (wanted(action) ? yes : no).push_back(point);
    return cover(logic_, features_, yes, no, budget_);
  }

  /// The last label that was set; the initial one if none was.
  std::vector<FormulaId> remembered(const std::vector<FormulaId>& set) {
    std::vector<FormulaId> result(labels_), others;
    for (std::size_t l = 0; l < labels_; ++l) {
      if (l == initial_) continue;
      std::vector<FormulaId> rest;
      for (std::size_t u = 0; u < labels_; ++u)
        if (u != l) rest.push_back(set[u]);
      result[l] = logic_.since(logic_.negation(logic_.any_of(rest)), set[l]);
      others.push_back(result[l]);
    }
    result[initial_] = logic_.negation(logic_.any_of(others));
    return result;
  }

  /// E is the product of all permutations so far. Where the label is set to v, v·E⁻¹ is stored, so that the label is
  /// (what is stored)·E from there on.
  std::vector<FormulaId> permuted(const std::vector<Permutation>& generators) {
    const PermutationGroup group(labels_, generators, limits_);
    std::map<Permutation, FormulaId> elements;
    for (const Permutation& generator : generators)
      elements[generator] = where([&](const Action& a) { return a.permutation == generator; },
                                  [&](const Action& a) { return a.kind == Action::Kind::permute; });
    const GroupWord word = group_word(logic_, group, elements, limits_, budget_);
    const auto product_takes = [&](std::size_t from, std::size_t to) {
      std::vector<Point> yes, no;
      for (std::size_t e = 0; e < group.size(); ++e)
        (group.elements()[e][from] == to ? yes : no).push_back(word.of_element[e]);
      return cover(logic_, word.coordinates, yes, no, budget_);
    };
    std::vector<FormulaId> stored_here;
    for (std::size_t x = 0; x < labels_; ++x) {
      std::vector<FormulaId> ways;
      for (std::size_t v = 0; v < labels_; ++v)
        if (!logic_.is(resets_[v], false)) ways.push_back(logic_.all_of({resets_[v], product_takes(x, v)}));
      stored_here.push_back(logic_.any_of(ways));
    }
    const std::vector<FormulaId> stored = remembered(stored_here);
    std::vector<FormulaId> result;
    for (std::size_t l = 0; l < labels_; ++l) {
      std::vector<FormulaId> ways;
      for (std::size_t x = 0; x < labels_; ++x)
        if (!logic_.is(stored[x], false)) ways.push_back(logic_.all_of({product_takes(x, l), stored[x]}));
      result.push_back(logic_.any_of(ways));
    }
    return result;
  }

  Logic& logic_;
  const std::vector<Feature>& features_;
  const ActionTable& table_;
  std::size_t labels_, initial_;
  const Limits& limits_;
  Budget& budget_;
  std::vector<FormulaId> resets_;
};

}  // namespace

std::vector<FormulaId> level_formulas(Logic& logic, const std::vector<Feature>& features, const ActionTable& table,
                                      std::size_t labels, std::int16_t initial, const Limits& limits, Budget& budget) {
  return Level(logic, features, table, labels, initial, limits, budget).run();
}

}  // namespace quench::automata
