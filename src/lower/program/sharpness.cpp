// Let u(n) = n(n+1)^{−c/4}. Every value of the soft network is within E·u(n) of the hard one's, n ≥ 2 (where n = 1
// there is one key, and no error), with
//
//   E = 0                          of what comes from the embedding, and of Booleans, which are rounded
//   E = Σ |factor|·E(x)            of affine and piecewise-linear functions
//   E = E(v)                       of uniform attention to v
//   E = E(v) + (max v − min v)     of sharp attention to v, since at most u(n) of the weight is wrong:
//
// scores are off by at most S·u(n), S = Σ_l |q_l|E(k_l) + |k_l|E(q_l) + E(q_l)E(k_l). If S·u(n) ≤ 1/(8n³), of the gap
// 1/(2n³) at least 1/(4n³) is left, and the wrong weight is at most (n−1)·exp(−c n³ ln(n+1)/(4n³)) < u(n). That
// condition, 8S·n⁴ ≤ (n+1)^{c/4}, holds for all n ≥ 2 if c ≥ 16 + 4·log₃(8S), where S is the greatest of all heads, at
// least 1. Then u(n) ≤ 1/64, and what is rounded is within 1/16; an integer put out, which counts as a score, is within
// 1/(8n³).
#include "lower/program/sharpness.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/overloaded.h"

namespace quench::lower {
namespace {

using namespace ir;

class ErrorPropagation {
 public:
  explicit ErrorPropagation(const Graph& graph) : graph_(graph) {}

  double greatest_score_error() {
    double greatest = 1;
    for (std::size_t k = 0; k < graph_.size(); ++k) {
      const NodeId id(k);
      if (const auto* attend = std::get_if<Attend>(&graph_[id]))
        for (const Attend::Part& part : attend->parts)
          if (!graph_[part.head].uniform()) greatest = std::max(greatest, score_error(graph_[part.head]));
      errors_.push_back(error(graph_[id]));
    }
    if (graph_.number) greatest = std::max(greatest, errors_[graph_.output.node.index]);
    return greatest;
  }

 private:
  double error(const ir::Node& node) const {
    return std::visit(Overloaded{[&](const Attend& attend) {
                                   double sum = 0;
                                   for (const Attend::Part& part : attend.parts)
                                     sum += std::fabs(part.factor) * error(part);
                                   return sum;
                                 },
                                 [&](const Piecewise& piecewise) {
                                   double sum = error(piecewise.rest);
                                   for (const Piecewise::Unit& unit : piecewise.units)
                                     sum += std::fabs(unit.factor) * error(unit.x);
                                   return sum;
                                 },
                                 [](const auto&) { return 0.0; }},
                      node);
  }

  double error(const Attend::Part& part) const {
    if (graph_[part.head].uniform()) return error(part.value);
    const Range range = graph_.range(part.value);
    QUENCH_ASSERT(range.bounded());
    return error(part.value) + range.high - range.low;
  }

  double error(const Affine& affine) const {
    double sum = 0;
    for (const Affine::Term& term : affine.terms) sum += std::fabs(term.coefficient) * errors_[term.node.index];
    return sum;
  }

  double magnitude(const Affine& affine) const {
    const Range range = graph_.range(affine);
    QUENCH_ASSERT(range.bounded());
    return std::max(std::fabs(range.low), std::fabs(range.high));
  }

  double score_error(const Head& head) const {
    double sum = 0;
    for (const Head::Product& product : head.score) {
      const double q = error(product.query), k = error(product.key);
      sum += magnitude(product.query) * k + magnitude(product.key) * q + q * k;
    }
    return sum;
  }

  const Graph& graph_;
  std::vector<double> errors_;  // E, by node
};

}  // namespace

double sufficient_sharpness(const Graph& graph) {
  const double s = ErrorPropagation(graph).greatest_score_error();
  return std::ceil(16 + 4 * std::log(8 * s) / std::log(3.0) + 0x1p-20);  // what the logarithms round off is far less
}

}  // namespace quench::lower
