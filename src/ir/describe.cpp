#include "ir/describe.h"

#include <fmt/format.h>

#include <cmath>

#include "base/overloaded.h"
#include "base/text/utf8.h"

namespace quench::ir {
namespace {

constexpr std::size_t kLongestDescription = 60;

class Namer {
 public:
  explicit Namer(const Graph& graph) : graph_(graph) {}

  std::vector<std::string> run() {
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      const std::string& label = graph_.label(NodeId(k));
      names_.push_back(label.empty() ? printable(described(NodeId(k)), kLongestDescription) : label);
    }
    return std::move(names_);
  }

 private:
  std::string described(NodeId id) const {
    return std::visit(Overloaded{[&](const SymbolIn& in) {
                                   std::string text;
                                   for (const Symbol symbol : in.symbols)
                                     text += (text.empty() ? "in " : "|") +
                                             graph_.alphabet.symbols()[static_cast<std::size_t>(symbol)];
                                   return in.symbols.size() == 1 ? "Q_" + text.substr(3) : text;
                                 },
                                 [&](const Position& position) { return to_string(position.formula); },
                                 [&](const And& conjunction) {
                                   std::string text;
                                   for (const Literal literal : conjunction.literals) {
                                     if (text.size() > kLongestDescription) break;
                                     text += (text.empty() ? "" : " & ") + std::string(literal.negated ? "!" : "") +
                                             part(literal.node);
                                   }
                                   return text.empty() ? "true" : text;
                                 },
                                 [&](const Threshold& threshold) { return sum(threshold.x) + ", rounded"; },
                                 [&](const IsZero& zero) { return sum(zero.x) + " = 0"; },
                                 [&](const Attend& attend) {
                     std::string text;
                     for (const Attend::Part& part : attend.parts) {
                       if (text.size() > kLongestDescription) break;
                       const std::string& head = graph_.name(part.head);
                       text += (text.empty() ? "" : " + ") + sum(part.factor * part.value) +
                               (head.empty() ? ", attended" : ", attended by " + head);
                     }
                     return text;
                   },
                   [&](const Piecewise& piecewise) {
                                   std::string text = sum(piecewise.rest);
                                   for (const Piecewise::Unit& unit : piecewise.units) {
                                     if (text.size() > kLongestDescription) break;
                                     text += fmt::format(" {} {:g}*max(0, {})", unit.factor < 0 ? "-" : "+",
                                                         std::abs(unit.factor), sum(unit.x));
                                   }
                                   return text;
                                 }},
                      graph_[id]);
  }

  std::string part(NodeId id) const {
    const std::string& name = names_[id.index];
    return name.find(' ') == std::string::npos ? name : "(" + name + ")";
  }

  /// "a - 2*b + 1"
  std::string sum(const Affine& affine) const {
    if (affine.terms.size() == 1 && affine.terms[0].coefficient == 1 && affine.constant == 0)
      return names_[affine.terms[0].node.index];
    std::string text;
    const auto add = [&](double value, const std::string& name) {
      const double size = std::abs(value);
      text += text.empty() ? (value < 0 ? "-" : "") : (value < 0 ? " - " : " + ");
      text += name.empty() ? fmt::format("{:g}", size) : size == 1 ? name : fmt::format("{:g}*{}", size, name);
    };
    for (const Affine::Term& term : affine.terms) {
      if (text.size() > kLongestDescription) return text;
      add(term.coefficient, part(term.node));
    }
    if (affine.constant != 0 || affine.terms.empty()) add(affine.constant, {});
    return text;
  }

  const Graph& graph_;
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> names(const Graph& graph) { return Namer(graph).run(); }

}  // namespace quench::ir
