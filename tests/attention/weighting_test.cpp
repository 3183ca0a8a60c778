// Every weighting function against its definition written out here in the plainest way, and every gradient against
// differences.
#include "attention/weighting.h"

#include <gmock/gmock.h>

#include <numeric>

#include "attention/keyed_random.h"
#include "numeric.h"

namespace quench::attention {
namespace {

using testing::random_vector;
using Vec = std::vector<double>;

// A row of `scores` that sees keys `keys` of `length`, for query `query`.
struct Row {
  Vec scores;
  std::vector<std::size_t> keys;
  std::size_t query = 0, length = 0;
  Vec previous;

  RowContext context() const { return {query, length, keys, previous}; }
};

Row random_row(Random& random, std::size_t visible, double scale = 1.5) {
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

Vec weights_of(const WeightingFunction& f, const Row& row) {
  Vec weights(row.scores.size());
  weigh(f, row.context(), row.scores, weights);
  return weights;
}

// Both sides are sums of at most 40 terms of size ≤ 1 of which each elementary function is good to an ulp, computed by
// different routes: 1e-13 is 450 ulp of 1, above 40 terms × a few roundings each, and far below any wrong formula.
constexpr double kSameFormula = 1e-13;

void expect_weights(const Vec& got, const Vec& expected, const char* what) {
  EXPECT_LE(testing::max_difference(got, expected), kSameFormula) << what;
}

Vec plain_softmax(const Vec& s, double tau) {
  Vec w(s.size());
  double sum = 0;
  for (std::size_t j = 0; j < s.size(); ++j) sum += w[j] = std::exp(s[j] / tau);
  for (double& x : w) x /= sum;
  return w;
}

double plain_entropy(const Vec& w) {
  double h = 0;
  for (const double x : w) h -= x > 0 ? x * std::log(x) : 0;
  return h;
}

double plain_sigmoid(double z) { return 1 / (1 + std::exp(-z)); }

TEST(Softmax, IsItsDefinitionAtEveryTemperature) {
  Random random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const Row row = random_row(random, 1 + random.below(40));
    const double tau = std::exp(2 * testing::normal(random));
    expect_weights(weights_of(Softmax{tau}, row), plain_softmax(row.scores, tau), "softmax");
    expect_weights(weights_of(LogSoftmax{tau}, row), plain_softmax(row.scores, tau), "log softmax");
  }
}

TEST(Softmax, TakesTheTemperatureOfItsPositionAndLength) {
  Random random(2);
  for (int trial = 0; trial < 50; ++trial) {
    const Row row = random_row(random, 9);
    const double i = static_cast<double>(row.query + 1), n = static_cast<double>(row.length);
    const Tau tau([](std::size_t a, std::size_t b) { return static_cast<double>(a) / static_cast<double>(b + 1); });
    expect_weights(weights_of(Softmax{tau}, row), plain_softmax(row.scores, i / (n + 1)), "τ(i, n)");
    expect_weights(weights_of(Softmax{Temperature::inverse_n}, row), plain_softmax(row.scores, 1 / n), "1/n");
    expect_weights(weights_of(Softmax{Temperature::inverse_i}, row), plain_softmax(row.scores, 1 / i), "1/i");
  }
}

TEST(Softmax, LogWeightsStayFiniteWhereWeightsUnderflow) {
  const Vec scores = {0, -2000, -5};
  Vec log_weights(3);
  log_softmax(scores, 1, log_weights);
  EXPECT_NEAR(log_weights[1], -2000 - std::log1p(std::exp(-5.0)),
              2000 * 0x1p-52);  // one rounding of a number near 2000
  EXPECT_EQ(weights_of(Softmax{}, {scores, {0, 1, 2}, 0, 3, {}})[1], 0);
}

TEST(Softmax, LogSoftmaxHasItsOwnGradient) {
  Random random(3);
  for (int trial = 0; trial < 20; ++trial) {
    Vec s = random_vector(random, 7), g = random_vector(random, 7), log_weights(7), d(7);
    double tau = 0.7;
    log_softmax(s, tau, log_weights);
    const double d_tau = log_softmax_backward(s, tau, log_weights, g, d);
    const auto loss = [&] {
      Vec l(7);
      log_softmax(s, tau, l);
      return std::inner_product(l.begin(), l.end(), g.begin(), 0.0);
    };
    testing::expect_gradient(d, s, loss, "scores");
    testing::expect_gradient(Vec{d_tau}, {&tau, 1}, loss, "τ");
  }
}

TEST(Hardmax, PicksTheMaximisersExactly) {
  const Row row{{1, 3, -2, 3, 3, 0}, {0, 1, 2, 3, 4, 5}, 0, 6, {}};
  EXPECT_EQ(weights_of(Hardmax{Weighting::lhardmax}, row), (Vec{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(weights_of(Hardmax{Weighting::rhardmax}, row), (Vec{0, 0, 0, 0, 1, 0}));
  EXPECT_EQ(weights_of(Hardmax{Weighting::ahardmax}, row), (Vec{0, 1. / 3, 0, 1. / 3, 1. / 3, 0}));
}

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

// theory 4.5: equal to ahardmax exactly, ties included, iff gap ≥ k^{1−α}/(α−1).
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

TEST(ScalableSoftmax, SharpensWithTheLogarithmOfTheLength) {
  Random random(11);
  for (int trial = 0; trial < 100; ++trial) {
    const Row row = random_row(random, 2 + random.below(30));
    const double k = static_cast<double>(row.scores.size());
    expect_weights(weights_of(ScalableSoftmax{0.6}, row), plain_softmax(row.scores, 1 / (0.6 * std::log(k))), "SSMax");
  }
  EXPECT_EQ(weights_of(ScalableSoftmax{0.6}, {{-3}, {0}, 0, 1, {}}), Vec{1});
}

TEST(EntropyAdaptive, SharpensDiffuseRowsOnly) {
  Random random(12);
  int sharpened = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const Row row = random_row(random, 1 + random.below(40), random.chance(0.5) ? 4 : 1);
    const double h = plain_entropy(plain_softmax(row.scores, 1));
    const double p = -0.037 * std::pow(h, 4) + 0.481 * std::pow(h, 3) - 2.3 * h * h + 4.917 * h - 1.791;
    const double beta = h > 0.5 ? std::max(1.0, p) : 1.0;
    sharpened += beta > 1;
    expect_weights(weights_of(EntropyAdaptive{}, row), plain_softmax(row.scores, 1 / beta), "adaptive");
  }
  EXPECT_GT(sharpened, 50);
  EXPECT_LT(sharpened, 200);
}

TEST(GapAdaptive, StaysWithinEpsilonOfAhardmax) {
  Random random(13);
  for (int trial = 0; trial < 300; ++trial) {
    Row row = random_row(random, 1 + random.below(40), std::pow(10.0, random.between(-20, 20)));
    for (double& s : row.scores)
      if (random.chance(0.3)) s = row.scores[0];  // ties
    for (const double epsilon : {1e-2, 1e-6, 1e-12}) {
      const Vec got = weights_of(GapAdaptive{epsilon}, row);
      Vec hard(got.size());
      ahardmax(row.scores, hard);
      double distance = 0;
      for (std::size_t j = 0; j < got.size(); ++j) distance += std::abs(got[j] - hard[j]);
      EXPECT_LE(distance, epsilon + 1e-14);  // 40 weights rounded to an ulp of at most 1
    }
  }
}

TEST(GapAdaptive, TakesItsTemperatureFromTheTopTwoScores) {
  Random random(14);
  for (int trial = 0; trial < 100; ++trial) {
    const Row row = random_row(random, 2 + random.below(30));
    Vec sorted = row.scores;
    std::sort(sorted.rbegin(), sorted.rend());
    const double tau = (sorted[0] - sorted[1]) / std::log(2 * static_cast<double>(sorted.size()) / 0.01);
    Vec shifted = row.scores;
    for (double& s : shifted) s -= sorted[0];  // the gap may be tiny, and exp(s/τ) of the raw scores would overflow
    expect_weights(weights_of(GapAdaptive{0.01}, row), plain_softmax(shifted, tau), "gap-adaptive");
  }
}

TEST(GumbelSoftmax, IsSoftmaxOfTheNoisyScores) {
  Random random(15);
  for (int trial = 0; trial < 50; ++trial) {
    const Row row = random_row(random, 12);
    const std::uint64_t seed = random.bits();
    Vec noisy = row.scores;
    for (std::size_t t = 0; t < noisy.size(); ++t) noisy[t] += keyed_gumbel(seed, row.query, row.keys[t]);
    expect_weights(weights_of(GumbelSoftmax{0.7, seed}, row), plain_softmax(noisy, 0.7), "Gumbel");
    Vec hard(noisy.size());
    lhardmax(noisy, hard);
    EXPECT_EQ(weights_of(GumbelSoftmax{0.7, seed, true}, row), hard);
    EXPECT_EQ(weights_of(GumbelSoftmax{0.0, seed}, row), hard) << "the limit τ → 0";
  }
}

TEST(StraightThrough, GoesForwardHardAndBackwardSoft) {
  Random random(16);
  const Row row = random_row(random, 9);
  const Vec g = random_vector(random, 9);
  Vec hard(9), soft(9), d_soft(9), d(9);
  lhardmax(row.scores, hard);
  EXPECT_EQ(weights_of(StraightThrough{0.5}, row), hard);
  softmax(row.scores, 0.5, soft);
  softmax_backward(row.scores, 0.5, soft, g, d_soft);
  RowGradient gradient{.scores = d, .previous = {}};
  StraightThrough{0.5}.backward(row.context(), row.scores, hard, g, gradient);
  EXPECT_EQ(d, d_soft);
}

// Gradients of everything that has one, by differences, to scores, to τ and to the previous row.
struct Differentiable {
  const char* name;
  std::function<WeightingFunction(double parameter)> make;
  double parameter;
};

const std::vector<Differentiable>& differentiable() {
  static const std::vector<Differentiable> all = {
      {"softmax", [](double t) { return Softmax{t}; }, 0.8},
      {"log softmax", [](double t) { return LogSoftmax{t}; }, 1.3},
      {"scalable softmax", [](double s) { return ScalableSoftmax{s}; }, 0.6},
      {"sparsemax", [](double t) { return Sparsemax{t}; }, 1.1},
      {"1.5-entmax",
       [](double t) {
         return Entmax{1.5, t};
       },
       0.9},
      {"1.3-entmax",
       [](double t) {
         return Entmax{1.3, t};
       },
       0.9},
      {"stick-breaking", [](double t) { return StickBreaking{t}; }, 0.7},
      {"geometric", [](double t) { return GeometricAttention{t}; }, 0.7},
      {"geometric, normalised",
       [](double t) {
         return GeometricAttention{t, true};
       },
       0.7},
      {"monotonic", [](double t) { return MonotonicAttention{t}; }, 0.7},
      {"entropy-adaptive", [](double) { return EntropyAdaptive{}; }, 0.0},
      {"gap-adaptive", [](double e) { return GapAdaptive{e}; }, 0.3},
      {"Gumbel",
       [](double t) {
         return GumbelSoftmax{t, 77};
       },
       0.9},
  };
  return all;
}

// Kinks: keep a distance from every change of support or order that the differences (±2h = 2e-3) could cross.
bool near_a_kink(const Differentiable& f, const Row& row) {
  Vec sorted = row.scores;
  std::sort(sorted.rbegin(), sorted.rend());
  if (std::string(f.name) == "gap-adaptive") return sorted[0] - sorted[1] < 0.5 || sorted[1] - sorted[2] < 0.02;
  if (std::string(f.name) == "entropy-adaptive") {
    const double h = plain_entropy(plain_softmax(row.scores, 1));
    const auto active = [](double entropy) { return EntropyAdaptive::sharpness(entropy) > 1; };
    return active(h + 0.02) != active(h - 0.02);
  }
  if (std::string(f.name).find("max") == std::string::npos || std::string(f.name).find("soft") != std::string::npos)
    return false;
  // Sparse: does any key's membership of the support change when it, or the rest, moves by 0.02?
  Vec weights(row.scores.size()), moved(row.scores.size());
  weigh(f.make(f.parameter), row.context(), row.scores, weights);
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    for (const double step : {-0.02, 0.02}) {
      Vec s = row.scores;
      s[j] += step;
      weigh(f.make(f.parameter), row.context(), s, moved);
      for (std::size_t k = 0; k < s.size(); ++k)
        if ((moved[k] > 0) != (weights[k] > 0)) return true;
    }
  return false;
}

TEST(Weighting, GradientsAreThoseOfDifferences) {
  Random random(17);
  for (const Differentiable& f : differentiable()) {
    int checked = 0;
    for (int trial = 0; trial < 120; ++trial) {
      Row row = random_row(random, 3 + random.below(8), 1);
      if (near_a_kink(f, row)) continue;
      ++checked;
      const std::size_t k = row.scores.size();
      const Vec g = random_vector(random, k);
      double parameter = f.parameter;
      const auto loss = [&] {
        Vec w(k);
        weigh(f.make(parameter), row.context(), row.scores, w);
        return std::inner_product(w.begin(), w.end(), g.begin(), 0.0);
      };
      Vec d_scores(k), d_previous(row.length, 0.0);
      RowGradient gradient{.scores = d_scores, .previous = d_previous};
      weigh_backward(f.make(parameter), row.context(), row.scores, weights_of(f.make(parameter), row), g, gradient);
      testing::expect_gradient(d_scores, row.scores, loss, f.name);
      testing::expect_gradient(Vec{gradient.parameter}, {&parameter, 1}, loss, f.name);
      if (is_recurrent(f.make(parameter))) testing::expect_gradient(d_previous, row.previous, loss, f.name);
    }
    EXPECT_GE(checked, 20) << f.name;
  }
}

TEST(Weighting, AnEmptyRowIsNobodysProblem) {
  for (const Differentiable& f : differentiable()) {
    const Row row{{}, {}, 0, 3, Vec(3, 1.0 / 3)};
    EXPECT_TRUE(weights_of(f.make(f.parameter), row).empty()) << f.name;
    RowGradient gradient;
    Vec d_previous(3, 0.0);
    gradient.previous = d_previous;
    weigh_backward(f.make(f.parameter), row.context(), {}, {}, {}, gradient);
    EXPECT_EQ(gradient.parameter, 0) << f.name;
  }
}

TEST(Tau, RefusesNegativeTemperatures) {
  EXPECT_THROW(Tau(-1.0).at_row(0, 1), std::runtime_error);
  EXPECT_THROW(Tau(std::nan("")).at_row(0, 1), std::runtime_error);
  EXPECT_EQ(Tau(Temperature::inverse_i_sq).at_row(2, 9), 1.0 / 9);
}

}  // namespace
}  // namespace quench::attention
