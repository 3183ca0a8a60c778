#include "ir/print.h"

#include <fmt/format.h>

#include <cmath>

#include "base/overloaded.h"

namespace quench::ir {

std::string shortest(double x) { return fmt::format("{}", x); }
std::string to_string(NodeId id) { return fmt::format("v{}", id.index); }
std::string to_string(HeadId id) { return fmt::format("h{}", id.index); }
std::string to_string(Literal literal) { return (literal.negated ? "!" : "") + to_string(literal.node); }

std::string to_string(const Affine& affine) {
  std::string text;
  const auto append = [&](double coefficient, const std::string& what) {
    const double size = std::fabs(coefficient);
    if (text.empty())
      text = coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    if (what.empty())
      text += shortest(size);
    else
      text += (size == 1 ? "" : shortest(size) + "*") + what;
  };
  for (const Affine::Term& term : affine.terms) append(term.coefficient, to_string(term.node));
  if (affine.constant != 0 || affine.terms.empty()) append(affine.constant, "");
  return text;
}

std::string operation(const Graph& graph, NodeId id) {
  return std::visit(
      Overloaded{[&](const SymbolIn& in) {
                   std::string text = "symbol in {";
                   for (std::size_t k = 0; k < in.symbols.size(); ++k)
                     text += (k ? ", " : "") + graph.alphabet.symbols()[static_cast<std::size_t>(in.symbols[k])];
                   return text + "}";
                 },
                 [](const Position& position) { return "position " + quench::to_string(position.formula); },
                 [](const And& conjunction) {
                   if (conjunction.literals.empty()) return std::string("true");
                   std::string text = "and";
                   for (const Literal literal : conjunction.literals) text += " " + to_string(literal);
                   return text;
                 },
                 [](const Threshold& t) {
                   if (t.exact()) return "exact " + to_string(t.x);
                   return fmt::format("round {}: no <= {:.4g}, yes >= {:.4g}", to_string(t.x), t.no, t.yes);
                 },
                 [](const IsZero& zero) { return "is zero " + to_string(zero.x); },
                 [](const Piecewise& p) {
                   std::string text;
                   for (const Piecewise::Unit& unit : p.units)
                     text += fmt::format("{}{}*relu({})", text.empty() ? "" : " + ", unit.factor, to_string(unit.x));
                   if (p.rest.is_constant() && p.rest.constant == 0) return text;
                   return text + " + " + to_string(p.rest);
                 },
                 [](const Attend& attend) {
                   std::string text;
                   for (const auto& [head, value, factor] : attend.parts)
                     text += fmt::format("{}attend {}: {}", text.empty() ? "" : " + ", to_string(head), to_string(value)) +
                             (factor == 1 ? "" : fmt::format(" times {}", factor));
                   return text;
                 }},
      graph[id]);
}

std::string score(const Head& head) {
  std::string text;
  for (const Head::Product& product : head.score)
    text += fmt::format("{}({})·({})", text.empty() ? "" : " + ", to_string(product.query), to_string(product.key));
  return text.empty() ? "0" : text;
}

}  // namespace quench::ir
