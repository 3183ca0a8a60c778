#include "lower/lower.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "base/error.h"
#include "base/int128.h"
#include "base/overloaded.h"
#include "lang/print.h"
#include "lower/constructions.h"

namespace quench::lower {
namespace {

using ir::Literal;
using Integer = Int128;

constexpr Integer kLargestWeight = Integer(1) << 53;

Integer magnitude(Integer x) { return x < 0 ? -x : x; }
Integer greatest_common_divisor(Integer a, Integer b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}
Integer ceil_divide(Integer a, Integer b) { return a / b + (a % b > 0); }  // b > 0

/// Lowers the nodes of one formula in order; a node's literal is ready before its parents need it.
class Lowering {
 public:
  Lowering(const lang::Formula& formula, const Recipe& recipe, const Tuning& tuning)
      : formula_(formula), build_(make_constructions(graph_, recipe, tuning)), literals_(formula.size()) {
    graph_.alphabet = formula.alphabet;
  }

  ir::Graph run() {
    const std::vector<bool> reachable = formula_.reachable();
    for (std::size_t k = 0; k < formula_.size(); ++k)
      if (reachable[k]) literals_[k] = lower(lang::FormulaId(k));
    graph_.output = of(formula_.root);
    return std::move(graph_);
  }

 private:
  Literal of(lang::FormulaId id) const { return literals_[id.index]; }

  Literal lower(lang::FormulaId id) {
    return std::visit(
        Overloaded{[&](const lang::Constant& c) { return graph_.truth(c.value); },
                   [&](const lang::SymbolAtom& atom) {
                     return Literal{graph_.add(ir::SymbolIn{{atom.symbol}}, lang::print_node(formula_, id)), false};
                   },
                   [&](const lang::Unary& unary) { return lower(unary, lang::print_node(formula_, id)); },
                   [&](const lang::Binary& binary) { return lower(binary, lang::print_node(formula_, id)); },
                   [&](const lang::Comparison& comparison) { return lower(comparison, id); },
                   [&](const lang::PositionPredicate& theta) {
                     const PositionFormula formula{PositionFormula::Kind::predicate, formula_[theta.predicate]};
                     return Literal{graph_.add(ir::Position{formula}, to_string(formula)), false};
                   },
                   [&](const lang::CountPredicate& theta) {
                     return build_->predicate_of(formula_[theta.predicate], theta.count.scope, of(theta.count.of),
                                                lang::print_node(formula_, id));
                   }},
        formula_[id]);
  }

  Literal lower(const lang::Unary& unary, const std::string& label) {
    using enum lang::Operator;
    using enum Direction;
    const Literal p = of(unary.arg);
    switch (unary.op) {
      case not_: return !p;
      case previous: return build_->neighbour(past, p, label);
      case next: return build_->neighbour(future, p, label);
      case weak_previous: return !build_->neighbour(past, !p, label);
      case weak_next: return !build_->neighbour(future, !p, label);
      case once: return build_->nearest(past, p, p, label);
      case historically: return build_->nearest(past, !p, p, label);
      case eventually: return build_->nearest(future, p, p, label);
      case always: return build_->nearest(future, !p, p, label);
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE) break;
    }
    internal_error("unary operator", __FILE__, __LINE__);
  }

  /// For the temporal operators, `selected` marks where the nearest decision falls and `value` is the decision; where
  /// nothing is selected, p ∧ ¬q (release: q ∧ ¬p) holds at every visible position, and the value there is the answer.
  Literal lower(const lang::Binary& binary, const std::string& label) {
    using enum lang::Operator;
    using enum Direction;
    const Literal p = of(binary.left), q = of(binary.right);
    const auto both = [&](Literal a, Literal b) { return graph_.conjunction({a, b}); };
    const auto either = [&](Literal a, Literal b) { return graph_.disjunction({a, b}); };
    switch (binary.op) {
      case and_: return graph_.conjunction({p, q}, label);
      case or_: return graph_.disjunction({p, q}, label);
      case implies: return graph_.disjunction({!p, q}, label);
      case iff: return graph_.disjunction({both(p, q), both(!p, !q)}, label);
      case xor_: return graph_.disjunction({both(p, !q), both(!p, q)}, label);
      case since: return build_->nearest(past, either(!p, q), both(p, q), label);
      case until: return build_->nearest(future, either(!p, q), both(p, q), label);
      case standard_since: return build_->nearest(past, either(!p, q), q, label);
      case standard_until: return build_->nearest(future, either(!p, q), q, label);
      case weak_until: return build_->nearest(future, either(!p, q), either(p, q), label);
      case release: return build_->nearest(future, either(!q, p), q, label);
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE) break;
    }
    internal_error("binary operator", __FILE__, __LINE__);
  }

