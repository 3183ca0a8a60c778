// Which parts of a formula are true everywhere or nowhere, by what lint/classes.h sees.
#include "lang/print/print.h"
#include "lint/classes.h"
#include "lint/lint.h"

namespace quench::lint {
namespace {

using lang::Formula;
using lang::FormulaId;
using lang::Operator;

constexpr std::size_t kMostExplained = 20;  // beyond that, warnings give no reasons

/// By node: whether it mentions a symbol, a count or a predicate.
std::vector<bool> weighty_parts(const Formula& formula) {
  std::vector<bool> weighty(formula.size());
  for (std::size_t k = 0; k < formula.size(); ++k) {
    const FormulaId id(k);
    weighty[k] = !std::holds_alternative<lang::Constant>(formula[id]) &&
                 !std::holds_alternative<lang::Unary>(formula[id]) &&
                 !std::holds_alternative<lang::Binary>(formula[id]);
    formula.for_each_child(id, [&](FormulaId child) { weighty[k] = weighty[k] || weighty[child.index]; });
  }
  return weighty;
}

/// The largest constant parts that mention anything, from the root down.
std::vector<FormulaId> largest_constant(const Formula& formula, const Classes& classes) {
  const std::vector<bool> weighty = weighty_parts(formula);
  std::vector<FormulaId> found, open{formula.root};
  std::vector<bool> seen(formula.size());
  while (!open.empty()) {
    const FormulaId id = open.back();
    open.pop_back();
    if (seen[id.index] || !weighty[id.index]) continue;
    seen[id.index] = true;
    if (classes.constant(id))
      found.push_back(id);
    else
      formula.for_each_child(id, [&](FormulaId child) { open.push_back(child); });
  }
  return found;
}

/// For `p since q` and `p until q` where p and q exclude each other, and `p S q` is worth something.
std::vector<std::string> other_operator(const Formula& formula, FormulaId id, Classes& classes) {
  const auto* node = std::get_if<lang::Binary>(&formula[id]);
  if (!node || (node->op != Operator::since && node->op != Operator::until)) return {};
  const Truth p = classes.of(node->left), q = classes.of(node->right);
  const bool since = node->op == Operator::since;
  const Truth usual_one = classes.binary(since ? Operator::standard_since : Operator::standard_until, p, q);
  if (classes.never(p) || !classes.never(classes.conjunction(p, q)) || classes.never(usual_one) ||
      classes.always(usual_one))
    return {};
  const std::string name(since ? "since" : "until"), usual = since ? "S" : "U";
  return {"p " + name + " q asks for p where q holds, too; p " + usual + " q does not: " +
          lang::print_node(formula, node->left) + " " + usual + " " + lang::print_node(formula, node->right)};
}

/// Why the part is constant, where that can be said in a line.
std::vector<std::string> reasons(const Formula& formula, FormulaId id, Classes& classes) {
  if (auto hint = other_operator(formula, id, classes); !hint.empty()) return hint;
  const Classes independent(formula, id, Symbols::independent);
  if (!independent.constant(id))
    return independent.has_tables() ? std::vector<std::string>{"every position holds exactly one symbol"}
                                    : std::vector<std::string>();
  if (!std::holds_alternative<lang::Comparison>(formula[id])) return {};
  return {classes.compares_counts(id) ? "a count is never negative"
                                      : "there are no counts left when one side is subtracted from the other"};
}

}  // namespace

std::vector<Diagnostic> constant_parts(const Formula& formula) {
  Classes classes(formula, formula.root, Symbols::exactly_one);
  std::vector<Diagnostic> warnings;
  for (const FormulaId id : largest_constant(formula, classes)) {
    const std::string what = id == formula.root ? "this rule" : "this part of the rule";
    const std::string value = classes.never(classes.of(id)) ? "false" : "true";
    warnings.push_back({"W001", what + " is " + value + " at every position of every word", formula.span(id),
                        warnings.size() < kMostExplained ? reasons(formula, id, classes) : std::vector<std::string>()});
  }
  return warnings;
}

bool mentions_anything(const Formula& formula) { return weighty_parts(formula)[formula.root.index]; }

}  // namespace quench::lint
