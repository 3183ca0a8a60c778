// Sparse weightings (entmax) and those that walk along the keys (stick-breaking, geometric, monotonic).
#include "attention/weighting/weighting_rows.h"

namespace quench::attention {
namespace {

using testing::expect_weights;
using testing::kSameFormula;
using testing::plain_sigmoid;
using testing::plain_softmax;
using testing::random_row;
using testing::random_vector;
using testing::Row;
using testing::Vec;
using testing::weights_of;

// The reference for sparse weightings solves for θ by bisection in the definition Σ max(0, (α−1)z − θ)^{1/(α−1)} = 1.
Vec plain_entmax(const Vec& scores, double alpha, double tau) {
  const auto at = [&](double theta) {
    Vec p;
    for (const double s : scores) p.push_back(std::pow(std::max(0.0, (alpha - 1) * s / tau - theta), 1 / (alpha - 1)));
    return p;
  };
  const double top = (alpha - 1) * *std::max_element(scores.begin(), scores.end()) / tau;
  double low = top - 1, high = top;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    const Vec p = at(middle);
    (std::accumulate(p.begin(), p.end(), 0.0) >= 1 ? low : high) = middle;
  }
  return at(low);
}

TEST(Entmax, SolvesItsDefiningEquation) {
  Random random(4);
  for (int trial = 0; trial < 300; ++trial) {
    const Row row = random_row(random, 1 + random.below(30));
    for (const double alpha : {1.2, 1.5, 1.7, 2.0, 3.0}) {
      // Weights are θ's error to the power 1/(α−1): for α > 2 that is worse than linear near 0, √u = 1.5e-8 at α = 3.
      const double bound =
          alpha > 2
              ? 1e-7
              : kSameFormula * 100;  // (α−1)s/τ reaches 30, its ulp 16 times that of 1, and is raised to the power 5
      const double tau = 0.3 + random.unit();
      const Vec got = weights_of(Entmax{alpha, tau}, row);
      EXPECT_LE(testing::max_difference(got, plain_entmax(row.scores, alpha, tau)), bound) << alpha;
      EXPECT_NEAR(std::accumulate(got.begin(), got.end(), 0.0), 1, 1e-12) << alpha;
    }
    expect_weights(weights_of(Sparsemax{0.8}, row), weights_of(Entmax{2, 0.8}, row), "sparsemax is 2-entmax");
    expect_weights(weights_of(Entmax{1, 0.8}, row), plain_softmax(row.scores, 0.8), "1-entmax is softmax");
  }
}

TEST(Entmax, BisectionAgreesWithTheExactAlgorithms) {
  Random random(5);
  for (int trial = 0; trial < 300; ++trial) {
    const Vec scores = random_vector(random, 1 + random.below(50), 2);
    Vec exact(scores.size()), bisected(scores.size());
    sparsemax(scores, 1, exact);
    entmax_bisect(scores, 2, 1, bisected);
    expect_weights(bisected, exact, "sparsemax");
    entmax15(scores, 1, exact);
    entmax_bisect(scores, 1.5, 1, bisected);
    expect_weights(bisected, exact, "1.5-entmax");
  }
}

// attention/weighting/entmax.h: equal to ahardmax exactly, ties included, iff gap ≥ k^{1−α}/(α−1).
TEST(Entmax, EqualsAhardmaxExactlyFromTheStatedGapOn) {
  Random random(6);
  for (const double alpha : {1.25, 1.5, 2.0, 2.5}) {
    for (std::size_t k = 1; k <= 9; ++k) {
      const double gap = std::pow(static_cast<double>(k), 1 - alpha) / (alpha - 1);
      for (const double margin : {1e-9, 0.01, 1.0, 1e6}) {
        Vec scores(k, 0.25);
        for (int rest = 0; rest < 20; ++rest) scores.push_back(0.25 - gap * (1 + margin) * (1 + random.unit()));
        scores.push_back(0.25 - gap * (1 + margin));
        Vec weights(scores.size()), hard(scores.size());
        Entmax{alpha, 1.0}.forward({}, scores, weights);
        ahardmax(scores, hard);
        EXPECT_EQ(weights, hard) << "α " << alpha << ", k " << k << ", margin " << margin;
        if (alpha != 2) continue;
        Sparsemax{}.forward({}, scores, weights);
        EXPECT_EQ(weights, hard) << "sparsemax, k " << k;
      }
    }
  }
}

TEST(Entmax, DiffersFromAhardmaxJustBelowTheStatedGap) {
  for (const double alpha : {1.25, 1.5, 2.0, 2.5}) {
    for (std::size_t k = 1; k <= 9; ++k) {
      Vec scores(k, 0.0);
      scores.push_back(-std::pow(static_cast<double>(k), 1 - alpha) / (alpha - 1) * (1 - 1e-3));
      Vec weights(scores.size());
      Entmax{alpha, 1.0}.forward({}, scores, weights);
      EXPECT_GT(weights.back(), 0) << "α " << alpha << ", k " << k;
    }
  }
}

TEST(Entmax, SparsemaxAtTemperatureGapIsAhardmaxWhateverTheScale) {
  // sparsemax(s/τ) with τ ≤ gap: the quotient gap is ≥ 1 ≥ 1/k.
  const Vec scores = {7, 7, 6.5, 7, 3, -1e30, 6.5};
  Vec weights(scores.size()), hard(scores.size());
  ahardmax(scores, hard);
  for (const double tau : {0.5, 0.1, 1e-12}) {
    sparsemax(scores, tau, weights);
    EXPECT_EQ(weights, hard) << tau;
  }
}

TEST(StickBreaking, IsTheProductOfItsDefinition) {
  Random random(7);
  for (int trial = 0; trial < 200; ++trial) {
    const Row row = random_row(random, 1 + random.below(25));
    const double tau = 0.4 + random.unit();
    Vec expected;
    for (std::size_t j = 0; j < row.scores.size(); ++j) {
      double a = plain_sigmoid(row.scores[j] / tau);
      for (std::size_t k = j + 1; k < row.scores.size(); ++k) a *= 1 - plain_sigmoid(row.scores[k] / tau);
      expected.push_back(a);
    }
    const Vec got = weights_of(StickBreaking{tau}, row);
    expect_weights(got, expected, "stick-breaking");
    double left = 1;
    for (const double s : row.scores) left *= 1 - plain_sigmoid(s / tau);
    EXPECT_NEAR(remainder(got), left, kSameFormula);
  }
}

TEST(StickBreaking, CoolsToTheRightmostPositiveScore) {
  Random random(8);
  for (int trial = 0; trial < 200; ++trial) {
    Row row = random_row(random, 1 + random.below(60));
    for (double& s : row.scores) s = random.chance(0.1) ? 1 : -1;  // z = 2S − 1 for a Boolean S
    Vec expected(row.scores.size(), 0.0);
    const auto last = std::find(row.scores.rbegin(), row.scores.rend(), 1.0);
    if (last != row.scores.rend()) expected[static_cast<std::size_t>(row.scores.rend() - last) - 1] = 1;
    EXPECT_EQ(weights_of(StickBreaking{0.0}, row), expected);
    // Each key right of the answer keeps σ(−1/τ) ≤ e^{−1/τ} at most, the answer loses that much plus its own miss, keys
    // left of it get at most σ(−1/τ) in all: 1-norm ≤ 2n·e^{−1/τ}. At 1/τ = ln(2n/ε) that is ε.
    const double epsilon = 1e-6, n = static_cast<double>(row.scores.size());
    const Vec warm = weights_of(StickBreaking{1 / std::log(2 * n / epsilon)}, row);
    double distance = 0;
    for (std::size_t j = 0; j < warm.size(); ++j) distance += std::abs(warm[j] - expected[j]);
    EXPECT_LE(distance, epsilon);
  }
}

TEST(GeometricAttention, WalksOutwardsRightBeforeLeft) {
  Random random(9);
  for (int trial = 0; trial < 200; ++trial) {
    const Row row = random_row(random, 1 + random.below(20));
    const auto nearer = [&](std::size_t a, std::size_t b) {  // is key a visited before key b?
      const auto distance = [&](std::size_t j) { return j > row.query ? j - row.query : row.query - j; };
      return distance(a) < distance(b) || (distance(a) == distance(b) && a > b);
    };
    const double tau = 0.5 + random.unit();
    Vec expected;
    for (std::size_t j = 0; j < row.keys.size(); ++j) {
      double a = row.keys[j] == row.query ? 0 : plain_sigmoid(row.scores[j] / tau);
      for (std::size_t k = 0; k < row.keys.size(); ++k)
        if (row.keys[k] != row.query && nearer(row.keys[k], row.keys[j])) a *= 1 - plain_sigmoid(row.scores[k] / tau);
      expected.push_back(a);
    }
    expect_weights(weights_of(GeometricAttention{tau}, row), expected, "geometric");
    const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
    if (total > 0) {
      for (double& a : expected) a /= total;
      EXPECT_LE(testing::max_difference(weights_of(GeometricAttention{tau, true}, row), expected), 1e-12);
    }
  }
}

TEST(MonotonicAttention, IsTheExpectationOfTheWalk) {
  Random random(10);
  for (int trial = 0; trial < 100; ++trial) {
    const Row row = random_row(random, 1 + random.below(12));
    const double tau = 0.5 + random.unit();
    Vec p(row.length, 0.0);
    for (std::size_t t = 0; t < row.keys.size(); ++t) p[row.keys[t]] = plain_sigmoid(row.scores[t] / tau);
    Vec expected;
    for (const std::size_t j : row.keys) {  // Raffel's sum: start at k ≤ j, walk past k … j − 1, stop at j
      double a = 0;
      for (std::size_t k = 0; k <= j; ++k) {
        double walk = row.previous[k];
        for (std::size_t l = k; l < j; ++l) walk *= 1 - p[l];
        a += walk * p[j];
      }
      expected.push_back(a);
    }
    expect_weights(weights_of(MonotonicAttention{tau}, row), expected, "monotonic");
  }
}

TEST(MonotonicAttention, CoolsToTheNextPositiveScore) {
  const MonotonicAttention hard{0.0};
  Row row{{-1, 2, -1, 3, -1}, {0, 1, 2, 3, 4}, 0, 5, Vec(5)};
  MonotonicAttention::before_first(row.previous);
  EXPECT_EQ(weights_of(hard, row), (Vec{0, 1, 0, 0, 0}));
  row.previous = {0, 0, 1, 0, 0};
  EXPECT_EQ(weights_of(hard, row), (Vec{0, 0, 0, 1, 0}));
  row.previous = {0, 0, 0, 0, 1};
  EXPECT_EQ(weights_of(hard, row), (Vec{0, 0, 0, 0, 0}));
}

}  // namespace
}  // namespace quench::attention
