#include "automata/translate/shrink.h"

#include <algorithm>

#include "automata/formula/formula_automaton.h"
#include "automata/translate/logic.h"
#include "base/overloaded.h"
#include "lang/canonical.h"
#include "lang/operators.h"

namespace quench::automata {
namespace {

using lang::Formula;
using lang::FormulaId;
using lang::Operator;

bool is_head(const lang::Node& node) {
  if (const auto* unary = std::get_if<lang::Unary>(&node))
    return lang::facts(unary->op).modality != lang::Modality::none;
  if (const auto* binary = std::get_if<lang::Binary>(&node))
    return lang::facts(binary->op).modality != lang::Modality::none;
  return std::holds_alternative<lang::Comparison>(node) || std::holds_alternative<lang::CountPredicate>(node);
}

/// The formula with one node replaced by another, of a smaller number, or by a constant; simplified on the way.
class Rebuilder {
 public:
  Rebuilder(const Formula& formula, FormulaId replaced) : old_(formula), replaced_(replaced), logic_(result_) {
    result_.alphabet = formula.alphabet;
  }
  Formula with(FormulaId by) {
    return run([&](const std::vector<FormulaId>& made) { return made[by.index]; }, by);
  }
  Formula with(bool value) {
    return run([&](const std::vector<FormulaId>&) { return logic_.constant(value); }, replaced_);
  }

 private:
  template <class Replacement>
  Formula run(const Replacement& replacement, FormulaId also_needed) {
    std::vector<bool> needed = old_.reachable();
    needed[also_needed.index] = true;
    std::vector<FormulaId> made(old_.size());
    for (std::size_t k = 0; k <= old_.root.index; ++k)
      if (needed[k]) made[k] = FormulaId(k) == replaced_ ? replacement(made) : rebuilt(FormulaId(k), made);
    result_.root = made[old_.root.index];
    return lang::canonical(result_);
  }

  FormulaId rebuilt(FormulaId id, const std::vector<FormulaId>& made) {
    const auto term = [&](lang::TermId old) {
      lang::Term result = old_[old];
      for (lang::Term::Part& part : result.parts) part.count.of = made[part.count.of.index];
      // Two counts may have become one.
      for (std::size_t k = 0; k < result.parts.size(); ++k)
        for (std::size_t j = result.parts.size() - 1; j > k; --j)
          if (result.parts[j].count == result.parts[k].count) {
            result.parts[k].coefficient += result.parts[j].coefficient;
            result.parts.erase(result.parts.begin() + static_cast<std::ptrdiff_t>(j));
          }
      std::erase_if(result.parts, [](const lang::Term::Part& part) { return part.coefficient == 0; });
      return result_.add(result);
    };
    return std::visit(
        Overloaded{[&](const lang::Constant& node) { return logic_.constant(node.value); },
                   [&](const lang::SymbolAtom& node) { return logic_.symbol(node.symbol); },
                   [&](const lang::Unary& node) { return logic_.unary(node.op, made[node.arg.index]); },
                   [&](const lang::Binary& node) {
                     const FormulaId left = made[node.left.index], right = made[node.right.index];
                     if (node.op == Operator::and_) return logic_.all_of({left, right});
                     if (node.op == Operator::or_) return logic_.any_of({left, right});
                     if (node.op == Operator::standard_since) return logic_.since(left, right);
                     return result_.add(lang::Binary{node.op, left, right});
                   },
                   [&](const lang::Comparison& node) {
                     const lang::TermId left = term(node.left), right = term(node.right);
                     return result_.add(lang::Comparison{node.relation, left, right});
                   },
                   [&](const lang::PositionPredicate& node) {
                     const lang::PredicateId predicate = result_.add(old_[node.predicate]);
                     return result_.add(lang::PositionPredicate{predicate});
                   },
                   [&](const lang::CountPredicate& node) {
                     const lang::PredicateId predicate = result_.add(old_[node.predicate]);
                     return result_.add(lang::CountPredicate{predicate, {node.count.scope, made[node.count.of.index]}});
                   }},
        old_[id]);
  }

  const Formula& old_;
  FormulaId replaced_;
  Formula result_;
  Logic logic_;
};

/// What a node may be replaced by: its parts, and parts of these.
std::vector<FormulaId> candidates(const Formula& formula, FormulaId id) {
  std::vector<FormulaId> result;
  formula.for_each_child(id, [&](FormulaId child) { result.push_back(child); });
  for (std::size_t k = result.size(); k-- > 0;)
    formula.for_each_child(result[k], [&](FormulaId child) { result.push_back(child); });
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

FormulaSize size_of(const Formula& formula) {
  FormulaSize size;
  const std::vector<bool> needed = formula.reachable();
  std::vector<std::size_t> depth(formula.size(), 0);
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!needed[k]) continue;
    const FormulaId id(k);
    formula.for_each_child(id, [&](FormulaId child) { depth[k] = std::max(depth[k], depth[child.index]); });
    const bool head = is_head(formula[id]);
    depth[k] += head;
    size.heads += head;
    ++size.nodes;
    size.depth = std::max(size.depth, depth[k]);
  }
  return size;
}

Formula shrink(const Formula& formula, const lang::Dfa& dfa, const Limits& limits) {
  Formula best = lang::canonical(formula);
  std::size_t steps = limits.shrinking;
  const auto better = [&](Formula trial) {
    steps -= std::min(steps, 20 * best.size());  // what building the trial takes, about
    const FormulaSize size = size_of(trial), old = size_of(best);
    if (size.depth > old.depth || size.heads > old.heads || !(size.nodes < old.nodes || size.heads < old.heads))
      return false;
    try {
      if (difference(trial, dfa, limits, &steps)) return false;
    } catch (const UserError&) {
      return false;  // not proved
    }
    best = std::move(trial);
    return true;
  };
  const auto improve = [&](FormulaId id) {
    for (const bool value : {false, true})
      if (better(Rebuilder(best, id).with(value))) return true;
    for (const FormulaId by : candidates(best, id))
      if (better(Rebuilder(best, id).with(by))) return true;
    return false;
  };
  // Large parts first; after a success from there on, and once more through all if anything has changed.
  for (bool changed = true; changed && steps > 0;) {
    changed = false;
    for (std::size_t k = best.size(); k-- > 0 && steps > 0;) {
      if (k >= best.size()) k = best.size() - 1;
      if (improve(FormulaId(k))) {
        changed = true;
        k = std::min(k + 2, best.size());
      }
    }
  }
  return best;
}

}  // namespace quench::automata
