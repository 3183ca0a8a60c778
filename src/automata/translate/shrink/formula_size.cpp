#include "automata/translate/shrink/formula_size.h"

#include <algorithm>
#include <set>

#include "base/overloaded.h"
#include "lang/operators.h"

namespace quench::automata {
namespace {

using lang::FormulaId;

std::size_t own_depth(const lang::Node& node) {
  const auto temporal = [](lang::Operator op) -> std::size_t {
    return lang::facts(op).modality != lang::Modality::none ? 1 : 0;
  };
  return std::visit(Overloaded{[](const lang::Constant&) -> std::size_t { return 0; },
                               [](const lang::SymbolAtom&) -> std::size_t { return 0; },
                               [](const lang::PositionPredicate&) -> std::size_t { return 0; },
                               [&](const lang::Unary& unary) { return temporal(unary.op); },
                               [&](const lang::Binary& binary) { return temporal(binary.op); },
                               [](const lang::Comparison&) -> std::size_t { return 2; },
                               [](const lang::CountPredicate&) -> std::size_t { return 2; },
                               [](const lang::Congruence&) -> std::size_t { return 2; }},
                    node);
}

}  // namespace

std::vector<std::size_t> depths(const lang::Formula& formula) {
  std::vector<std::size_t> depth(formula.size(), 0);
  for (std::size_t k = 0; k < formula.size(); ++k) {
    formula.for_each_child(FormulaId(k), [&](FormulaId child) { depth[k] = std::max(depth[k], depth[child.index]); });
    depth[k] += own_depth(formula[FormulaId(k)]);
  }
  return depth;
}

FormulaSize size_of(const lang::Formula& formula) {
  FormulaSize size;
  const std::vector<bool> needed = formula.reachable();
  const std::vector<std::size_t> depth = depths(formula);
  std::set<lang::Count> looked_up;
  std::set<std::size_t> means;       // depths where counts begin
  std::set<std::size_t> neighbours;  // depths with `prev`: one head for all
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!needed[k]) continue;
    ++size.nodes;
    size.depth = std::max(size.depth, depth[k]);
    const lang::Node& node = formula[FormulaId(k)];
    const std::size_t own = own_depth(node);
    if (own > 0) ++size.values;
    if (own == 2) means.insert(depth[k]);
    const auto* unary = std::get_if<lang::Unary>(&node);
    if (unary && lang::facts(unary->op).modality == lang::Modality::previous) {
      neighbours.insert(depth[k]);
    } else if (const auto* theta = std::get_if<lang::CountPredicate>(&node)) {
      looked_up.insert(theta->count);
    } else if (const auto* congruence = std::get_if<lang::Congruence>(&node)) {
      for (const lang::Term::Part& part : formula[congruence->term].parts) looked_up.insert(part.count);
    } else if (own > 0) {
      ++size.heads;
    }
  }
  size.heads += 2 * looked_up.size() + means.size() + neighbours.size();
  return size;
}

}  // namespace quench::automata
