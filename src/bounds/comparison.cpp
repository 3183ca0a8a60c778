#include "bounds/comparison.h"

#include <algorithm>
#include <cmath>

namespace quench::bounds {

double sign_length(const ComparisonWeights& weights, double u) {
  if (!weights.mixed()) return 1 / u;
  const double l = std::exp2(std::ceil(std::log2(std::log(1 / (32 * u)))));
  return 1 / (2 * l * u * (std::max(weights.left, weights.right) + weights.all));
}

double lookup_length(const ComparisonWeights& weights, double u) {
  return std::min(1 / std::sqrt(8 * u), 1 / (32 * u * weights.total()));
}

ComparisonBy longer_comparison(const ComparisonWeights& weights, double u) {
  return sign_length(weights, u) >= lookup_length(weights, u) ? ComparisonBy::sign : ComparisonBy::lookup;
}

}  // namespace quench::bounds
