// A formula without counts as monadic second-order logic on strings, by the definitions of its operators: what MONA
// reads.
#pragma once

#include <stdexcept>
#include <string>

#include "lang/formula.h"

namespace quench::test {

/// The text of a formula at a position, which is a variable of MONA's. The symbols are the sets S0, S1, …; E is the mark.
class MonaText {
  using Operator = lang::Operator;

 public:
  explicit MonaText(const lang::Formula& formula) : formula_(formula) {}

  std::string whole() {
    std::string text = "m2l-str;\nvar2 ";
    for (std::size_t s = 0; s < symbols(); ++s) text += "S" + std::to_string(s) + ", ";
    text += "E;\nex1 e: E = {e} & " + at("e", formula_.root);
    for (std::size_t s = 0; s < symbols(); ++s)
      for (std::size_t t = 0; t < s; ++t)
        text += " & S" + std::to_string(t) + " inter S" + std::to_string(s) + " = empty";
    return text + ";\n";
  }
  /// MONA wants a variable at least.
  std::size_t symbols() const { return std::max<std::size_t>(formula_.alphabet.size(), 1); }

 private:
  std::string fresh() { return "x" + std::to_string(next_++); }

  std::string at(const std::string& i, lang::FormulaId id) {
    const lang::Node& node = formula_[id];
    if (const auto* constant = std::get_if<lang::Constant>(&node)) return constant->value ? "true" : "false";
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&node))
      return "(" + i + " in S" + std::to_string(atom->symbol) + ")";
    if (const auto* unary = std::get_if<lang::Unary>(&node)) return "(" + of(i, *unary) + ")";
    return "(" + of(i, std::get<lang::Binary>(node)) + ")";
  }
  /// Some (every) j in the range has p.
  std::string some(const std::string& range, const std::string& j, const std::string& p) {
    return "ex1 " + j + ": " + range + " & " + p;
  }
  std::string every(const std::string& range, const std::string& j, const std::string& p) {
    return "all1 " + j + ": (" + range + ") => " + p;
  }

  std::string of(const std::string& i, const lang::Unary& node) {
    const std::string j = fresh();
    const auto p = [&](const std::string& x) { return at(x, node.arg); };
    switch (node.op) {
      case Operator::not_:
        return "~" + p(i);
      case Operator::previous:
        return some(i + " = " + j + " + 1 & " + j + " < " + i, j, p(j));
      case Operator::next:
        return some(j + " = " + i + " + 1 & " + i + " < " + j, j, p(j));
      case Operator::weak_previous:
        return every(i + " = " + j + " + 1 & " + j + " < " + i, j, p(j));
      case Operator::weak_next:
        return every(j + " = " + i + " + 1 & " + i + " < " + j, j, p(j));
      case Operator::once:
        return some(j + " <= " + i, j, p(j));
      case Operator::historically:
        return every(j + " <= " + i, j, p(j));
      case Operator::eventually:
        return some(j + " >= " + i, j, p(j));
      case Operator::always:
        return every(j + " >= " + i, j, p(j));
        QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
        break;
    }
    throw std::logic_error("not unary");
  }

  /// q at some j to the left (right) of i, and p at the positions between: `low` … `high` are relations to j and i.
  std::string reaching(const std::string& i, const lang::Binary& node, bool left, bool with_j) {
    const std::string j = fresh(), k = fresh(), strict = with_j ? " <= " : " < ";
    const std::string between =
        left ? j + strict + k + " & " + k + " <= " + i : i + " <= " + k + " & " + k + strict + j;
    return some(left ? j + " <= " + i : i + " <= " + j, j,
                at(j, node.right) + " & (" + every(between, k, at(k, node.left)) + ")");
  }

  std::string of(const std::string& i, const lang::Binary& node) {
    const std::string p = at(i, node.left), q = at(i, node.right);
    switch (node.op) {
      case Operator::and_:
        return p + " & " + q;
      case Operator::or_:
        return p + " | " + q;
      case Operator::implies:
        return p + " => " + q;
      case Operator::iff:
        return p + " <=> " + q;
      case Operator::xor_:
        return "~(" + p + " <=> " + q + ")";
      case Operator::since:
        return reaching(i, node, true, true);
      case Operator::until:
        return reaching(i, node, false, true);
      case Operator::standard_since:
        return reaching(i, node, true, false);
      case Operator::standard_until:
        return reaching(i, node, false, false);
      case Operator::weak_until: {
        const std::string j = fresh();
        return "(" + reaching(i, node, false, false) + ") | (" + every(j + " >= " + i, j, at(j, node.left)) + ")";
      }
      case Operator::release: {  // every j ≥ i has q, or some k before it, from i on, has p
        const std::string j = fresh(), k = fresh();
        return every(j + " >= " + i, j,
                     "(" + at(j, node.right) + " | (" +
                         some(i + " <= " + k + " & " + k + " < " + j, k, at(k, node.left)) + "))");
      }
        QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
        break;
    }
    throw std::logic_error("not binary");
  }

  const lang::Formula& formula_;
  int next_ = 0;
};

}  // namespace quench::test
