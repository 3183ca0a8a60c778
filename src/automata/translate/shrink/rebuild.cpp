#include "automata/translate/shrink/rebuild.h"

#include "base/error.h"
#include "base/overloaded.h"
#include "lang/canonical.h"

namespace quench::automata {
namespace {

using lang::FormulaId;
using lang::Operator;

bool has_positions(const lang::Formula& formula) {
  for (const Predicate& predicate : formula.predicates())
    if (predicate.kind == Predicate::Kind::first) return true;
  return false;
}

}  // namespace

Rebuilder::Rebuilder(const lang::Formula& formula) : old_(formula), logic_(result_, has_positions(formula)) {
  result_.alphabet = formula.alphabet;
  result_.closed = formula.closed;
}

FormulaId Rebuilder::rebuilt(FormulaId id, const std::function<FormulaId(FormulaId)>& made) {
  const auto term = [&](lang::TermId old) {
    lang::Term result;
    result.constant = old_[old].constant;
    // Two counts may have become one.
    for (const lang::Term::Part& part : old_[old].parts) {
      const lang::Count count{part.count.scope, made(part.count.of)};
      const auto same = std::find_if(result.parts.begin(), result.parts.end(),
                                     [&](const lang::Term::Part& known) { return known.count == count; });
      if (same == result.parts.end())
        result.parts.push_back({part.coefficient, count});
      else
        same->coefficient += part.coefficient;
    }
    std::erase_if(result.parts, [](const lang::Term::Part& part) { return part.coefficient == 0; });
    return result_.add(result);
  };
  return std::visit(
      Overloaded{[&](const lang::Constant& node) { return logic_.constant(node.value); },
                 [&](const lang::SymbolAtom& node) { return logic_.symbol(node.symbol); },
                 [&](const lang::Unary& node) { return logic_.unary(node.op, made(node.arg)); },
                 [&](const lang::Binary& node) {
                   const FormulaId left = made(node.left), right = made(node.right);
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
                   const FormulaId of = made(node.count.of);
                   const std::optional<ResidueClass> residues = residue_class(old_[node.predicate]);
                   if (residues && residues->modulus > 1 && node.count.scope == lang::Scope::left)
                     return logic_.count_mod(residues->modulus, residues->residue, of);
                   return result_.add(lang::CountPredicate{result_.add(old_[node.predicate]), {node.count.scope, of}});
                 },
                 [&](const lang::Congruence& node) {
                   const ResidueClass residues = *residue_class(old_[node.predicate]);
                   const lang::Term& sum = old_[node.term];
                   std::vector<std::pair<std::int64_t, FormulaId>> parts;
                   for (const lang::Term::Part& part : sum.parts) {
                     QUENCH_ASSERT(part.count.scope == lang::Scope::left);
                     parts.emplace_back(part.coefficient, made(part.count.of));
                   }
                   return logic_.sum_mod(residues.modulus, residues.residue - sum.constant % residues.modulus, parts);
                 }},
      old_[id]);
}

lang::Formula Rebuilder::finish(FormulaId root) {
  result_.root = root;
  return lang::canonical(result_);
}

}  // namespace quench::automata
