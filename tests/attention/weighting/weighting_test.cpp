// Softmax and its relatives, hardmax, adaptive temperatures and noisy forms against their definitions.
#include "attention/weighting/keyed_random.h"
#include "attention/weighting/weighting_rows.h"

namespace quench::attention {
namespace {

using testing::expect_weights;
using testing::plain_entropy;
using testing::plain_softmax;
using testing::random_row;
using testing::random_vector;
using testing::Row;
using testing::Vec;
using testing::weights_of;

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

TEST(Tau, RefusesNegativeTemperatures) {
  EXPECT_THROW(Tau(-1.0).at_row(0, 1), std::runtime_error);
  EXPECT_THROW(Tau(std::nan("")).at_row(0, 1), std::runtime_error);
  EXPECT_EQ(Tau(Temperature::inverse_i_sq).at_row(2, 9), 1.0 / 9);
}

}  // namespace
}  // namespace quench::attention
