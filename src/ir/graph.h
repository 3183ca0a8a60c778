// The attention IR: what a transformer is to compute, before layers, coordinates or weights exist.
//
// A node is a value at every position i of a word of length n. Booleans are exact 0/1; reals have an exact rational
// meaning when every head attends hard (ir/interpret.h), and are approximated by soft attention.
//
//   SymbolIn{S}            Boolean   w_i ∈ S
//   Position{f}            real      f(i, n), a position-encoding coordinate
//   And{l_1 … l_m}         Boolean   all literals true (the empty conjunction is `true`); literals carry negation
//   Threshold{x, no, yes}  Boolean   false if x ≤ no, true if x ≥ yes; x is never between          [P-L9]
//   IsZero{x}              Boolean   true if |x| ≤ ¼, false if |x| ≥ ¾; x is never between
//   Attend{parts}          real      Σ factor · Σ_j α_ij v_j, the weights α of each part's head; usually there is one
//   Piecewise{units, rest} real      Σ factor·ReLU(x) + rest: continuous and piecewise linear; may be declared Boolean
//
// Logarithms have no rational value; they may only stand as a query of a head that is meant to be soft, against a
// Boolean key: a key that is 1 then multiplies the weight e^0 = 1 by the integer under the logarithm (an attention
// sink).
//
// Nodes are interned; operands come before their users. Nothing here knows formulas or weights.
#pragma once

#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/attention_kind.h"
#include "base/head_claim.h"
#include "base/pool.h"
#include "base/position_formula.h"
#include "base/word.h"

namespace quench::ir {

struct NodeTag;
struct HeadTag;
using NodeId = Id<NodeTag>;
using HeadId = Id<HeadTag>;

/// A Boolean node or its negation.
struct Literal {
  NodeId node;
  bool negated = false;
  Literal operator!() const { return {node, !negated}; }
  auto tie() const { return std::tie(node, negated); }
  friend auto operator<=>(const Literal&, const Literal&) = default;
};

/// Σ coefficient · node + constant; nodes increase strictly, no coefficient is 0.
struct Affine {
  struct Term {
    NodeId node;
    double coefficient;
    auto tie() const { return std::tie(node, coefficient); }
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  double constant = 0;

  Affine() = default;
  Affine(double value) : constant(value) {}    // NOLINT: constants are affine
  Affine(NodeId node) : terms{{node, 1.0}} {}  // NOLINT: so are nodes
  Affine(Literal literal);                     // NOLINT: and literals: x or 1 − x

  bool is_constant() const { return terms.empty(); }
  Affine& operator+=(const Affine& other);
  Affine& operator*=(double factor);
  friend Affine operator+(Affine a, const Affine& b) { return a += b; }
  friend Affine operator-(Affine a, Affine b) { return a += (b *= -1); }
  friend Affine operator*(double factor, Affine a) { return a *= factor; }
  auto tie() const { return std::tie(terms, constant); }
  friend bool operator==(const Affine&, const Affine&) = default;
};

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool bounded() const;
};

struct SymbolIn {
  std::vector<Symbol> symbols;  ///< sorted, distinct, never kUnmentioned (negate instead)
  auto tie() const { return std::tie(symbols); }
  friend bool operator==(const SymbolIn&, const SymbolIn&) = default;
};
struct Position {
  PositionFormula formula;
  auto tie() const { return std::tie(formula); }
  friend bool operator==(const Position&, const Position&) = default;
};
struct And {
  std::vector<Literal> literals;  ///< sorted by node, each node at most once
  auto tie() const { return std::tie(literals); }
  friend bool operator==(const And&, const And&) = default;
};
struct Threshold {
  Affine x;
  double no = 0.25, yes = 0.75;
  double low = 0, high = 1;  ///< x stays in [low, high]; may be infinite
  /// x is exactly 0 or 1, so it can be read without rounding.
  bool exact() const { return no == 0 && yes == 1 && low == 0 && high == 1; }
  auto tie() const { return std::tie(x, no, yes, low, high); }
  friend bool operator==(const Threshold&, const Threshold&) = default;
};
struct IsZero {
  Affine x;
  auto tie() const { return std::tie(x); }
  friend bool operator==(const IsZero&, const IsZero&) = default;
};
struct Attend {
  struct Part {
    HeadId head;
    Affine value;
    double factor = 1;
    auto tie() const { return std::tie(head, value, factor); }
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;  ///< heads of one layer that add to one coordinate

  Attend(HeadId head, Affine value) : parts{{head, std::move(value), 1}} {}
  explicit Attend(std::vector<Part> several) : parts(std::move(several)) {}
  auto tie() const { return std::tie(parts); }
  friend bool operator==(const Attend&, const Attend&) = default;
};
struct Piecewise {
  struct Unit {
    Affine x;
    double factor;
    auto tie() const { return std::tie(x, factor); }
    friend bool operator==(const Unit&, const Unit&) = default;
  };
  std::vector<Unit> units;
  Affine rest;
  double low, high;      ///< the value stays in [low, high]
  bool boolean = false;  ///< it is exactly 0 or 1
  auto tie() const { return std::tie(units, rest, low, high, boolean); }
  friend bool operator==(const Piecewise&, const Piecewise&) = default;
};
using Node = std::variant<SymbolIn, Position, And, Threshold, IsZero, Attend, Piecewise>;

/// Attention weights: softmax_τ over the visible keys of Σ_l query_l(i)·key_l(j). No terms: uniform.
struct Head {
  struct Product {
    Affine query, key;
    auto tie() const { return std::tie(query, key); }
    friend bool operator==(const Product&, const Product&) = default;
  };
  Mask mask = Mask::none;
  Temperature temperature = Temperature::one;
  Weighting intended = Weighting::ahardmax;
  std::vector<Product> score;
  HeadStructure structure = HeadStructure::none;
  Lemma lemma = Lemma::none;  ///< its sharpness rests on
  double gamma = 0;           ///< of that lemma

