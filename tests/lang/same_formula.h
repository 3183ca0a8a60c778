// Whether two formulas are the same up to the numbering of nodes, symbols and predicates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "lang/formula.h"

namespace quench {

/// Adds the nodes that the root of `from` depends on to `to`; returns the root there.
inline lang::FormulaId transplant(const lang::Formula& from, lang::Formula& to) {
  std::vector<lang::FormulaId> moved(from.size());
  const auto at = [&](lang::FormulaId id) { return moved[id.index]; };
  const auto count = [&](lang::Count c) { return lang::Count{c.scope, at(c.of)}; };
  const auto predicate = [&](lang::PredicateId id) { return to.add(from[id]); };
  const auto term = [&](lang::TermId id) {
    lang::Term result;
    result.constant = from[id].constant;
    for (const lang::Term::Part& part : from[id].parts) result.parts.push_back({part.coefficient, count(part.count)});
    std::sort(result.parts.begin(), result.parts.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
    return to.add(result);
  };
  const std::vector<bool> reachable = from.reachable();
  for (std::size_t k = 0; k < from.size(); ++k) {
    if (!reachable[k]) continue;
    lang::Node node = from[lang::FormulaId(k)];
    if (auto* atom = std::get_if<lang::SymbolAtom>(&node)) {
      atom->symbol = to.alphabet.intern(from.alphabet.symbols()[static_cast<std::size_t>(atom->symbol)]);
    } else if (auto* unary = std::get_if<lang::Unary>(&node)) {
      unary->arg = at(unary->arg);
    } else if (auto* binary = std::get_if<lang::Binary>(&node)) {
      *binary = {binary->op, at(binary->left), at(binary->right)};
    } else if (auto* comparison = std::get_if<lang::Comparison>(&node)) {
      *comparison = {comparison->relation, term(comparison->left), term(comparison->right)};
    } else if (auto* theta = std::get_if<lang::PositionPredicate>(&node)) {
      theta->predicate = predicate(theta->predicate);
    } else if (auto* applied = std::get_if<lang::CountPredicate>(&node)) {
      *applied = {predicate(applied->predicate), count(applied->count)};
    } else if (auto* congruence = std::get_if<lang::Congruence>(&node)) {
      *congruence = {predicate(congruence->predicate), term(congruence->term)};
    }
    moved[k] = to.add(node);
  }
  return at(from.root);
}

inline bool same_formula(const lang::Formula& a, const lang::Formula& b) {
  lang::Formula both;
  const lang::FormulaId root = transplant(a, both);
  const std::size_t size = both.size();
  return transplant(b, both) == root && both.size() == size;
}

}  // namespace quench
