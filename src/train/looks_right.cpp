#include "train/looks_right.h"

#include "base/overloaded.h"
#include "lang/operators.h"

namespace quench::train {
namespace {

using lang::Scope;

bool to_the_right(lang::Operator op) {
  switch (lang::facts(op).modality) {
    case lang::Modality::none:
    case lang::Modality::previous:
    case lang::Modality::since:
      return false;
    case lang::Modality::next:
    case lang::Modality::until:
      return true;
  }
  return true;
}

bool counts_right(const lang::Formula& rule, lang::TermId term) {
  for (const lang::Term::Part& part : rule[term].parts)
    if (part.count.scope != Scope::left) return true;
  return false;
}

}  // namespace

bool looks_right(const lang::Rule& any_rule) {
  if (std::holds_alternative<lang::Automaton>(any_rule)) return false;
  if (std::holds_alternative<lang::Program>(any_rule)) return true;
  const lang::Formula& rule = std::get<lang::Formula>(any_rule);
  const std::vector<bool> used = rule.reachable();
  for (std::uint32_t index = 0; index < rule.size(); ++index) {
    if (!used[index]) continue;
    const bool right = std::visit(
        Overloaded{[](const lang::Constant&) { return false; }, [](const lang::SymbolAtom&) { return false; },
                   [](const lang::PositionPredicate&) { return false; },
                   [](const lang::Unary& node) { return to_the_right(node.op); },
                   [](const lang::Binary& node) { return to_the_right(node.op); },
                   [&](const lang::Comparison& node) {
                     return counts_right(rule, node.left) || counts_right(rule, node.right);
                   },
                   [](const lang::CountPredicate& node) { return node.count.scope != Scope::left; },
                   [&](const lang::Congruence& node) { return counts_right(rule, node.term); }},
        rule[lang::FormulaId{index}]);
    if (right) return true;
  }
  return false;
}

}  // namespace quench::train
