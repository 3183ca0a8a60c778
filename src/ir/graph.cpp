#include "ir/graph.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/overloaded.h"

namespace quench::ir {
namespace {

Range position_range(const PositionFormula& formula) {
  using Kind = PositionFormula::Kind;
  const double infinity = std::numeric_limits<double>::infinity();
  switch (formula.kind) {
    case Kind::alternating:
      return {-1, 1};
    case Kind::index_over_length:
    case Kind::index_over_length_sq:
    case Kind::inverse_index:
    case Kind::inverse_remaining:
    case Kind::index_over_power:
    case Kind::inverse_length:
    case Kind::digit_0_over_power:
    case Kind::digit_1_over_power:
    case Kind::digit_2_over_power:
    case Kind::predicate:
    case Kind::predicate_at_zero:
      return {0, 1};
    case Kind::digit_0:
    case Kind::digit_1:
      return {0, 255};
    case Kind::digit_2:
    case Kind::log_index:
    case Kind::log_remaining:
      return {0, infinity};
    case Kind::index_alternating:
    case Kind::table:
      return {-infinity, infinity};
    case Kind::index:
    case Kind::index_sq:
    case Kind::length:
    case Kind::index_length:
    case Kind::index_sq_length:
      return {1, infinity};
  }
  return {};
}

bool predicate_valued(const PositionFormula& formula) {
  return formula.kind == PositionFormula::Kind::predicate || formula.kind == PositionFormula::Kind::predicate_at_zero;
}

bool is_logarithm(const Graph& graph, NodeId id) {
  using Kind = PositionFormula::Kind;
  const auto* position = std::get_if<Position>(&graph[id]);
  return position && (position->formula.kind == Kind::log_index || position->formula.kind == Kind::log_remaining);
}

void check_rational(const Graph& graph, const Affine& affine) {
  for (const Affine::Term& term : affine.terms) QUENCH_ASSERT(!is_logarithm(graph, term.node));
}

/// A soft head's products are a logarithm times a Boolean; other heads know no logarithms.
void check_score(const Graph& graph, const Head& head) {
  const auto plain = [](const Affine& affine) {
    return affine.constant == 0 && affine.terms.size() == 1 && affine.terms[0].coefficient == 1;
  };
  for (const auto& [query, key] : head.score) {
    check_rational(graph, key);
    if (!head.stays_soft()) {
      check_rational(graph, query);
    } else {
      QUENCH_ASSERT(plain(query) && is_logarithm(graph, query.terms[0].node));
      QUENCH_ASSERT(plain(key) && graph.boolean(key.terms[0].node));
    }
  }
}

}  // namespace

Affine::Affine(Literal literal) : terms{{literal.node, literal.negated ? -1.0 : 1.0}}, constant(literal.negated) {}

Affine& Affine::operator+=(const Affine& other) {
  constant += other.constant;
  std::vector<Term> merged;
  merged.reserve(terms.size() + other.terms.size());
  auto a = terms.begin();
  auto b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    if (b == other.terms.end() || (a != terms.end() && a->node < b->node)) {
      merged.push_back(*a++);
    } else if (a == terms.end() || b->node < a->node) {
      merged.push_back(*b++);
    } else {
      const double sum = a->coefficient + b->coefficient;
      if (sum != 0) merged.push_back({a->node, sum});
      ++a, ++b;
    }
  }
  terms = std::move(merged);
  return *this;
}

Affine& Affine::operator*=(double factor) {
  if (factor == 0) terms.clear();
  for (Term& term : terms) term.coefficient *= factor;
  constant *= factor;
  return *this;
}

bool Range::bounded() const { return std::isfinite(low) && std::isfinite(high); }

NodeId Graph::add(const Node& node, const std::string& label) {
  const NodeId id = nodes_.intern(node);
  if (id.index < ranges_.size()) return id;
  ranges_.push_back(std::visit(Overloaded{[](const Position& position) { return position_range(position.formula); },
                                          [&](const Attend& attend) { return range(attend); },
                                          [](const Piecewise& p) {
                                            return Range{p.low, p.high};
                                          },
                                          [](const auto&) {
                                            return Range{0, 1};
                                          }},
                               node));
  labels_.push_back(label);
  return id;
}

HeadId Graph::add(const Head& head, const std::string& name) {
  const HeadId id = heads_.intern(head);
  if (id.index == names_.size()) names_.push_back(name);
  return id;
}

