#include "lang/canonical.h"

#include <algorithm>

#include "base/overloaded.h"

namespace quench::lang {
namespace {

/// Adds the nodes below the root, operands first and from left to right, to a formula that is still empty.
class Renumbering {
 public:
  explicit Renumbering(const Formula& old) : old_(old), moved_(old.size()) {}

  Formula run() {
    if ((result_.closed = old_.closed)) result_.alphabet = old_.alphabet;
    std::vector<FormulaId> pending{old_.root};
    while (!pending.empty()) {
      const FormulaId id = pending.back();
      const auto waiting = static_cast<std::ptrdiff_t>(pending.size());
      if (!moved(id).valid())
        old_.for_each_child(id, [&](FormulaId child) {
          if (!moved(child).valid()) pending.push_back(child);
        });
      std::reverse(pending.begin() + waiting, pending.end());  // the leftmost operand is next
      if (static_cast<std::ptrdiff_t>(pending.size()) > waiting) continue;
      pending.pop_back();
      if (moved(id).valid()) continue;
      moved_[id.index] = add(id);
      if (const std::string& name = old_.names.of(id); !name.empty()) result_.names.give(moved(id), name);
    }
    result_.root = moved(old_.root);
    return std::move(result_);
  }

 private:
  FormulaId moved(FormulaId id) const { return moved_[id.index]; }
  Count moved(const Count& count) const { return {count.scope, moved(count.of)}; }
  PredicateId moved(PredicateId id) { return result_.add(old_[id]); }
  TermId moved(TermId id) {
    Term term = old_[id];
    for (Term::Part& part : term.parts) part.count = moved(part.count);
    const TermId there = result_.add(term);
    if (const std::string& name = old_.names.of(id); !name.empty()) result_.names.give(there, name);
    return there;
  }
  Symbol moved(Symbol symbol) {
    return result_.alphabet.intern(old_.alphabet.symbols()[static_cast<std::size_t>(symbol)]);
  }

  FormulaId add(FormulaId id) {
    const Span span = old_.span(id);
    return std::visit(
        Overloaded{[&](const Constant& x) { return result_.add(x, span); },
                   [&](const SymbolAtom& x) { return result_.add(SymbolAtom{moved(x.symbol)}, span); },
                   [&](const Unary& x) { return result_.add(Unary{x.op, moved(x.arg)}, span); },
                   [&](const Binary& x) { return result_.add(Binary{x.op, moved(x.left), moved(x.right)}, span); },
                   [&](const Comparison& x) {
                     const TermId left = moved(x.left), right = moved(x.right);
                     return result_.add(Comparison{x.relation, left, right}, span);
                   },
                   [&](const PositionPredicate& x) { return result_.add(PositionPredicate{moved(x.predicate)}, span); },
                   [&](const CountPredicate& x) {
                     return result_.add(CountPredicate{moved(x.predicate), moved(x.count)}, span);
                   },
                   [&](const Congruence& x) {
                     const PredicateId predicate = moved(x.predicate);
                     return result_.add(Congruence{predicate, moved(x.term)}, span);
                   }},
        old_[id]);
  }

  const Formula& old_;
  Formula result_;
  std::vector<FormulaId> moved_;  // by old number
};

}  // namespace

Formula canonical(const Formula& formula) { return Renumbering(formula).run(); }

}  // namespace quench::lang
