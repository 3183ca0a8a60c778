#include <algorithm>

#include "base/overloaded.h"
#include "lang/canonical.h"

namespace quench::lang {
namespace {

/// Adds the expressions of every vector, operands first and from left to right, to a program that is still empty.
class ProgramRenumbering {
 public:
  explicit ProgramRenumbering(const Program& old) : old_(old), moved_(old.size()) {
    result_.alphabet = old.alphabet;
    result_.output = old.output;
    result_.scores = old.scores;
  }

  Program run() {
    for (std::size_t k = 0; k < old_.vector_count(); ++k) {
      Vector vector = old_[VectorId(k)];
      for (const ExpressionId root : roots(vector)) move(root);
      std::visit(Overloaded{[&](Attention& x) { update(x.score, x.value, x.otherwise); },
                            [&](auto& x) { update(x.value); }},
                 vector.definition);
      result_.add(std::move(vector));
    }
    return std::move(result_);
  }

 private:
  void update(auto&... ids) const { ((ids = moved_[ids.index]), ...); }

  void move(ExpressionId root) {
    std::vector<ExpressionId> pending{root};
    while (!pending.empty()) {
      const ExpressionId id = pending.back();
      const auto waiting = static_cast<std::ptrdiff_t>(pending.size());
      if (!moved_[id.index].valid())
        for_each_operand(old_[id], [&](ExpressionId operand) {
          if (!moved_[operand.index].valid()) pending.push_back(operand);
        });
      std::reverse(pending.begin() + waiting, pending.end());  // the leftmost operand is next
      if (static_cast<std::ptrdiff_t>(pending.size()) > waiting) continue;
      pending.pop_back();
      if (!moved_[id.index].valid()) moved_[id.index] = result_.add(rebuilt(id), old_.span(id));
    }
  }

  Expression rebuilt(ExpressionId id) {
    Expression expression = old_[id];
    std::visit(Overloaded{[](BooleanConstant&) {}, [](SymbolConstant&) {},
                          [&](StringConstant& x) {
                            x.string = result_.intern(old_.strings[static_cast<std::size_t>(x.string)]);
                          },
                          [](IntegerConstant&) {}, [](ScoreConstant&) {}, [](Input&) {}, [](PositionAt&) {},
                          [](VectorAt&) {}, [&](Negation& x) { update(x.of); },
                          [&](Connection& x) { update(x.left, x.right); },
                          [&](SameSymbol& x) { update(x.left, x.right); }, [&](MemberOf& x) { update(x.of); },
                          [&](Compare& x) { update(x.left, x.right); }, [&](AsInteger& x) { update(x.of); },
                          [&](AsString& x) { update(x.of); }, [&](AsScore& x) { update(x.of); },
                          [&](Sum& x) { update(x.left, x.right); },
                          [&](Choice& x) { update(x.condition, x.yes, x.no); }},
               expression);
    return expression;
  }

  const Program& old_;
  Program result_;
  std::vector<ExpressionId> moved_;  // by old number
};

}  // namespace

Program canonical(const Program& program) { return ProgramRenumbering(program).run(); }

}  // namespace quench::lang
