// Random rows for weighting functions, and the plainest definitions to compare them with.
#pragma once

#include <algorithm>
#include <numeric>

#include "attention/numeric.h"
#include "attention/weighting/weighting.h"

namespace quench::attention::testing {

using Vec = std::vector<double>;

// A row of `scores` that sees keys `keys` of `length`, for query `query`.
struct Row {
  Vec scores;
  std::vector<std::size_t> keys;
  std::size_t query = 0, length = 0;
  Vec previous;

  RowContext context() const { return {query, length, keys, previous}; }
};

inline Row random_row(Random& random, std::size_t visible, double scale = 1.5) {
  Row row;
  row.scores = random_vector(random, visible, scale);
  for (std::size_t j = 0; row.keys.size() < visible; ++j)
    if (random.chance(0.7)) row.keys.push_back(j);
  row.length = row.keys.back() + 1 + random.below(3);
  row.query = random.below(row.length);
  row.previous = random_vector(random, row.length);
  double total = 0;
  for (double& p : row.previous) total += p = std::abs(p);
  for (double& p : row.previous) p /= total;
  return row;
}

inline Vec weights_of(const WeightingFunction& f, const Row& row) {
  Vec weights(row.scores.size());
  weigh(f, row.context(), row.scores, weights);
  return weights;
}

// Both sides are sums of at most 40 terms of size ≤ 1 of which each elementary function is good to an ulp, computed by
// different routes: 1e-13 is 450 ulp of 1, above 40 terms × a few roundings each, and far below any wrong formula.
inline constexpr double kSameFormula = 1e-13;

inline void expect_weights(const Vec& got, const Vec& expected, const char* what) {
  EXPECT_LE(max_difference(got, expected), kSameFormula) << what;
}

inline Vec plain_softmax(const Vec& s, double tau) {
  Vec w(s.size());
  double sum = 0;
  for (std::size_t j = 0; j < s.size(); ++j) sum += w[j] = std::exp(s[j] / tau);
  for (double& x : w) x /= sum;
  return w;
}

inline double plain_entropy(const Vec& w) {
  double h = 0;
  for (const double x : w) h -= x > 0 ? x * std::log(x) : 0;
  return h;
}

inline double plain_sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

}  // namespace quench::attention::testing