  bool uniform() const { return score.empty(); }
  /// Its softmax is what it stands for, not an approximation of hard attention.
  bool stays_soft() const { return intended == Weighting::soft; }
  auto tie() const {
    return std::tuple(static_cast<int>(mask), static_cast<int>(temperature), static_cast<int>(intended), score,
                      static_cast<int>(lemma), gamma);
  }
  friend bool operator==(const Head&, const Head&) = default;
};

/// One of the answers of a rule that answers with symbols or strings; or the score of a symbol.
struct OutputCase {
  Literal holds;                     ///< of a score: its real node, not negated
  std::vector<std::string> symbols;  ///< what is then put out; what the score is of
};

/// What the negation of a node with this label is called: `!(x)` of `x`, and `x` of `!(x)`. Nothing of nothing.
std::string negation_of(const std::string& label);

class Graph {
 public:
  Alphabet alphabet;
  Literal output;                 ///< of a rule with cases: the first of them; of ratios, their denominator
  std::vector<OutputCase> cases;  ///< empty for Boolean rules; unless they are scores, the first that holds counts
  bool number = false;            ///< the output is a real, an integer over n
  bool scores = false;            ///< the cases are reals, each to be read as it is
  bool whole = false;  ///< the output is the integer itself, not over n, and a `number` as well; of `scores`, the cases
                       ///< are numerators
  bool ratios() const { return whole && scores; }
  bool shares_units = false;       ///< hidden units of a layer's Piecewise nodes with equal arguments are one
  bool joins_comparisons = false;  ///< comparisons of whole numbers may be joined with Booleans where they are made

  /// Adds a node (or finds the equal one). `label` names it for people; the first label stays.
  NodeId add(const Node& node, const std::string& label = {});
  HeadId add(const Head& head, const std::string& name = {});
  /// Names a node that has no label yet.
  void relabel(NodeId id, const std::string& label) {
    if (labels_[id.index].empty()) labels_[id.index] = label;
  }

  Literal truth(bool value) { return {add(And{}), !value}; }
  /// Conjunction in normal form: sorted, `true` dropped, a ∧ ¬a and `false` give false; one literal is itself.
  Literal conjunction(std::vector<Literal> literals, const std::string& label = {});
  Literal disjunction(std::vector<Literal> literals, const std::string& label = {});

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  const Head& operator[](HeadId id) const { return heads_[id]; }
  std::size_t size() const { return nodes_.size(); }
  std::size_t head_count() const { return heads_.size(); }

  bool boolean(NodeId id) const;
  bool is_true(Literal literal) const { return is_constant(literal, true); }
  bool is_false(Literal literal) const { return is_constant(literal, false); }
  Range range(NodeId id) const { return ranges_[id.index]; }
  Range range(const Affine& affine) const;
  Range range(const Attend& attend) const;
  const std::string& label(NodeId id) const { return labels_[id.index]; }
  const std::string& name(HeadId id) const { return names_[id.index]; }

 private:
  bool is_constant(Literal literal, bool value) const;

  Pool<Node, NodeTag> nodes_;
  Pool<Head, HeadTag> heads_;
  std::vector<Range> ranges_;
  std::vector<std::string> labels_, names_;
};

/// Calls visit(NodeId) for the direct operands of a node; for Attend also those of its head's queries and keys.
template <class Visit>
void for_each_operand(const Graph& graph, NodeId id, Visit visit) {
  const auto each = [&](const Affine& affine) {
    for (const Affine::Term& term : affine.terms) visit(term.node);
  };
  const Node& node = graph[id];
  if (const auto* conjunction = std::get_if<And>(&node)) {
    for (const Literal literal : conjunction->literals) visit(literal.node);
  } else if (const auto* threshold = std::get_if<Threshold>(&node)) {
    each(threshold->x);
  } else if (const auto* zero = std::get_if<IsZero>(&node)) {
    each(zero->x);
  } else if (const auto* piecewise = std::get_if<Piecewise>(&node)) {
    for (const Piecewise::Unit& unit : piecewise->units) each(unit.x);
    each(piecewise->rest);
  } else if (const auto* attend = std::get_if<Attend>(&node)) {
    for (const Attend::Part& part : attend->parts) {
      each(part.value);
      for (const Head::Product& product : graph[part.head].score) {
        each(product.query);
        each(product.key);
      }
    }
  }
}

/// Calls visit(Literal&) for everything the graph is computed for.
template <class SomeGraph, class Visit>
void for_each_output(SomeGraph& graph, Visit visit) {
  if (graph.cases.empty() || graph.ratios()) visit(graph.output);
  for (auto& one : graph.cases) visit(one.holds);
}

/// Throws InternalError unless the graph is well-formed: operands before users, literals on Booleans, no < yes,
/// symbols of the alphabet, logarithms only where they have a meaning.
void check(const Graph& graph);

}  // namespace quench::ir
