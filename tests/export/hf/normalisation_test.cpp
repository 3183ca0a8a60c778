// The bounds of [Q-pins] against layer normalisation as it is computed, and certified lengths of folders against words.
#include "certify/normalised/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "export/hf/layer_norm_by_hand.h"

namespace quench::certify {
namespace {

using bounds::Upper;

constexpr double kU = 0x1p-24;

struct Sample {
  std::vector<float> x;
  DataSize data;
};

/// Data of the given size on all coordinates but the pins, which stand anywhere; the last is the balance.
Sample sample(std::mt19937_64& random, std::size_t width, std::size_t pairs, float constant, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  Sample result{std::vector<float>(width), {}};
  double exact = 0, sum = 0, squares = 0;
  const std::size_t style = random() % 3;
  for (std::size_t c = 2 * pairs; c + 1 < width; ++c) {
    double value = style == 0 ? uniform(random) : style == 1 ? std::round(uniform(random)) : (random() % 2 ? size : 0);
    result.x[c] = static_cast<float>(value);
    exact += result.x[c];
  }
  result.x[width - 1] = static_cast<float>(-exact);
  double drift = 0;
  for (std::size_t c = 2 * pairs; c < width; ++c) {
    drift += result.x[c];
    sum += std::fabs(result.x[c]);
    squares += static_cast<double>(result.x[c]) * result.x[c];
  }
  for (std::size_t pin = 0; pin < 2 * pairs; ++pin) result.x[pin] = pin % 2 == 0 ? constant : -constant;
  if (random() % 2 == 0) std::shuffle(result.x.begin(), result.x.end(), random);
  result.data = {Upper(sum * (1 + 1e-9)), Upper(squares * (1 + 1e-9)), Upper(std::fabs(drift) + 1e-12)};
  return result;
}

struct Worst {
  double scale = 0, shift = 0;
};

/// The greatest shares of the bounds that were reached.
Worst measured(std::size_t width, std::size_t pairs, double margin, std::size_t tries) {
  std::mt19937_64 random(width + static_cast<std::size_t>(margin));
  Worst worst;
  for (std::size_t count = 0; count < tries; ++count) {
    const double size = std::exp2(static_cast<double>(random() % 16));
    const float constant = static_cast<float>(std::exp2(std::ceil(margin + std::log2(size * std::sqrt(width) * 2))));
    const Sample one = sample(random, width, pairs, constant, size);
    const LayerNorm norm{static_cast<double>(width), static_cast<double>(pairs), constant};
    const NormalisationError bound = normalisation_error(norm, one.data, Upper(kU));
    if (!bound.scale.is_finite()) continue;
    const double gain = std::sqrt(2.0 * static_cast<double>(pairs) / static_cast<double>(width)) * constant;
    const double scale = bound.scale.to_double(), shift = bound.shift.to_double();
    for (const test::MomentOrder order : test::kMomentOrders) {
      const test::Moments moments = test::moments_of(one.x, order);
      const double eta = static_cast<double>(moments.reciprocal) * gain - 1;
      EXPECT_LE(std::fabs(eta), scale) << width << " order " << static_cast<int>(order);
      EXPECT_LE(std::fabs(static_cast<double>(moments.mean)), shift) << width << " order " << static_cast<int>(order);
      worst.scale = std::fmax(worst.scale, std::fabs(eta) / scale);
      worst.shift = std::fmax(worst.shift, std::fabs(static_cast<double>(moments.mean)) / shift);
      for (const float x : one.x) {
        if (std::fabs(x) == constant) continue;
        const double exact = (1 + eta) * (static_cast<double>(x) - moments.mean);
        const float by_difference = (x - moments.mean) * moments.reciprocal * static_cast<float>(gain);
        const float moved = -moments.mean * moments.reciprocal;
        const float by_product = (x * moments.reciprocal + moved) * static_cast<float>(gain);
        // The product form has its own shift, off by u of the mean, the same for all coordinates.
        const double allowed = 3 * kU * (std::fabs(x) + shift) * (1 + scale);
        EXPECT_LE(std::fabs(by_difference - exact), allowed);
        const double shift_there = static_cast<double>(moved) / moments.reciprocal;
        EXPECT_LE(std::fabs(by_product - (1 + eta) * (static_cast<double>(x) + shift_there)), allowed);
      }
    }
  }
  return worst;
}

TEST(Normalisation, IsWithinItsBoundsInEveryOrder) {
  for (const auto& [width, pairs] : {std::pair<std::size_t, std::size_t>{16, 2}, {32, 1}, {64, 2}, {256, 2}, {512, 1}})
    for (const double margin : {1.0, 4.0, 10.0, 12.5}) measured(width, pairs, margin, 60);
}

/// The bounds are for the worst order and the worst roundings; they are not beyond reach by more than this.
TEST(Normalisation, BoundsAreNotFarFromWhatIsReached) {
  EXPECT_GE(measured(16, 2, 4, 200).scale, 0.05) << "where the data weigh most";
  EXPECT_GE(measured(64, 2, 12.5, 200).scale, 0.002) << "where rounding does";
  EXPECT_GE(measured(64, 2, 10, 200).shift, 0.01);
}

}  // namespace
}  // namespace quench::certify
