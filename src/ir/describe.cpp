#include "ir/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/overloaded.h"
#include "base/text/utf8.h"
#include "ir/print.h"

namespace quench::ir {
namespace {

/// The text of a node as it grows. What becomes too long is not read to its end.
class Text {
 public:
  explicit Text(std::size_t longest) : longest_(longest) {}

  Text& operator+=(std::string_view more) {
    if (!too_long()) text_ += more;
    return *this;
  }
  bool empty() const { return text_.empty(); }
  bool too_long() const { return text_.size() > longest_; }
  std::string take() { return std::move(text_); }

 private:
  std::size_t longest_;
  std::string text_;
};

class Namer {
 public:
  explicit Namer(const Graph& graph) : graph_(graph) {}

  std::vector<std::string> run() {
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      const std::string& label = graph_.label(NodeId(k));
      names_.push_back(label.empty() ? name_of(NodeId(k)) : label);
    }
    return std::move(names_);
  }

 private:
  std::string name_of(NodeId id) const {
    Text text(longest_);
    describe(id, text);
    if (text.too_long()) return in_short(id);
    const std::string whole = text.take();
    return printable(whole, whole.size());
  }

  void describe(NodeId id, Text& text) const {
    std::visit(Overloaded{[&](const SymbolIn& in) { symbols(in, text); },
                          [&](const Position& position) { text += to_string(position.formula); },
                          [&](const And& conjunction) { literals(conjunction, text); },
                          [&](const Threshold& threshold) { sum(threshold.x, text), text += ", rounded"; },
                          [&](const IsZero& zero) { sum(zero.x, text), text += " = 0"; },
                          [&](const Attend& attend) { attended(attend, text); },
                          [&](const Piecewise& piecewise) { pieces(piecewise, text); }},
               graph_[id]);
  }

  /// What kind of node it is; its number says which.
  std::string in_short(NodeId id) const {
    const std::string what =
        std::visit(Overloaded{[](const SymbolIn& x) { return fmt::format("one of {} symbols", x.symbols.size()); },
                              [](const Position&) { return std::string("position encoding"); },
                              [](const And& x) { return fmt::format("conjunction of {}", x.literals.size()); },
                              [](const Threshold& x) { return fmt::format("sum of {}, rounded", x.x.terms.size()); },
                              [](const IsZero& x) { return fmt::format("sum of {} = 0", x.x.terms.size()); },
                              [](const Attend& x) { return fmt::format("sum of {}, attended", values_of(x)); },
                              [](const Piecewise& x) { return fmt::format("sum of {} ramps", x.units.size()); }},
                   graph_[id]);
    return fmt::format("{} ({})", what, to_string(id));
  }

  static std::size_t values_of(const Attend& attend) {
    std::size_t count = 0;
    for (const Attend::Part& part : attend.parts) count += std::max<std::size_t>(part.value.terms.size(), 1);
    return count;
  }

  void symbols(const SymbolIn& in, Text& text) const {
    text += in.symbols.size() == 1 ? "Q_" : "in ";
    for (std::size_t k = 0; k < in.symbols.size() && !text.too_long(); ++k) {
      if (k > 0) text += "|";
      text += graph_.alphabet.symbols()[static_cast<std::size_t>(in.symbols[k])];
    }
  }

  void literals(const And& conjunction, Text& text) const {
    if (conjunction.literals.empty()) text += "true";
    for (const Literal literal : conjunction.literals) {
      if (text.too_long()) return;
      if (!text.empty()) text += " & ";
      if (literal.negated) text += "!";
      text += part(literal.node);
    }
  }

  void attended(const Attend& attend, Text& text) const {
    for (const Attend::Part& part : attend.parts) {
      if (text.too_long()) return;
      if (!text.empty()) text += " + ";
      sum(part.factor * part.value, text);
      const std::string& head = graph_.name(part.head);
      text += head.empty() ? ", attended" : ", attended by " + head;
    }
  }

  void pieces(const Piecewise& piecewise, Text& text) const {
    sum(piecewise.rest, text);
    for (const Piecewise::Unit& unit : piecewise.units) {
      if (text.too_long()) return;
      text += fmt::format(" {} {:g}*max(0, ", unit.factor < 0 ? "-" : "+", std::abs(unit.factor));
      sum(unit.x, text);
      text += ")";
    }
  }

  std::string part(NodeId id) const {
    const std::string& name = names_[id.index];
    return name.find(' ') == std::string::npos ? name : "(" + name + ")";
  }

  /// "a - 2*b + 1"
  void sum(const Affine& affine, Text& text) const {
    if (affine.terms.size() == 1 && affine.terms[0].coefficient == 1 && affine.constant == 0) {
      text += names_[affine.terms[0].node.index];
      return;
    }
    bool first = true;
    const auto add = [&](double value, const std::string& name) {
      const double size = std::abs(value);
      text += first ? (value < 0 ? "-" : "") : (value < 0 ? " - " : " + ");
      text += name.empty() ? fmt::format("{:g}", size) : size == 1 ? name : fmt::format("{:g}*{}", size, name);
      first = false;
    };
    for (const Affine::Term& term : affine.terms) {
      if (text.too_long()) return;
      add(term.coefficient, part(term.node));
    }
    if (affine.constant != 0 || affine.terms.empty()) add(affine.constant, {});
  }

  const Graph& graph_;
  const std::size_t longest_ = std::clamp<std::size_t>(1'000'000 / std::max<std::size_t>(graph_.size(), 1), 80, 1000);
  std::vector<std::string> names_;
};

}  // namespace

std::vector<std::string> names(const Graph& graph) { return Namer(graph).run(); }

}  // namespace quench::ir
