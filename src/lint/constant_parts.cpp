// Which parts of a formula are true everywhere or nowhere, by what can be seen without looking at positions: a position
// holds exactly one symbol, counts are not negative, and temporal operators of constants are constant. Sound, not
// complete: what is reported is constant.
#include <algorithm>
#include <optional>

#include "base/number/int128.h"
#include "base/overloaded.h"
#include "lang/print/print.h"
#include "lint/lint.h"

namespace quench::lint {
namespace {

using lang::Formula;
using lang::FormulaId;
using lang::Operator;

constexpr std::size_t kMostSymbols = 256;  // beyond that, sets of symbols are not kept

/// What is known of a subformula: the set of symbols at which it holds if the symbol alone decides it (the last entry
/// is every symbol that the rule does not mention), and whether it never or always holds.
struct Knowledge {
  std::optional<std::vector<bool>> symbols;
  bool never = false, always = false;

  static Knowledge of(std::vector<bool> set) {
    Knowledge result;
    result.never = std::none_of(set.begin(), set.end(), [](bool x) { return x; });
    result.always = std::all_of(set.begin(), set.end(), [](bool x) { return x; });
    result.symbols = std::move(set);
    return result;
  }
  static Knowledge constant(bool never, bool always) { return {std::nullopt, never, always}; }
};

Knowledge negation(const Knowledge& p) {
  if (!p.symbols) return Knowledge::constant(p.always, p.never);
  std::vector<bool> set = *p.symbols;
  set.flip();
  return Knowledge::of(std::move(set));
}

Knowledge both(const Knowledge& p, const Knowledge& q) {
  if (p.symbols && q.symbols) {
    std::vector<bool> set = *p.symbols;
    for (std::size_t k = 0; k < set.size(); ++k) set[k] = set[k] && (*q.symbols)[k];
    return Knowledge::of(std::move(set));
  }
  return Knowledge::constant(p.never || q.never, p.always && q.always);
}

Knowledge either(const Knowledge& p, const Knowledge& q) { return negation(both(negation(p), negation(q))); }

/// Without its set of symbols: what holds of a whole stretch of positions says so of none of them alone.
Knowledge over_positions(const Knowledge& p) { return Knowledge::constant(p.never, p.always); }

Knowledge unary(Operator op, const Knowledge& p) {
  switch (op) {
    case Operator::not_:
      return negation(p);
    case Operator::previous:  // false at the end of the word, whatever p is
    case Operator::next:
      return Knowledge::constant(p.never, false);
    case Operator::weak_previous:
    case Operator::weak_next:
      return Knowledge::constant(false, p.always);
    case Operator::once:
    case Operator::historically:
    case Operator::eventually:
    case Operator::always:
      return over_positions(p);
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
  }
  return {};
}

Knowledge binary(Operator op, const Knowledge& p, const Knowledge& q) {
  switch (op) {
    case Operator::and_:
      return both(p, q);
    case Operator::or_:
      return either(p, q);
    case Operator::implies:
      return either(negation(p), q);
    case Operator::iff:
      return either(both(p, q), both(negation(p), negation(q)));
    case Operator::xor_:
      return either(both(p, negation(q)), both(negation(p), q));
    case Operator::since:  // p and q at one position
    case Operator::until:
      return over_positions(both(p, q));
    case Operator::standard_since:
    case Operator::standard_until:
    case Operator::release:
      return over_positions(q);
    case Operator::weak_until:
      return over_positions(either(p, q));
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
  }
  return {};
}

class Analysis {
 public:
  explicit Analysis(const Formula& formula) : formula_(formula), known_(formula.size()), weighty_(formula.size()) {
    const std::vector<bool> used = formula.reachable();
    for (std::size_t k = 0; k < formula.size(); ++k) {
      if (!used[k]) continue;
      const FormulaId id(k);
      known_[k] = of(id);
      weighty_[k] = !std::holds_alternative<lang::Constant>(formula[id]) &&
                    !std::holds_alternative<lang::Unary>(formula[id]) &&
                    !std::holds_alternative<lang::Binary>(formula[id]);
      formula.for_each_child(id, [&](FormulaId child) { weighty_[k] = weighty_[k] || weighty_[child.index]; });
    }
  }