  /// Brings t1 R t2 to Σ c_k κ_k + c ≥ 0 or = 0 with coprime c_k, all small enough to be weights.
  Literal lower(const lang::Comparison& comparison, lang::FormulaId id) {
    std::vector<std::pair<lang::Count, Integer>> parts;
    Integer constant = 0;
    const auto collect = [&](lang::TermId term, Integer factor) {
      for (const lang::Term::Part& part : formula_[term].parts)
        parts.emplace_back(part.count, factor * part.coefficient);
      constant += factor * formula_[term].constant;
    };
    using enum lang::Relation;
    const lang::Relation relation = comparison.relation;
    const bool flipped = relation == less || relation == less_equal;
    collect(comparison.left, flipped ? -1 : 1);
    collect(comparison.right, flipped ? 1 : -1);
    if (relation == less || relation == greater) constant -= 1;  // D > 0 iff D − 1 ≥ 0
    merge_equal(parts);
    const bool equality = relation == equal || relation == not_equal;
    if (!reduce(parts, constant, equality)) return graph_.truth(relation == not_equal);
    std::vector<Constructions::WeightedCount> counts;
    for (const auto& [count, coefficient] : parts) {
      require_weight(coefficient, id);
      counts.push_back({static_cast<double>(coefficient), count.scope, of(count.of), label_of(count)});
    }
    require_weight(constant, id);
    const auto sign = equality ? Constructions::Sign::zero : Constructions::Sign::not_negative;
    const Literal holds =
        build_->linear(counts, static_cast<double>(constant), sign, lang::print_node(formula_, id));
    return relation == not_equal ? !holds : holds;
  }

  static void merge_equal(std::vector<std::pair<lang::Count, Integer>>& parts) {
    std::map<lang::Count, Integer> sums;
    for (const auto& [count, coefficient] : parts) sums[count] += coefficient;
    parts.assign(sums.begin(), sums.end());
    std::erase_if(parts, [](const auto& part) { return part.second == 0; });
  }

  /// Divides by the greatest common divisor g of the coefficients: Σ c_k κ_k ≥ −c iff Σ (c_k/g) κ_k ≥ ⌈−c/g⌉. An
  /// equality whose constant g does not divide never holds: then the result is false.
  static bool reduce(std::vector<std::pair<lang::Count, Integer>>& parts, Integer& constant, bool equality) {
    Integer g = 0;
    for (const auto& part : parts) g = greatest_common_divisor(g, magnitude(part.second));
    if (g <= 1) return true;
    if (equality && constant % g != 0) return false;
    for (auto& part : parts) part.second /= g;
    constant = -ceil_divide(-constant, g);
    return true;
  }

  void require_weight(Integer x, lang::FormulaId id) const {
    if (magnitude(x) <= kLargestWeight) return;
    throw DiagnosticError({Diagnostic{"E106", "a number in this comparison is too large to be a weight",
                                      formula_.span(id),
                                      {"coefficients and constants must stay within 2^53 after simplification"}}});
  }

  std::string label_of(const lang::Count& count) const {
    static constexpr const char* hashes[] = {"#<[", "#>[", "#["};
    return hashes[static_cast<int>(count.scope)] + lang::print_node(formula_, count.of, 40) + "]";
  }

  const lang::Formula& formula_;
  ir::Graph graph_;
  std::unique_ptr<Constructions> build_;
  std::vector<Literal> literals_;
};

}  // namespace

ir::Graph lower(const lang::Formula& formula, const Recipe& recipe, const Tuning& tuning) {
  ir::Graph graph = Lowering(formula, recipe, tuning).run();
  ir::check(graph);
  return graph;
}

}  // namespace quench::lower
