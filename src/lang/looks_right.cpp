#include "lang/looks_right.h"

#include "base/overloaded.h"

namespace quench::lang {
namespace {

bool counts_right(const Formula& rule, TermId term) {
  for (const Term::Part& part : rule[term].parts)
    if (part.count.scope != Scope::left) return true;
  return false;
}

}  // namespace

bool looks_right(const Rule& any_rule) {
  if (std::holds_alternative<Automaton>(any_rule)) return false;
  if (std::holds_alternative<Program>(any_rule)) return true;
  const Formula& rule = std::get<Formula>(any_rule);
  const std::vector<bool> used = rule.reachable();
  for (std::uint32_t index = 0; index < rule.size(); ++index) {
    if (!used[index]) continue;
    const bool right = std::visit(
        Overloaded{
            [](const Constant&) { return false; }, [](const SymbolAtom&) { return false; },
            [](const PositionPredicate&) { return false; }, [](const Unary& node) { return looks_right(node.op); },
            [](const Binary& node) { return looks_right(node.op); },
            [&](const Comparison& node) { return counts_right(rule, node.left) || counts_right(rule, node.right); },
            [](const CountPredicate& node) { return node.count.scope != Scope::left; },
            [&](const Congruence& node) { return counts_right(rule, node.term); }},
        rule[FormulaId{index}]);
    if (right) return true;
  }
  return false;
}

}  // namespace quench::lang
