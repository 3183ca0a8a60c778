#include "automata/translate/decompose/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_set>

#include "automata/translate/decompose/level_formulas.h"
#include "base/hash.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::State;

/// What looking at two states costs.
constexpr std::size_t kPairSteps = 4;

/// At the first position the label before it is the initial one: `Z` is true there, `prev` false.
Feature label_before(Logic& logic, const Feature& now, std::int16_t initial) {
  Feature feature = now;
  feature.cost += 1;
  feature.is_in = [&logic, is_in = now.is_in, initial](const ValueSet& set) {
    const bool at_first = initial >= 0 && set[static_cast<std::size_t>(initial)];
    return logic.unary(at_first ? lang::Operator::weak_previous : lang::Operator::previous, is_in(set));
  };
  return feature;
}

struct KeyHash {
  std::size_t operator()(const std::vector<std::int32_t>& key) const {
    std::size_t seed = key.size();
    for (const std::int32_t part : key) hash_combine(seed, static_cast<std::size_t>(part) * 0x9e3779b97f4a7c15ULL);
    return seed;
  }
};

const char* what_happens(const ActionTable& table) {
  bool kept = false;
  for (const auto& [point, action] : table) {
    if (!action.permutation.empty()) return "permuted and reset by letters";
    kept |= action.kind == Holonomy::Action::Kind::permute;
  }
  return kept ? "reset by letters and kept" : "known from the letter and what is above";
}

void append(Point& point, const Holonomy::Labels& labels, std::size_t levels) {
  point.insert(point.end(), labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(levels));
}

}  // namespace

Exploration Decomposition::explore(const std::vector<std::size_t>& families) const {
  Exploration found;
  std::unordered_set<std::vector<std::int32_t>, KeyHash> seen;
  const auto meet = [&](Configuration configuration) {
    std::vector<std::int32_t> key{static_cast<std::int32_t>(configuration.x),
                                  static_cast<std::int32_t>(configuration.memory)};
    for (const Holonomy::Labels& labels : configuration.labels) key.insert(key.end(), labels.begin(), labels.end());
    budget_.spend(key.size());
    if (!seen.insert(std::move(key)).second) return;
    found.configurations.push_back(std::move(configuration));
    check_limit(found.configurations.size(), limits_.configurations, "configurations",
                "states with labels of a decomposition");
  };
  Configuration first;
  for (const std::size_t f : families) first.labels.push_back(families_[f]->holonomy.initial());
  meet(std::move(first));
  for (std::size_t k = 0; k < found.configurations.size(); ++k)
    for (std::size_t a = 0; a < machine_.letters.size(); ++a) {
      const Configuration& here = found.configurations[k];
      Exploration::Step step{k, a, machine_.step(here.x, a), {}, {}};
      if (step.to == lang::kNoState) {
        found.steps.push_back(std::move(step));
        continue;
      }
      for (std::size_t f = 0; f < families.size(); ++f) {
        const Holonomy& holonomy = families_[families[f]]->holonomy;
        step.last_actions = holonomy.actions(here.x, here.labels[f], a);
        step.labels.push_back(Holonomy::apply(here.labels[f], step.last_actions));
      }
      Configuration next{step.to, base_.follow(here.memory, a), step.labels};
      found.steps.push_back(std::move(step));
      meet(std::move(next));
    }
  return found;
}

bool Decomposition::separated(State p, State q) const {
  return base_.blocks()[p] != base_.blocks()[q] || std::any_of(families_.begin(), families_.end(), [&](const auto& f) {
           return f->quotient[p] != f->quotient[q];
         });
}

void Decomposition::separate_roles() {
  std::vector<std::vector<std::uint8_t>> roles;
  for (State x = 0; x < machine_.states; ++x) roles.push_back(machine_.role(x));
  for (State p = 0; p < machine_.states; ++p) {
    budget_.spend(kPairSteps * (machine_.states - p));
    for (State q = p + 1; q < machine_.states; ++q)
      if (roles[p] != roles[q] && !separated(p, q)) build(discrete(machine_.states), p, q);
  }
}

std::vector<std::size_t> Decomposition::separate_blocks(const Partition& goal) {
  std::set<std::size_t> used;
  for (State p = 0; p < machine_.states; ++p) {
    budget_.spend(kPairSteps * (machine_.states - p));
    for (State q = p + 1; q < machine_.states; ++q) {
      if (goal[p] == goal[q] || base_.blocks()[p] != base_.blocks()[q]) continue;
      const auto separates = [&](std::size_t f) { return families_[f]->quotient[p] != families_[f]->quotient[q]; };
      if (std::any_of(used.begin(), used.end(), separates)) continue;
      // One that is there already and says nothing beyond the goal, or a new one.
      std::size_t found = families_.size();
      for (std::size_t f = 0; f < families_.size() && found == families_.size(); ++f)
        if (separates(f) && refines(goal, families_[f]->quotient)) found = f;
      if (found == families_.size()) found = build(goal, p, q);
      used.insert(families_[found]->below.begin(), families_[found]->below.end());
      used.insert(found);
    }
  }
  return {used.begin(), used.end()};
}

