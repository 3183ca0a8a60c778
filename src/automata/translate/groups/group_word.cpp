#include "automata/translate/groups/group_word.h"

#include "automata/translate/groups/abelian.h"
#include "automata/translate/groups/digits.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using Elements = std::map<Permutation, FormulaId>;

/// Σ r · #<[p_r] modulo m, value by value, as a sum of as few counts as digits allow.
std::vector<FormulaId> sum_modulo(Logic& logic, std::size_t m, const std::map<std::size_t, FormulaId>& weighted) {
  std::vector<std::size_t> values;
  for (const auto& [r, p] : weighted) values.push_back(r);
  std::vector<std::pair<std::int64_t, FormulaId>> counts;
  for (const Digit& digit : fewest_digits(m, values)) {
    std::vector<FormulaId> where;
    for (const std::size_t r : digit.of) where.push_back(weighted.at(r));
    counts.emplace_back(static_cast<std::int64_t>(digit.weight), logic.any_of(where));
  }
  std::vector<FormulaId> sum;
  for (std::size_t v = 0; v < m; ++v)
    sum.push_back(logic.sum_mod(static_cast<std::int64_t>(m), static_cast<std::int64_t>(v), counts));
  return sum;
}

}  // namespace

GroupWord group_word(Logic& logic, const PermutationGroup& group, const Elements& elements, const Limits& limits,
                     Budget& budget) {
  GroupWord result;
  result.of_element.resize(group.size());
  std::vector<Permutation> tail(1, identity_permutation(group.degree()));  // products r_t … r_0 so far
  std::vector<Point> tail_points(1);
  Elements y = elements;
  const std::vector<PermutationGroup> series = derived_series(group, limits);
  if (series.back().size() > 1) throw UserError("a group of the decomposition is not solvable");
  for (std::size_t t = 0; t + 1 < series.size(); ++t) {
    std::vector<Permutation> occurring;
    for (const auto& [element, formula] : y) occurring.push_back(element);
    const AbelianQuotient quotient(series[t], series[t + 1], occurring, kMostValues);
    std::vector<Feature> here;
    for (std::size_t k = 0; k < quotient.orders().size(); ++k) {
      std::map<std::size_t, std::vector<FormulaId>> by_value;
      for (const auto& [element, formula] : y)
        if (const std::size_t r = quotient.coordinates(quotient.class_of(element))[k]; r != 0)
          by_value[r].push_back(formula);
      std::map<std::size_t, FormulaId> weighted;
      for (const auto& [r, formulas] : by_value) weighted[r] = logic.any_of(formulas);
      here.push_back(feature_of(logic, sum_modulo(logic, quotient.orders()[k], weighted), 1 + static_cast<int>(t)));
    }
    // The elements of the next level, as a table of the sums and the elements here.
    Elements next;
    std::map<Permutation, std::vector<FormulaId>> parts;
    for (const auto& [element, formula] : y) {
      std::map<Permutation, std::vector<Point>> points;
      for (std::size_t c = 0; c < quotient.size(); ++c) {
        const std::size_t own = quotient.class_of(element);
        const std::size_t before = quotient.class_of(compose(quotient.chosen(c), inverse(quotient.chosen(own))));
        const Permutation moved = compose(compose(quotient.chosen(before), element), inverse(quotient.chosen(c)));
        Point point;
        for (const std::size_t v : quotient.coordinates(c)) point.push_back(static_cast<std::int16_t>(v));
        points[moved].push_back(point);
      }
      for (const auto& [moved, yes] : points) {
        std::vector<Point> no;
        for (const auto& [other, others] : points)
          if (other != moved) no.insert(no.end(), others.begin(), others.end());
        parts[moved].push_back(logic.all_of({formula, cover(logic, here, yes, no, budget)}));
      }
    }
    parts.erase(identity_permutation(group.degree()));
    for (const auto& [element, formulas] : parts) next[element] = logic.any_of(formulas);
    y = std::move(next);
    // E = … r_t(c_t) · (what the levels above make)
    std::vector<Permutation> longer;
    std::vector<Point> longer_points;
    for (std::size_t k = 0; k < tail.size(); ++k)
      for (std::size_t c = 0; c < quotient.size(); ++c) {
        longer.push_back(compose(quotient.chosen(c), tail[k]));
        longer_points.push_back(tail_points[k]);
        for (const std::size_t v : quotient.coordinates(c))
          longer_points.back().push_back(static_cast<std::int16_t>(v));
      }
    budget.spend(longer.size() * group.degree());
    tail = std::move(longer);
    tail_points = std::move(longer_points);
    result.coordinates.insert(result.coordinates.end(), here.begin(), here.end());
    check_limit(logic.size(), limits.formula, "formula", "nodes of the formula of an automaton");
  }
  for (std::size_t k = 0; k < tail.size(); ++k) result.of_element[group.number(tail[k])] = tail_points[k];
  return result;
}

}  // namespace quench::automata
