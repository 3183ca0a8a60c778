// Attention of any kind, once its score and value are functions of two positions: found ? V : D.
#include <algorithm>
#include <set>

#include "base/text/diagnostic.h"
#include "lower/program/elaborate.h"

namespace quench::lower {

using namespace lang;

std::vector<ExpressionId> Elaboration::conjuncts(ExpressionId score) const {
  std::vector<ExpressionId> result, pending{score};
  while (!pending.empty()) {
    const ExpressionId id = pending.back();
    pending.pop_back();
    const auto* both = std::get_if<Connection>(&program_[id]);
    if (both && both->op == Connective::and_) {
      pending.push_back(both->right);
      pending.push_back(both->left);
    } else {
      result.push_back(id);
    }
  }
  return result;
}

bool Elaboration::is_integer_equality(ExpressionId id) const {
  const auto* comparison = std::get_if<Compare>(&program_[id]);
  return comparison && comparison->relation == Relation::equal && is_mixed(id) && !is_mixed(comparison->left) &&
         !is_mixed(comparison->right) && !(finite(comparison->left) && finite(comparison->right));
}

bool Elaboration::has_equality(const Attention& attention) const {
  const std::vector<ExpressionId> parts = conjuncts(attention.score);
  return std::any_of(parts.begin(), parts.end(), [&](ExpressionId part) { return is_integer_equality(part); });
}

void Elaboration::check_score(const Attention& attention) const {
  std::vector<ExpressionId> roots{attention.value};
  for (const ExpressionId part : conjuncts(attention.score))
    if (!is_integer_equality(part)) roots.push_back(part);
  for (const ExpressionId id : expressions_of(program_, roots)) {
    const auto* comparison = std::get_if<Compare>(&program_[id]);
    if (comparison && is_mixed(id) && !(finite(comparison->left) && finite(comparison->right)))
      integers_of_two_positions(id);
  }
}

void Elaboration::integers_of_two_positions(ExpressionId id) const {
  throw DiagnosticError(
      {Diagnostic{"E125",
                  "integers of i and j meet here in a way that attention cannot compute",
                  program_.span(id),
                  {"in the brackets, `A(i) = B(j)` may stand once, joined to the rest by `and`; B is a vector or `pos`",
                   "positions are compared by a mask; other expressions need a vector of their own"}}});
}

/// found ? V : D, case by case. Values are retrieved once each, and never together with their negation.
void Elaboration::attention(VectorId id, const Attention& attention) {
  check_score(attention);
  std::map<std::int64_t, Terms> value_terms;
  std::vector<Bit> values;
  const Bit yes = truth(true), no = truth(false);
  for (const auto& [value, partition] : mixed(attention.value).cases) {
    value_terms[value] = partitions_.terms(partition);
    for (const Partitions::Term& term : value_terms[value])
      if (term.y != yes && term.y != no) values.push_back(term.y & ~1u);
  }
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());

  const std::string& label = program_[id].name;
  const Retrieved retrieved = has_equality(attention)
                                  ? attend_equal(attention, values, label)
                                  : attend(attention, partitions_.terms(condition(attention.score)), values, label);
  const auto value_at = [&](Bit y) {
    if (y == yes || y == no) return y;
    const auto at = std::lower_bound(values.begin(), values.end(), y & ~1u) - values.begin();
    return retrieved.values[static_cast<std::size_t>(at)] ^ (y & 1u);
  };
  const Finite<Bit>& otherwise = local(attention.otherwise);
  std::set<std::int64_t> all;
  for (const auto& [value, terms] : value_terms) all.insert(value);
  for (const auto& [value, bit] : otherwise.cases) all.insert(value);
  for (const std::int64_t value : all) {
    std::vector<Bit> sum;
    for (const Partitions::Term& term : value_terms[value]) sum.push_back(conjunction({term.x, value_at(term.y)}));
    const auto fallback = otherwise.cases.find(value);
    vectors_[id.index].cases[value] =
        choose(retrieved.found, disjunction(sum), fallback == otherwise.cases.end() ? no : fallback->second);
  }
}

}  // namespace quench::lower
