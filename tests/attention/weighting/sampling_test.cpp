// Dropout, noise, samples and estimators against their statistics. Every bound is six standard deviations of what is
// averaged: a correct implementation misses one with probability 2e-9, and the seeds are fixed besides.
#include <numeric>

#include "attention/attention.h"
#include "attention/numeric.h"
#include "attention/weighting/keyed_random.h"
#include "base/error.h"

namespace quench::attention {
namespace {

using testing::random_matrix;
using Vec = std::vector<double>;

constexpr double kSigmas = 6;

TEST(Dropout, DropsWithItsProbabilityAndKeepsTheMean) {
  const std::size_t rows = 200, keys = 500;
  const double count = static_cast<double>(rows * keys);
  for (const double p : {0.1, 0.5, 0.9}) {
    const Dropout dropout{p, 12345};
    double dropped = 0, sum = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < keys; ++j) {
        const double factor = dropout.factor(i, j);
        dropped += factor == 0;
        sum += factor;
        EXPECT_TRUE(factor == 0 || factor == 1 / (1 - p));
      }
    EXPECT_NEAR(dropped / count, p, kSigmas * std::sqrt(p * (1 - p) / count));
    EXPECT_NEAR(sum / count, 1, kSigmas * std::sqrt(p / (1 - p) / count));  // variance of the factor: p/(1 − p)
  }
}

TEST(Dropout, NeighboursSeedsAndRowsAreIndependent) {
  // The product of two independent centred indicators of probability ½ is ±¼ with mean 0: standard deviation ¼/√count.
  const std::size_t rows = 200, keys = 500;
  const double count = static_cast<double>(rows * keys);
  const Dropout a{0.5, 7}, b{0.5, 8};
  const auto centred = [](const Dropout& d, std::size_t i, std::size_t j) { return d.factor(i, j) == 0 ? 0.5 : -0.5; };
  double by_key = 0, by_row = 0, by_seed = 0, swapped = 0;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < keys; ++j) {
      by_key += centred(a, i, j) * centred(a, i, j + 1);
      by_row += centred(a, i, j) * centred(a, i + 1, j);
      by_seed += centred(a, i, j) * centred(b, i, j);
      swapped += i == j ? 0 : centred(a, i, j) * centred(a, j, i);
    }
  for (const double sum : {by_key, by_row, by_seed}) EXPECT_NEAR(sum / count, 0, kSigmas * 0.25 / std::sqrt(count));
  // Pairs (i, j) and (j, i) with both below 200 occur twice, so their sum has up to twice the standard deviation.
  EXPECT_NEAR(swapped / count, 0, 2 * kSigmas * 0.25 / std::sqrt(count));
}

TEST(Dropout, TheExpectedOutputIsTheOutputWithoutIt) {
  Random random(1);
  const Matrix q = random_matrix(random, 1, 3), k = random_matrix(random, 6, 3), v = random_matrix(random, 6, 1);
  const Matrix w = weights({}, q, k), exact = attend({}, q, k, v);
  const double p = 0.3;
  double variance = 0;  // of one output: Σ α²v²·p/(1 − p)
  for (std::size_t j = 0; j < 6; ++j) variance += w(0, j) * w(0, j) * v(j, 0) * v(j, 0) * p / (1 - p);
  const int samples = 20000;
  double sum = 0;
  for (int s = 0; s < samples; ++s)
    sum += attend({.dropout = Dropout{p, static_cast<std::uint64_t>(s)}}, q, k, v)(0, 0);
  EXPECT_NEAR(sum / samples, exact(0, 0), kSigmas * std::sqrt(variance / samples));
}

TEST(Gumbel, NoiseHasTheMomentsOfTheDistribution) {
  // Mean γ = 0.5772…, variance π²/6; the fourth central moment is 27/5 of the variance squared, so the variance of the
  // sample variance is (27/5 − 1)·(π²/6)²/count.
  const std::size_t count = 100000;
  double sum = 0, squares = 0;
  for (std::size_t j = 0; j < count; ++j) sum += keyed_gumbel(3, 5, j);
  const double mean = sum / static_cast<double>(count);
  for (std::size_t j = 0; j < count; ++j) squares += std::pow(keyed_gumbel(3, 5, j) - mean, 2);
  const double n = static_cast<double>(count), variance = M_PI * M_PI / 6;
  EXPECT_NEAR(mean, 0.57721566490153286, kSigmas * std::sqrt(variance / n));
  EXPECT_NEAR(squares / n, variance, kSigmas * variance * std::sqrt(4.4 / n));
}

// Frequencies of a one-hot weighting over many seeds against the probabilities.
template <class Make>
void expect_frequencies(Make make, const Vec& scores, const Vec& probabilities) {
  const int samples = 20000;
  std::vector<std::size_t> keys(scores.size());
  std::iota(keys.begin(), keys.end(), std::size_t{0});
  Vec counts(scores.size(), 0.0), w(scores.size());
  for (int s = 0; s < samples; ++s) {
    weigh(make(static_cast<std::uint64_t>(s)), {3, scores.size(), keys}, scores, w);
    EXPECT_EQ(std::accumulate(w.begin(), w.end(), 0.0), 1);
    for (std::size_t j = 0; j < w.size(); ++j) counts[j] += w[j];
  }
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double p = probabilities[j];
    EXPECT_NEAR(counts[j] / samples, p, kSigmas * std::sqrt(p * (1 - p) / samples)) << j;
  }
}

