#include "attention/health/regulariser.h"

#include <algorithm>
#include <cmath>

#include "attention/weighting/adaptive.h"
#include "base/overloaded.h"

namespace quench::attention {

namespace {

// The factor of H in the loss, per row.
double entropy_factor(const Regulariser& term, std::size_t rows) {
  const double n = static_cast<double>(rows);
  return std::visit(
      Overloaded{[&](const EntropyPenalty& t) { return t.lambda / n; },
                 [&](const EntropyBonus& t) { return -t.lambda / n; }, [](const CoverageLoss&) { return 0.0; }},
      term);
}

}  // namespace

bool needs_coverage(const Regulariser& term) { return std::holds_alternative<CoverageLoss>(term); }

double regularisation(const Regulariser& term, std::span<const double> weights, std::span<const double> coverage,
                      std::size_t rows) {
  if (!needs_coverage(term)) return entropy_factor(term, rows) * entropy(weights);
  double overlap = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) overlap += std::min(weights[j], coverage[j]);
  return std::get<CoverageLoss>(term).lambda / static_cast<double>(rows) * overlap;
}

void regularisation_backward(const Regulariser& term, std::span<const double> weights, std::span<const double> coverage,
                             std::size_t rows, std::span<double> d_weights, std::span<double> d_coverage) {
  if (needs_coverage(term)) {
    const double lambda = std::get<CoverageLoss>(term).lambda / static_cast<double>(rows);
    for (std::size_t j = 0; j < weights.size(); ++j) (weights[j] <= coverage[j] ? d_weights : d_coverage)[j] += lambda;
    return;
  }
  const double factor = entropy_factor(term, rows);
  for (std::size_t j = 0; j < weights.size(); ++j)
    if (weights[j] > 0) d_weights[j] -= factor * (std::log(weights[j]) + 1);
}

}  // namespace quench::attention
