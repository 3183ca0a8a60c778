#include "ir/interpret.h"

#include <algorithm>

#include "base/error.h"
#include "base/overloaded.h"
#include "base/tied_keys.h"

namespace quench::ir {
namespace {

using Values = std::vector<mpq_class>;

class Interpreter {
 public:
  Interpreter(const Graph& graph, const Word& word, const PredicateMeaning& holds)
      : graph_(graph), word_(word), holds_(holds), n_(word.size()) {}

  std::vector<Values> run() {
    for (std::size_t k = 0; k < graph_.size(); ++k) values_.push_back(evaluate(graph_[NodeId(k)]));
    return std::move(values_);
  }

 private:
  Values evaluate(const Node& node) {
    if (const auto* attend = std::get_if<Attend>(&node)) return evaluate(*attend);
    Values result(n_);
    for (std::size_t i = 1; i <= n_; ++i)
      result[i - 1] = std::visit(
          Overloaded{[&](const SymbolIn& in) -> mpq_class {
                       return std::binary_search(in.symbols.begin(), in.symbols.end(), word_[i - 1]) ? 1 : 0;
                     },
                     [&](const Position& position) { return at(position.formula, i); },
                     [&](const And& conjunction) -> mpq_class {
                       return std::all_of(conjunction.literals.begin(), conjunction.literals.end(),
                                          [&](Literal literal) { return at(literal, i) == 1; });
                     },
                     [&](const Threshold& t) -> mpq_class { return decide(at(t.x, i), t); },
                     [&](const IsZero& zero) -> mpq_class {
                       const mpq_class x = abs(at(zero.x, i));
                       QUENCH_ASSERT(x <= mpq_class(1, 4) || x >= mpq_class(3, 4));
                       return x < mpq_class(1, 2) ? 1 : 0;
                     },
                     [&](const Piecewise& p) -> mpq_class {
                       mpq_class sum = at(p.rest, i);
                       for (const Piecewise::Unit& unit : p.units) {
                         const mpq_class x = at(unit.x, i);
                         if (x > 0) sum += mpq_class(unit.factor) * x;
                       }
                       QUENCH_ASSERT(!p.boolean || sum == 0 || sum == 1);
                       return sum;
                     },
                     [](const Attend&) { return mpq_class(0); }},
          node);
    return result;
  }

  static int decide(const mpq_class& x, const Threshold& t) {
    QUENCH_ASSERT(x <= t.no || x >= t.yes);
    QUENCH_ASSERT((t.low == -std::numeric_limits<double>::infinity() || x >= t.low) &&
                  (t.high == std::numeric_limits<double>::infinity() || x <= t.high));
    return x >= t.yes ? 1 : 0;
  }

  Values evaluate(const Attend& attend) {
    Values sum(n_);
    for (const Attend::Part& part : attend.parts) {
      const Values mean = evaluate(part);
      for (std::size_t i = 0; i < n_; ++i) sum[i] += mpq_class(part.factor) * mean[i];
    }
    return sum;
  }

  Values evaluate(const Attend::Part& part) {
    const Head& head = graph_[part.head];
    Values value(n_), result(n_);
    for (std::size_t j = 1; j <= n_; ++j) value[j - 1] = at(part.value, j);
    for (std::size_t i = 1; i <= n_; ++i) {
      if (head.stays_soft()) {
        result[i - 1] = sink_mean(head, i, value);
        continue;
      }
      const std::vector<std::size_t> chosen = attended(head, i);
      for (const std::size_t j : chosen) result[i - 1] += value[j - 1];
      if (!chosen.empty()) result[i - 1] /= static_cast<unsigned long>(chosen.size());
    }
    return result;
  }

  /// Softmax at τ = 1 where every score is a sum of logarithms: weights are the products of what stands under them.
  mpq_class sink_mean(const Head& head, std::size_t i, const Values& value) {
    QUENCH_ASSERT(head.temperature == Temperature::one);
    const KeyRange keys = visible(head.mask, i, n_);
    mpq_class sum = 0, total = 0;
    for (std::size_t j = keys.first; j <= keys.last; ++j) {
      mpq_class weight = 1;
      for (const Head::Product& product : head.score)
        if (at(product.key, j) == 1) weight *= at(product.query, i);  // the value of log(x) in here is x: see below
      sum += weight * value[j - 1];
      total += weight;
    }
    return sum / total;
  }