TEST(Gumbel, TheHardFormSamplesFromSoftmax) {
  const Vec scores = {0.3, -1, 1.2, 0, -3};
  Vec p(5);
  softmax(scores, 1, p);
  expect_frequencies([](std::uint64_t seed) { return GumbelSoftmax{0.5, seed, true}; }, scores, p);
}

TEST(SampledHard, SamplesFromSoftmaxAtItsTemperature) {
  const Vec scores = {0.3, -1, 1.2, 0, -3};
  Vec p(5);
  softmax(scores, 0.6, p);
  expect_frequencies([](std::uint64_t seed) { return SampledHard{0.6, seed}; }, scores, p);
  expect_frequencies([](std::uint64_t seed) { return SampledHard{0.0, seed}; }, {1, 2, 2, 0}, {0, 0.5, 0.5, 0});
}

// E over the choice c of reinforce(c), exactly, by summing over all choices.
Vec expected_reinforce(const Vec& scores, double tau, const Vec& losses, double baseline, double& second_moment,
                       double& d_tau) {
  Vec p(scores.size()), mean(scores.size(), 0.0), d(scores.size());
  softmax(scores, tau, p);
  second_moment = d_tau = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    d_tau += p[c] * reinforce(scores, tau, c, losses[c] - baseline, d);
    for (std::size_t j = 0; j < d.size(); ++j) {
      mean[j] += p[c] * d[j];
      second_moment += p[c] * d[j] * d[j];
    }
  }
  return mean;
}

TEST(Reinforce, IsUnbiasedForEveryBaseline) {
  Random random(2);
  for (int trial = 0; trial < 20; ++trial) {
    Vec scores = testing::random_vector(random, 5);
    const Vec losses = testing::random_vector(random, 5);
    double tau = 0.5 + random.unit();
    for (const double baseline : {0.0, 1.0, -7.0}) {
      double moment, d_tau;
      const Vec mean = expected_reinforce(scores, tau, losses, baseline, moment, d_tau);
      const auto expected_loss = [&] {
        Vec p(5);
        softmax(scores, tau, p);
        return std::inner_product(p.begin(), p.end(), losses.begin(), 0.0);
      };
      testing::expect_gradient(mean, scores, expected_loss, "REINFORCE");
      testing::expect_gradient(Vec{d_tau}, {&tau, 1}, expected_loss, "REINFORCE, τ");
    }
  }
}

TEST(Reinforce, ABaselineNearTheMeanLossCutsTheVariance) {
  Random random(3);
  const Vec scores = testing::random_vector(random, 6);
  Vec losses = testing::random_vector(random, 6);
  for (double& loss : losses) loss += 10;
  double without, with, d_tau;
  expected_reinforce(scores, 1, losses, 0, without, d_tau);
  expected_reinforce(scores, 1, losses, 10, with, d_tau);
  EXPECT_LT(with, without / 20);  // losses of size about 10 against about 1: squares differ by about 100
}

TEST(Reinforce, GradientsThroughTheWholeAttentionAverageToTheSoftOnes) {
  // With loss L_c for choosing key c, E[L] = Σ_c p_c L_c: soft attention with L as its values. The mean of the sampled
  // gradients must be its gradient. The standard deviation is estimated from the same 20,000 samples (to 0.5 %).
  Random random(4);
  const std::size_t m = 5;
  const Matrix q = random_matrix(random, 1, 3), k = random_matrix(random, m, 3), losses = random_matrix(random, m, 1);
  Matrix one(1, 1);
  one(0, 0) = 1;
  const Gradients exact = attend_by_rows_backward({}, q, k, losses, {one});
  const int samples = 20000;
  Vec sum(3 * m, 0.0), squares(3 * m, 0.0);
  MovingBaseline baseline(0.95);
  for (int s = 0; s < samples; ++s) {
    const Attention attention{.weighting = SampledHard{1.0, static_cast<std::uint64_t>(s)}};
    const double loss = attend_by_rows(attention, q, k, losses)(0, 0);
    const Vec advantage = {loss - baseline.value()};
    baseline.update(loss);
    const Gradients g = attend_by_rows_backward(attention, q, k, losses, {one, advantage});
    for (std::size_t c = 0; c < sum.size(); ++c) {
      sum[c] += g.k.data[c];
      squares[c] += g.k.data[c] * g.k.data[c];
    }
  }
  for (std::size_t c = 0; c < sum.size(); ++c) {
    const double mean = sum[c] / samples, deviation = std::sqrt(squares[c] / samples - mean * mean);
    EXPECT_NEAR(mean, exact.k.data[c], kSigmas * 1.01 * deviation / std::sqrt(samples)) << c;
  }
}

TEST(Baselines, AreTheMeansTheyPromise) {
  MovingBaseline moving(0.75);
  moving.update(4);
  EXPECT_EQ(moving.value(), 4);
  moving.update(8);
  EXPECT_EQ(moving.value(), 5);
  EXPECT_EQ(leave_one_out_baselines(Vec{1, 2, 6}), (Vec{4, 3.5, 1.5}));
  EXPECT_THROW(leave_one_out_baselines(Vec{1}), UserError);
}

TEST(Draw, InvertsTheCumulativeSum) {
  const Vec w = {0.25, 0, 0.5, 0.25};
  EXPECT_EQ(draw(w, 0.1), 0u);
  EXPECT_EQ(draw(w, 0.25), 2u);
  EXPECT_EQ(draw(w, 0.7499), 2u);
  EXPECT_EQ(draw(w, 0.75), 3u);
  EXPECT_EQ(draw(w, 1.0), 3u) << "rounding can leave the sum just below the number drawn";
}

}  // namespace
}  // namespace quench::attention
