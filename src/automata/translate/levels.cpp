#include "automata/translate/levels.h"

#include <algorithm>
#include <set>

#include "automata/translate/level_formulas.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::State;

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

void append(Point& point, const Holonomy::Labels& labels, std::size_t levels) {
  point.insert(point.end(), labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(levels));
}

}  // namespace

template <class Visit>
void Decomposition::explore(const std::vector<std::size_t>& families, const Visit& visit) const {
  std::set<std::vector<std::int32_t>> seen;
  std::vector<Configuration> queue;
  const auto meet = [&](Configuration configuration) {
    std::vector<std::int32_t> key{static_cast<std::int32_t>(configuration.x),
                                  static_cast<std::int32_t>(configuration.memory)};
    for (const Holonomy::Labels& labels : configuration.labels) key.insert(key.end(), labels.begin(), labels.end());
    if (!seen.insert(std::move(key)).second) return;
    queue.push_back(std::move(configuration));
    check_limit(queue.size(), limits_.configurations, "configurations", "states with labels of a decomposition");
  };
  Configuration first;
  for (const std::size_t f : families) first.labels.push_back(families_[f]->holonomy.initial());
  meet(std::move(first));
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (std::size_t a = 0; a < machine_.letters.size(); ++a) {
      const Configuration here = queue[k];
      Configuration next{machine_.step(here.x, a), base_.follow(here.memory, a), {}};
      if (next.x == lang::kNoState) {
        visit(here, a, nullptr);
        continue;
      }
      for (std::size_t f = 0; f < families.size(); ++f) {
        const Holonomy& holonomy = families_[families[f]]->holonomy;
        next.labels.push_back(Holonomy::apply(here.labels[f], holonomy.actions(here.x, here.labels[f], a)));
      }
      visit(here, a, &next);
      meet(std::move(next));
    }
}

bool Decomposition::separated(State p, State q) const {
  return base_.blocks()[p] != base_.blocks()[q] || std::any_of(families_.begin(), families_.end(), [&](const auto& f) {
           return f->quotient[p] != f->quotient[q];
         });
}

void Decomposition::separate_roles() {
  std::vector<std::vector<std::uint8_t>> roles;
  for (State x = 0; x < machine_.states; ++x) roles.push_back(machine_.role(x));
  for (State p = 0; p < machine_.states; ++p)
    for (State q = p + 1; q < machine_.states; ++q)
      if (roles[p] != roles[q] && !separated(p, q)) build(discrete(machine_.states), p, q);
}

std::vector<std::size_t> Decomposition::separate_blocks(const Partition& goal) {
  std::set<std::size_t> used;
  for (State p = 0; p < machine_.states; ++p)
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
  return {used.begin(), used.end()};
}

/// ψ is maximal among the congruences that do not identify p and q, so B/ψ is subdirectly irreducible: the least
/// congruence above ψ that identifies p and q is its only cover.
std::size_t Decomposition::build(const Partition& start, State p, State q) {
  const Partition psi = maximal_separating(machine_, start, base_.blocks(), p, q);
  const Partition cover_of_psi = joined(machine_, psi, p, q);
  std::vector<std::size_t> below = separate_blocks(cover_of_psi);
  // The fibres are what base variables and the families below tell apart.
  Partition fibres = cover_of_psi;
  families_.push_back(
      std::make_unique<Family>(Family{psi, Holonomy(machine_, psi, fibres, limits_), std::move(below), {}, {}}));
  const std::size_t family = families_.size() - 1;
  for (std::size_t level = 0; level < families_[family]->holonomy.levels(); ++level) build_level(family, level);
  return family;
}

void Decomposition::build_level(std::size_t number, std::size_t level) {
  Family& family = *families_[number];
  std::vector<Feature> features = base_.features();
  std::vector<std::size_t> order = family.below;
  order.push_back(number);
  for (const std::size_t f : family.below)
    features.insert(features.end(), families_[f]->before.begin(), families_[f]->before.end());
  features.insert(features.end(), family.before.begin(), family.before.end());
  ActionTable table;
  explore(order, [&](const Configuration& here, std::size_t a, const Configuration* next) {
    if (!next) return;
    Point point = base_.values(here.x, here.memory, a);
    for (std::size_t k = 0; k < family.below.size(); ++k) append(point, here.labels[k], here.labels[k].size());
    append(point, here.labels.back(), level);
    Holonomy::Action action = family.holonomy.actions(here.x, here.labels.back(), a)[level];
    if (action.kind != Holonomy::Action::Kind::none) table.insert_or_assign(std::move(point), std::move(action));
  });
  const std::int16_t initial = family.holonomy.initial()[level];
  const std::vector<FormulaId> labels =
      level_formulas(logic_, features, table, family.holonomy.labels(level), initial, limits_);
  const int cost = 3 + 2 * static_cast<int>(number + level);
  family.now.push_back(feature_of(logic_, labels, cost));
  family.before.push_back(label_before(logic_, family.now.back(), initial));
  check_limit(logic_.size(), limits_.formula, "formula", "nodes of the formula of an automaton");
}

FormulaId Decomposition::accepting() {
  std::vector<Feature> features = base_.features();
  std::vector<std::size_t> all;
  for (std::size_t f = 0; f < families_.size(); ++f) {
    all.push_back(f);
    features.insert(features.end(), families_[f]->now.begin(), families_[f]->now.end());
  }
  std::vector<Point> yes, no;
  explore(all, [&](const Configuration& here, std::size_t a, const Configuration* next) {
    if (!next) return;
    Point point = base_.values(here.x, here.memory, a);
    for (const Holonomy::Labels& labels : next->labels) append(point, labels, labels.size());
    (machine_.accepting[next->x] ? yes : no).push_back(std::move(point));
  });
  return cover(logic_, features, std::move(yes), std::move(no));
}

FormulaId Decomposition::event(Event event) {
  std::vector<Feature> features = base_.features();
  std::vector<std::size_t> all;
  for (std::size_t f = 0; f < families_.size(); ++f) {
    all.push_back(f);
    features.insert(features.end(), families_[f]->before.begin(), families_[f]->before.end());
  }
  std::vector<Point> yes, no;
  explore(all, [&](const Configuration& here, std::size_t a, const Configuration*) {
    Point point = base_.values(here.x, here.memory, a);
    for (const Holonomy::Labels& labels : here.labels) append(point, labels, labels.size());
    (machine_.event_of(here.x, a) == event ? yes : no).push_back(std::move(point));
  });
  return cover(logic_, features, std::move(yes), std::move(no));
}

}  // namespace quench::automata