/// ψ is maximal among the congruences that do not identify p and q, so B/ψ is subdirectly irreducible: the least
/// congruence above ψ that identifies p and q is its only cover.
std::size_t Decomposition::build(const Partition& start, State p, State q) {
  const Partition psi = maximal_separating(machine_, start, base_.blocks(), p, q, budget_);
  const Partition cover_of_psi = joined(machine_, psi, p, q, budget_);
  std::vector<std::size_t> below = separate_blocks(cover_of_psi);
  // The fibres are what base variables and the families below tell apart.
  Partition fibres = cover_of_psi;
  families_.push_back(std::make_unique<Family>(
      Family{psi, Holonomy(machine_, psi, fibres, limits_, budget_), std::move(below), {}, {}}));
  const std::size_t family = families_.size() - 1;
  std::vector<std::size_t> order = families_[family]->below;
  order.push_back(family);
  const Exploration found = explore(order);
  for (std::size_t level = 0; level < families_[family]->holonomy.levels(); ++level) build_level(family, level, found);
  return family;
}

void Decomposition::build_level(std::size_t number, std::size_t level, const Exploration& found) {
  Family& family = *families_[number];
  std::vector<Feature> features = base_.features();
  for (const std::size_t f : family.below)
    features.insert(features.end(), families_[f]->before.begin(), families_[f]->before.end());
  features.insert(features.end(), family.before.begin(), family.before.end());
  ActionTable table;
  for (const Exploration::Step& step : found.steps) {
    if (step.to == lang::kNoState || step.last_actions[level].kind == Holonomy::Action::Kind::none) continue;
    const Configuration& here = found.configurations[step.from];
    Point point = base_.values(here.x, here.memory, step.letter);
    for (std::size_t k = 0; k < family.below.size(); ++k) append(point, here.labels[k], here.labels[k].size());
    append(point, here.labels.back(), level);
    budget_.spend(point.size());
    table.insert_or_assign(std::move(point), step.last_actions[level]);
  }
  description_.push_back(fmt::format("a quotient of {} states, level {} of {}: {} labels, {}", blocks(family.quotient),
                                     level + 1, family.holonomy.levels(), family.holonomy.labels(level),
                                     what_happens(table)));
  const std::int16_t initial = family.holonomy.initial()[level];
  const std::vector<FormulaId> labels =
      level_formulas(logic_, features, table, family.holonomy.labels(level), initial, limits_, budget_);
  const int cost = 3 + 2 * static_cast<int>(number + level);
  family.now.push_back(feature_of(logic_, labels, cost));
  family.before.push_back(label_before(logic_, family.now.back(), initial));
  check_limit(logic_.size(), limits_.formula, "formula", "nodes of the formula of an automaton");
}

const Exploration& Decomposition::whole() {
  if (!whole_) {
    std::vector<std::size_t> all(families_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    whole_ = explore(all);
  }
  return *whole_;
}

FormulaId Decomposition::accepting() {
  std::vector<Feature> features = base_.features();
  for (const auto& family : families_) features.insert(features.end(), family->now.begin(), family->now.end());
  std::vector<Point> yes, no;
  for (const Exploration::Step& step : whole().steps) {
    if (step.to == lang::kNoState) continue;
    const Configuration& here = whole().configurations[step.from];
    Point point = base_.values(here.x, here.memory, step.letter);
    for (const Holonomy::Labels& labels : step.labels) append(point, labels, labels.size());
    (machine_.accepting[step.to] ? yes : no).push_back(std::move(point));
  }
  return cover(logic_, features, std::move(yes), std::move(no), budget_);
}

FormulaId Decomposition::event(Event event) {
  std::vector<Feature> features = base_.features();
  for (const auto& family : families_) features.insert(features.end(), family->before.begin(), family->before.end());
  std::vector<Point> yes, no;
  for (const Exploration::Step& step : whole().steps) {
    const Configuration& here = whole().configurations[step.from];
    Point point = base_.values(here.x, here.memory, step.letter);
    for (const Holonomy::Labels& labels : here.labels) append(point, labels, labels.size());
    (machine_.event_of(here.x, step.letter) == event ? yes : no).push_back(std::move(point));
  }
  return cover(logic_, features, std::move(yes), std::move(no), budget_);
}

}  // namespace quench::automata