  /// The positions that the intended hard attention of `head` chooses at i.
  std::vector<std::size_t> attended(const Head& head, std::size_t i) {
    const KeyRange keys = visible(head.mask, i, n_);
    std::vector<std::size_t> best;
    mpq_class maximum;
    for (std::size_t j = keys.first; j <= keys.last; ++j) {
      mpq_class score = 0;
      for (const Head::Product& product : head.score) score += at(product.query, i) * at(product.key, j);
      if (best.empty() || score > maximum) {
        best.clear();
        maximum = score;
      }
      if (score == maximum) best.push_back(j);
    }
    return sharing_keys(head.intended, std::move(best));
  }

  mpq_class at(const Affine& affine, std::size_t i) const {
    mpq_class sum = affine.constant;
    for (const Affine::Term& term : affine.terms) sum += mpq_class(term.coefficient) * values_[term.node.index][i - 1];
    return sum;
  }

  mpq_class at(const PositionFormula& formula, std::size_t position) const {
    using Kind = PositionFormula::Kind;
    const mpq_class i = static_cast<unsigned long>(position), n = static_cast<unsigned long>(n_);
    switch (formula.kind) {
      case Kind::index: return i;
      case Kind::index_sq: return i * i;
      case Kind::length: return n;
      case Kind::index_length: return i * n;
      case Kind::index_sq_length: return i * i * n;
      case Kind::index_over_length: return i / n;
      case Kind::index_over_length_sq: return i * i / (n * n);
      case Kind::inverse_index: return 1 / i;
      case Kind::inverse_remaining: return 1 / (n - i + 1);
      case Kind::alternating: return position % 2 == 0 ? 1 : -1;
      case Kind::index_over_power: return i / power();
      case Kind::inverse_length: return 1 / n;
      // Not a rational number: kept as what stands under the logarithm, which only soft heads read (ir::check).
      case Kind::log_index: return i;
      case Kind::log_remaining: return n - i + 1;
      case Kind::index_alternating: return position % 2 == 0 ? i : -i;
      case Kind::digit_0: return static_cast<unsigned long>(position % 256);
      case Kind::digit_1: return static_cast<unsigned long>(position / 256 % 256);
      case Kind::digit_2: return static_cast<unsigned long>(position / 65536 * 256);
      case Kind::digit_0_over_power: return static_cast<unsigned long>(position % 256) / power();
      case Kind::digit_1_over_power: return static_cast<unsigned long>(position / 256 % 256 * 256) / power();
      case Kind::digit_2_over_power: return static_cast<unsigned long>(position / 65536 * 65536) / power();
      case Kind::table: return mpq_class(formula.table.at(position - 1));
      case Kind::predicate: return theta(*formula.predicate, position);
      case Kind::predicate_at_zero: return theta(*formula.predicate, 0);
    }
    return 0;
  }

  mpq_class power() const { return static_cast<unsigned long>(power_above(n_)); }

  mpq_class theta(const Predicate& predicate, std::size_t x) const {
    return holds_(predicate, static_cast<std::int64_t>(x), static_cast<std::int64_t>(n_)) ? 1 : 0;
  }

  const Graph& graph_;
  const Word& word_;
  const PredicateMeaning& holds_;
  std::size_t n_;
  std::vector<Values> values_;
};

}  // namespace

std::vector<Values> interpret_all(const Graph& graph, const Word& word, const PredicateMeaning& holds) {
  return Interpreter(graph, word, holds).run();
}

std::vector<std::uint8_t> interpret(const Graph& graph, const Word& word, const PredicateMeaning& holds) {
  const std::vector<Values> values = interpret_all(graph, word, holds);
  std::vector<std::uint8_t> result;
  for (const mpq_class& value : values[graph.output.node.index]) result.push_back((value == 1) != graph.output.negated);
  return result;
}

}  // namespace quench::ir
