// A word is accepted by the truth of the rule at its last position. There, an operator that looks to the right has
// nothing to look at: G p and F p are p, p U q is q, X p is false. Reported for operators that the acceptance of a word
// reaches through connectives alone; below an operator that moves to the left they mean something.
#include <vector>

#include "lang/operators.h"
#include "lang/print/print.h"
#include "lint/lint.h"

namespace quench::lint {
namespace {

using lang::Formula;
using lang::FormulaId;
using lang::Modality;
using lang::Operator;

/// What the operator is worth at the last position, and what may have been meant.
struct AtTheEnd {
  std::string worth, meant;
};

AtTheEnd at_the_end(Operator op) {
  switch (op) {
    case Operator::next:
      return {"false", "prev p, the position before"};
    case Operator::weak_next:
      return {"true", "Z p, the position before (true at the first)"};
    case Operator::eventually:
      return {"p itself", "O p, somewhere up to here"};
    case Operator::always:
      return {"p itself", "H p, everywhere up to here"};
    case Operator::until:
      return {"p & q", "p since q, the mirror image"};
    case Operator::standard_until:
      return {"q", "p S q, the mirror image"};
    case Operator::weak_until:
      return {"p | q", "p S q | H p, the mirror image"};
    case Operator::release:
      return {"q", "q S (p & q) | H q, the mirror image"};
    case Operator::not_:
    case Operator::previous:
    case Operator::once:
    case Operator::historically:
    case Operator::weak_previous:
    case Operator::and_:
    case Operator::or_:
    case Operator::implies:
    case Operator::iff:
    case Operator::xor_:
    case Operator::since:
    case Operator::standard_since:
      break;
  }
  return {};
}

}  // namespace

std::vector<Diagnostic> trivial_at_the_end(const Formula& formula) {
  std::vector<Diagnostic> warnings;
  std::vector<FormulaId> open{formula.root};
  std::vector<bool> seen(formula.size());
  while (!open.empty()) {
    const FormulaId id = open.back();
    open.pop_back();
    if (seen[id.index]) continue;
    seen[id.index] = true;
    const auto* unary = std::get_if<lang::Unary>(&formula[id]);
    const auto* binary = std::get_if<lang::Binary>(&formula[id]);
    if (!unary && !binary) continue;
    const lang::OperatorFacts& facts = lang::facts(unary ? unary->op : binary->op);
    if (facts.modality == Modality::none) {
      formula.for_each_child(id, [&](FormulaId child) { open.push_back(child); });
    } else if (facts.modality == Modality::next || facts.modality == Modality::until) {
      const AtTheEnd end = at_the_end(facts.op);
      const std::string form = unary ? std::string(facts.symbol) + " p" : "p " + std::string(facts.symbol) + " q";
      warnings.push_back({"W002",
                          "a word is accepted by the last position, and there " + form + " is " + end.worth,
                          formula.span(id),
                          {"perhaps " + end.meant + "; or read the rule at other positions, and --no-lint"}});
    }
  }
  return warnings;
}

}  // namespace quench::lint
