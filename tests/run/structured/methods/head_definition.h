// What a head of given numbers is by definition, and how far a fast one may be from it.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "run/structured/methods/head_patterns.h"

namespace quench::test {

template <class T>
Numbers in_format(Numbers numbers) {
  const auto round = [](std::vector<double>& values) {
    for (double& x : values) x = static_cast<double>(static_cast<T>(x));
  };
  for (std::vector<double>& plane : numbers.q) round(plane);
  for (std::vector<double>& plane : numbers.k) round(plane);
  round(numbers.v);
  return numbers;
}

struct Row {
  double mean = 0, greatest_score = 0;
};

inline Row by_definition(const Numbers& x, Mask mask, std::size_t i, std::size_t n) {
  const KeyRange range = visible(mask, i + 1, n);
  std::vector<long double> scores;
  Row row;
  for (std::size_t j = range.first; j <= range.last; ++j) {
    long double score = 0;
    for (std::size_t l = 0; l < x.q.size(); ++l) score += static_cast<long double>(x.q[l][i]) * x.k[l][j - 1];
    scores.push_back(score * x.scale[i]);
    row.greatest_score = std::max(row.greatest_score, static_cast<double>(std::fabs(scores.back())));
  }
  long double best = -INFINITY, total = 0, sum = 0;
  for (const long double score : scores) best = std::max(best, score);
  for (std::size_t s = 0; s < scores.size(); ++s) {
    const long double weight = std::exp(scores[s] - best);
    total += weight;
    sum += weight * x.v[range.first - 1 + s];
  }
  row.mean = scores.empty() ? 0 : static_cast<double>(sum / total);
  return row;
}

/// The bound of run/structured/structured_executor.h, for one row.
inline double allowed(const Row& row, std::size_t n, double u) {
  return std::min(2.0, std::expm1(16 * u * row.greatest_score) + 16 * static_cast<double>(n) * u);
}

}  // namespace quench::test
