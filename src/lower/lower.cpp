#include "lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/overloaded.h"
#include "lang/print/print.h"
#include "lang/sharing.h"
#include "lower/comparison.h"
#include "lower/congruence.h"
#include "lower/constructions.h"

namespace quench::lower {
namespace {

using ir::Literal;

/// Lowers the nodes of one formula in order; a node's literal is ready before its parents need it.
class Lowering {
 public:
  Lowering(const lang::Formula& formula, const Recipe& recipe, const Tuning& tuning)
      : formula_(formula),
        recipe_(recipe),
        build_(make_constructions(graph_, recipe, tuning)),
        literals_(formula.size()) {
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
                     return Literal{graph_.add(ir::SymbolIn{{atom.symbol}}, label_of(id)), false};
                   },
                   [&](const lang::Unary& unary) { return lower(unary, label_of(id)); },
                   [&](const lang::Binary& binary) { return lower(binary, label_of(id)); },
                   [&](const lang::Comparison& comparison) { return lower(comparison, id); },
                   [&](const lang::PositionPredicate& theta) {
                     const PositionFormula formula{PositionFormula::Kind::predicate, formula_[theta.predicate]};
                     const std::string& name = formula_.names.of(id);
                     return Literal{graph_.add(ir::Position{formula}, name.empty() ? to_string(formula) : name), false};
                   },
                   [&](const lang::CountPredicate& theta) {
                     return build_->predicate_of(formula_[theta.predicate], theta.count.scope, of(theta.count.of),
                                                 label_of(id));
                   },
                   [&](const lang::Congruence& theta) { return lower(theta, id); }},
        formula_[id]);
  }

  Literal lower(const lang::Unary& unary, const std::string& label) {
    using enum lang::Operator;
    using enum Direction;
    const Literal p = of(unary.arg);
    switch (unary.op) {
      case not_:
        return !p;
      case previous:
        return build_->neighbour(past, p, label);
      case next:
        return build_->neighbour(future, p, label);
      case weak_previous:
        return !build_->neighbour(past, !p, label);
      case weak_next:
        return !build_->neighbour(future, !p, label);
      case once:
        return build_->nearest(past, p, p, label);
      case historically:
        return build_->nearest(past, !p, p, label);
      case eventually:
        return build_->nearest(future, p, p, label);
      case always:
        return build_->nearest(future, !p, p, label);
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
      case and_:
        return graph_.conjunction({p, q}, label);
      case or_:
        return graph_.disjunction({p, q}, label);
      case implies:
        return graph_.disjunction({!p, q}, label);
      case iff:
        return graph_.disjunction({both(p, q), both(!p, !q)}, label);
      case xor_:
        return graph_.disjunction({both(p, !q), both(!p, q)}, label);
      case since:
        return build_->nearest(past, either(!p, q), both(p, q), label);
      case until:
        return build_->nearest(future, either(!p, q), both(p, q), label);
      case standard_since:
        return build_->nearest(past, either(!p, q), q, label);
      case standard_until:
        return build_->nearest(future, either(!p, q), q, label);
      case weak_until:
        return build_->nearest(future, either(!p, q), either(p, q), label);
      case release:
        return build_->nearest(future, either(!q, p), q, label);
        QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE) break;
    }
    internal_error("binary operator", __FILE__, __LINE__);
  }

  Literal lower(const lang::Comparison& node, lang::FormulaId id) {
    const LinearComparison comparison = normal_form(formula_, node);
    if (const std::optional<bool> truth = decided(comparison)) return graph_.truth(*truth);
    std::vector<Constructions::WeightedCount> counts;
    for (const auto& [count, coefficient] : comparison.parts)
      counts.push_back({coefficient, count.scope, of(count.of), label_of(count)});
    const auto sign = comparison.equality ? Constructions::Sign::zero : Constructions::Sign::not_negative;
    const double length = build_->double_length(counts, comparison.constant, sign);
    if (!(length >= build_->assured_length())) refuse(id, length);
    const Literal holds = build_->linear(counts, comparison.constant, sign, label_of(id));
    return comparison.opposite ? !holds : holds;
  }

  Literal lower(const lang::Congruence& node, lang::FormulaId id) {
    const CongruenceParts parts = congruence_parts(formula_, node);
    if (!parts.tractable)
      throw DiagnosticError(
          {Diagnostic{"E109",
                      "a sum of several counts modulo so large a number takes too many cases",
                      formula_.span(id),
                      {fmt::format("the modulus of several counts is at most {}; of one count it may be any number",
                                   kMostCases)}}});
    std::vector<std::vector<Literal>> rests;
    for (const CongruenceParts::Part& part : parts.counts) {
      const std::string count = label_of(part.count);
      rests.emplace_back();
      for (const Predicate& rest : part.rests)
        rests.back().push_back(
            build_->predicate_of(rest, part.count.scope, of(part.count.of), rest.name + "(" + count + ")"));
    }
    return sum_in_class(graph_, parts, rests, label_of(id));
  }

  [[noreturn]] void refuse(lang::FormulaId id, double length) const {
    throw DiagnosticError({Diagnostic{
        "E106",
        "the numbers of this comparison are too large for double precision",
        formula_.span(id),
        {length < 1 ? fmt::format("with them a network of recipe {} is right at no length", recipe_.name)
                    : fmt::format("with them a network of recipe {} is right only up to length {:.0f}; {:.0f} is the "
                                  "least that is written",
                                  recipe_.name, std::floor(length), build_->assured_length()),
         "what counts is the sum of the coefficients and the constant, after division by a common factor"}}});
  }

  std::string label_of(lang::FormulaId id) const { return lang::print_node(formula_, id, longest_label_); }
  std::string label_of(const lang::Count& count) const {
    static constexpr const char* hashes[] = {"#<[", "#>[", "#["};
    return hashes[static_cast<int>(count.scope)] + label_of(count.of) + "]";
  }

  const lang::Formula& formula_;
  const std::size_t longest_label_ = lang::longest_label(formula_);
  const Recipe& recipe_;
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
