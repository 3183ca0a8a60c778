// Formulas as text. parse(print(f)) is f again: same nodes, same root; for a canonical f (lang/canonical.h) with the same
// numbers.
#pragma once

#include <string>

#include "lang/formula.h"

namespace quench::lang {

/// The whole rule, with its `alphabet`, `pred` and `let` lines. Shared subformulas without a name are written out in
/// place unless that would make the text much longer than the rule; then they get names too.
std::string print(const Formula& formula);

/// One subformula on one line: its name if it has one, otherwise a text by the names of what it is made of, cut with
/// "…" after about `limit` characters at a cost of O(limit).
std::string print_node(const Formula& formula, FormulaId id, std::size_t limit = 60);

/// `$…$`-free LaTeX of the result in the paper's notation.
std::string print_latex(const Formula& formula);
/// The DAG for Graphviz.
std::string print_dot(const Formula& formula);
/// {"symbols", "predicates", "nodes": [{"id", "kind", …, "args"}], "root"}
std::string print_json(const Formula& formula);

}  // namespace quench::lang