  /// The largest constant parts that mention anything, from the root down.
  std::vector<FormulaId> found() const {
    std::vector<FormulaId> found, open{formula_.root};
    std::vector<bool> seen(formula_.size());
    while (!open.empty()) {
      const FormulaId id = open.back();
      open.pop_back();
      if (seen[id.index] || !weighty_[id.index]) continue;
      seen[id.index] = true;
      if (known_[id.index].never || known_[id.index].always) {
        found.push_back(id);
      } else {
        formula_.for_each_child(id, [&](FormulaId child) { open.push_back(child); });
      }
    }
    return found;
  }

  bool never(FormulaId id) const { return known_[id.index].never; }

 private:
  const Knowledge& known(FormulaId id) const { return known_[id.index]; }

  Knowledge of(FormulaId id) const {
    return std::visit(
        Overloaded{[&](const lang::Constant& node) { return constant(node.value); },
                   [&](const lang::SymbolAtom& node) { return symbol(node.symbol); },
                   [&](const lang::Unary& node) { return unary(node.op, known(node.arg)); },
                   [&](const lang::Binary& node) { return binary(node.op, known(node.left), known(node.right)); },
                   [&](const lang::Comparison& node) { return comparison(node); },
                   [](const lang::PositionPredicate&) { return Knowledge{}; },
                   [](const lang::CountPredicate&) { return Knowledge{}; },
                   [](const lang::Congruence&) { return Knowledge{}; }},
        formula_[id]);
  }

  bool keeps_sets() const { return formula_.alphabet.size() <= kMostSymbols; }

  Knowledge constant(bool value) const {
    if (!keeps_sets()) return Knowledge::constant(!value, value);
    return Knowledge::of(std::vector<bool>(formula_.alphabet.size() + 1, value));
  }

  Knowledge symbol(Symbol symbol) const {
    if (!keeps_sets()) return {};
    std::vector<bool> set(formula_.alphabet.size() + 1, false);
    set[static_cast<std::size_t>(symbol)] = true;
    return Knowledge::of(std::move(set));
  }

  /// Counts range over 0, 1, 2, …; a count of what never holds is 0.
  Knowledge comparison(const lang::Comparison& node) const {
    bool falls = false, grows = false;
    const auto note = [&](lang::TermId id, bool left) {
      for (const lang::Term::Part& part : formula_[id].parts)
        if (!known(part.count.of).never) ((part.coefficient > 0) == left ? grows : falls) = true;
    };
    note(node.left, true);
    note(node.right, false);
    const Int128 difference = Int128{formula_[node.left].constant} - formula_[node.right].constant;
    const bool at_least_0 = difference >= 0 && !falls, at_most_0 = difference <= 0 && !grows;
    const bool above_0 = difference > 0 && !falls, below_0 = difference < 0 && !grows;
    switch (node.relation) {
      case lang::Relation::less_equal:
        return Knowledge::constant(above_0, at_most_0);
      case lang::Relation::less:
        return Knowledge::constant(at_least_0, below_0);
      case lang::Relation::greater_equal:
        return Knowledge::constant(below_0, at_least_0);
      case lang::Relation::greater:
        return Knowledge::constant(at_most_0, above_0);
      case lang::Relation::equal:
        return Knowledge::constant(above_0 || below_0, at_least_0 && at_most_0);
      case lang::Relation::not_equal:
        return Knowledge::constant(at_least_0 && at_most_0, above_0 || below_0);
    }
    return {};
  }

  const Formula& formula_;
  std::vector<Knowledge> known_;
  std::vector<bool> weighty_;  ///< mentions a symbol, a count or a predicate
};

std::vector<std::string> hints(const Formula& formula, FormulaId id) {
  const auto* node = std::get_if<lang::Binary>(&formula[id]);
  if (!node) return {};
  const bool since = node->op == Operator::since, until = node->op == Operator::until;
  if (!since && !until) return {"every position holds exactly one symbol"};
  const std::string name(since ? "since" : "until"), usual = since ? "S" : "U";
  return {"p " + name + " q asks for p where q holds, too; p " + usual + " q does not: " +
          lang::print_node(formula, node->left) + " " + usual + " " + lang::print_node(formula, node->right)};
}

}  // namespace

std::vector<Diagnostic> constant_parts(const Formula& formula) {
  const Analysis analysis(formula);
  std::vector<Diagnostic> warnings;
  for (const FormulaId id : analysis.found()) {
    const std::string what = id == formula.root ? "this rule" : "this part of the rule";
    warnings.push_back({"W001", what + " is " + (analysis.never(id) ? "false" : "true") + " at every position of every word",
                        formula.span(id), hints(formula, id)});
  }
  return warnings;
}

}  // namespace quench::lint
