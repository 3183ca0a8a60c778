#include <fmt/format.h>

#include <string>

#include "base/overloaded.h"
#include "base/text/utf8.h"
#include "lang/operators.h"
#include "lang/print/print.h"
#include "lang/print/writer.h"

namespace quench::lang {
namespace {

constexpr std::size_t kLongestLabel = 60;

/// A term with its counted formulas replaced by the numbers of the edges that lead to them: "2*#<[1] - #>[2] + 3".
std::string term_label(const Term& term, std::size_t& edge) {
  std::string text;
  for (const Term::Part& part : term.parts) {
    text += part.coefficient < 0 ? (text.empty() ? "-" : " - ") : (text.empty() ? "" : " + ");
    const std::string size = std::to_string(part.coefficient);
    const std::string digits = size[0] == '-' ? size.substr(1) : size;
    if (digits != "1") text += digits + "*";
    text += facts(part.count.scope).symbol;
    text += fmt::format("[{}]", ++edge);
    if (text.size() > kLongestLabel) return text + " …";
  }
  if (term.parts.empty()) return std::to_string(term.constant);
  if (term.constant > 0) text += " + " + std::to_string(term.constant);
  if (term.constant < 0) text += " - " + std::to_string(term.constant).substr(1);
  return text;
}

std::string label(const Formula& formula, const Node& node) {
  std::size_t edge = 0;
  return std::visit(
      Overloaded{
          [](const Constant& constant) { return std::string(constant.value ? "true" : "false"); },
          [&](const SymbolAtom& atom) {
            return symbol_text(formula.alphabet.symbols()[static_cast<std::size_t>(atom.symbol)], Notation::source);
          },
          [](const Unary& unary) { return std::string(facts(unary.op).symbol); },
          [](const Binary& binary) { return std::string(facts(binary.op).symbol); },
          [&](const Comparison& comparison) {
            const std::string left = term_label(formula[comparison.left], edge);
            const std::string right = term_label(formula[comparison.right], edge);
            return left + " " + std::string(facts(comparison.relation).symbol) + " " + right;
          },
          [&](const PositionPredicate& theta) { return formula[theta.predicate].name; },
          [&](const CountPredicate& theta) {
            return formula[theta.predicate].name + "(" + std::string(facts(theta.count.scope).symbol) + "[1])";
          },
          [&](const Congruence& theta) {
            return formula[theta.predicate].name + "(" + term_label(formula[theta.term], edge) + ")";
          },
      },
      node);
}

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : printable(text, kLongestLabel)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

std::string print_dot(const Formula& formula) {
  std::string text = "digraph formula {\n  node [shape=box, fontname=\"monospace\"];\n";
  const std::vector<bool> reachable = formula.reachable();
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!reachable[k]) continue;
    const FormulaId id(k);
    const std::string name = fmt::format("n{}", k);
    text += "  " + name + " [label=\"" + escaped(label(formula, formula[id])) + "\"";
    text += id == formula.root ? ", peripheries=2];\n" : "];\n";
    std::size_t children = 0, edge = 0;
    formula.for_each_child(id, [&](FormulaId) { ++children; });
    const bool numbered = children > 1 || std::holds_alternative<Comparison>(formula[id]) ||
                          std::holds_alternative<Congruence>(formula[id]);
    formula.for_each_child(id, [&](FormulaId child) {
      text += "  " + name + " -> n" + std::to_string(child.index);
      text += numbered ? " [label=\"" + std::to_string(++edge) + "\"];\n" : ";\n";
    });
  }
  return text + "}\n";
}

}  // namespace quench::lang