std::string negation_of(const std::string& label) {
  if (label.empty()) return label;
  int open = 0;
  std::size_t closed = 0;  // where the parenthesis of a leading `!(` closes
  for (std::size_t k = 1; label.starts_with("!(") && k < label.size() && closed == 0; ++k) {
    open += label[k] == '(' ? 1 : label[k] == ')' ? -1 : 0;
    if (open == 0) closed = k;
  }
  return closed > 0 && closed + 1 == label.size() ? label.substr(2, label.size() - 3) : "!(" + label + ")";
}

Literal Graph::conjunction(std::vector<Literal> literals, const std::string& label) {
  std::erase_if(literals, [&](Literal literal) { return is_true(literal); });
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  for (std::size_t k = 0; k < literals.size(); ++k) {
    const bool contradiction = k > 0 && literals[k].node == literals[k - 1].node;
    if (contradiction || is_false(literals[k])) return truth(false);
  }
  if (literals.size() == 1) return literals.front();
  return {add(And{std::move(literals)}, label), false};
}

Literal Graph::disjunction(std::vector<Literal> literals, const std::string& label) {
  for (Literal& literal : literals) literal = !literal;
  return !conjunction(std::move(literals), negation_of(label));
}

bool Graph::boolean(NodeId id) const {
  return std::visit(Overloaded{[](const Position& position) { return predicate_valued(position.formula); },
                               [](const Attend&) { return false; }, [](const Piecewise& p) { return p.boolean; },
                               [](const auto&) { return true; }},
                    nodes_[id]);
}

bool Graph::is_constant(Literal literal, bool value) const {
  const auto* node = std::get_if<And>(&nodes_[literal.node]);
  return node && node->literals.empty() && literal.negated != value;
}

Range Graph::range(const Affine& affine) const {
  Range sum{affine.constant, affine.constant};
  for (const Affine::Term& term : affine.terms) {
    const Range r = ranges_[term.node.index];
    const double a = term.coefficient * r.low, b = term.coefficient * r.high;
    sum.low += std::min(a, b);
    sum.high += std::max(a, b);
  }
  return sum;
}

Range Graph::range(const Attend& attend) const {
  Range sum{0, 0};
  for (const Attend::Part& part : attend.parts) {
    const Range r = range(part.value);
    const double a = part.factor * r.low, b = part.factor * r.high;
    sum.low += std::min(a, b);
    sum.high += std::max(a, b);
  }
  return sum;
}

void check(const Graph& graph) {
  for (std::size_t k = 0; k < graph.size(); ++k) {
    const NodeId id(k);
    for_each_operand(graph, id, [&](NodeId operand) { QUENCH_ASSERT(operand < id); });
    std::visit(Overloaded{[&](const SymbolIn& in) {
                            QUENCH_ASSERT(std::is_sorted(in.symbols.begin(), in.symbols.end()));
                            for (const Symbol symbol : in.symbols)
                              QUENCH_ASSERT(symbol >= 0 && symbol < static_cast<Symbol>(graph.alphabet.size()));
                          },
                          [&](const And& conjunction) {
                            for (const Literal literal : conjunction.literals)
                              QUENCH_ASSERT(graph.boolean(literal.node));
                          },
                          [&](const Threshold& t) {
                            QUENCH_ASSERT(t.low <= t.no && t.no < t.yes && t.yes <= t.high);
                            check_rational(graph, t.x);
                          },
                          [&](const IsZero& zero) { check_rational(graph, zero.x); },
                          [&](const Attend& attend) {
                            QUENCH_ASSERT(!attend.parts.empty());
                            for (const Attend::Part& part : attend.parts) {
                              check_rational(graph, part.value);
                              check_score(graph, graph[part.head]);
                            }
                          },
                          [&](const Piecewise& piecewise) {
                            QUENCH_ASSERT(piecewise.low <= piecewise.high);
                            QUENCH_ASSERT(!piecewise.boolean || (piecewise.low >= 0 && piecewise.high <= 1));
                            check_rational(graph, piecewise.rest);
                            for (const Piecewise::Unit& unit : piecewise.units) check_rational(graph, unit.x);
                          },
                          [](const Position&) {}},
               graph[id]);
  }
  for_each_output(graph, [&](Literal output) {
    QUENCH_ASSERT(output.node.valid() && graph.boolean(output.node) != (graph.number || graph.scores));
  });
}

}  // namespace quench::ir
