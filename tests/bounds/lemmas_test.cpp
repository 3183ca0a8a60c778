#include "bounds/lemmas.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/number/random.h"

namespace quench::bounds {
namespace {

std::vector<double> softmax(const std::vector<double>& scores) {
  double maximum = scores[0], sum = 0;
  for (const double s : scores) maximum = std::max(maximum, s);
  std::vector<double> weights;
  for (const double s : scores) sum += weights.emplace_back(std::exp(s - maximum));
  for (double& w : weights) w /= sum;
  return weights;
}

double distance_to_one_hot(const std::vector<double>& weights, std::size_t hot) {
  double distance = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) distance += std::fabs(weights[j] - (j == hot));
  return distance;
}

TEST(Lemma6, HoldsAndIsTightInTheMiddleOfALongRow) {
  for (const double gamma : {0.5, 1.0, 2.7726, 3.0, 8.0}) {
    std::vector<double> scores;
    for (int j = 0; j <= 400; ++j) scores.push_back(-gamma * std::abs(j - 200));
    const double distance = distance_to_one_hot(softmax(scores), 200);
    // 401 terms, each operation off by at most 2^-53: the computed distance is within 1000·2^-53 of the true one.
    const double rounding = 1000 * 0x1.0p-53;
    EXPECT_LE(distance, hardmax_distance(gamma) + rounding);
    EXPECT_GE(distance, hardmax_distance(gamma) * (1 - 1e-9));
  }
}

TEST(Lemma7, HoldsForEveryTargetAndOneBeyondEitherEnd) {
  for (const double gamma : {1.0, 2.7726, 3.0, 6.0})
    for (int m = 1; m <= 30; ++m)
      for (int c = 0; c <= m + 1; ++c) {
        std::vector<double> scores;
        for (int j = 1; j <= m; ++j) scores.push_back(gamma * (2.0 * c * j - 1.0 * j * j));
        const std::vector<double> weights = softmax(scores);
        double mean = 0;
        for (int j = 1; j <= m; ++j) mean += weights[static_cast<std::size_t>(j - 1)] * j;
        EXPECT_LE(std::fabs(std::clamp(c, 1, m) - mean), lookup_error(gamma)) << gamma << " " << m << " " << c;
      }
}

TEST(Lemma8, TieBreaksFindTheRightmostAndTheLeftmost) {
  Random random(1);
  const double gamma = 3;
  for (int round = 0; round < 3000; ++round) {
    const std::size_t n = 1 + random.below(40);
    std::vector<double> s(n), a(n), b(n), c(n);
    std::size_t right = 0, left = n;
    for (std::size_t j = 0; j < n; ++j) s[j] = random.chance(0.3);
    const double best = *std::max_element(s.begin(), s.end());
    for (std::size_t j = 0; j < n; ++j) {
      if (s[j] == best) right = j, left = std::min(left, j);
      const double position = static_cast<double>(j + 1), length = static_cast<double>(n);
      a[j] = gamma * length * length * (s[j] - 1 / position);
      b[j] = 2 * gamma * length * (s[j] + position / (2 * length));
      c[j] = 2 * gamma * length * (s[j] - position / (2 * length));
    }
    EXPECT_LE(distance_to_one_hot(softmax(a), right), hardmax_distance(gamma));
    EXPECT_LE(distance_to_one_hot(softmax(b), right), hardmax_distance(gamma));
    EXPECT_LE(distance_to_one_hot(softmax(c), left), hardmax_distance(gamma));
  }
}

TEST(Gamma, SmallestMakesFourTimesTheTailAQuarter) {
  EXPECT_NEAR(4 * std::exp(-smallest_gamma()), 0.25, 1e-15);
  EXPECT_LE(boolean_error(smallest_gamma()), 0.125);
  EXPECT_LE(5.0 / 3 * lookup_error(smallest_gamma()), 0.25);
}

}  // namespace
}  // namespace quench::bounds
