// Attention through the public headers. That the mathematics is right is tested in tests/attention.
#include <gtest/gtest.h>
#include <quench/attention.h>
#include <quench/compile.h>

#include <cmath>
#include <limits>

namespace quench {
namespace {

const Matrix<double> kKeys(3, 1, {0, 1, 1}), kQueries(3, 1, {1, 1, 1}), kValues(3, 2, {1, 0, 0, 1, 2, 2});

TEST(Attend, IsSoftmaxOfTheScores) {
  const double e = std::exp(1.0), sum = 1 + 2 * e;
  const Matrix<double> result = attend(kQueries, kKeys, kValues);
  ASSERT_EQ(result.rows, 3u);
  ASSERT_EQ(result.cols, 2u);
  EXPECT_NEAR(result(0, 0), (1 + 2 * e) / sum, 1e-15);
  EXPECT_NEAR(result(0, 1), 3 * e / sum, 1e-15);
  EXPECT_NEAR(attention_weights(kQueries, kKeys)(2, 0), 1 / sum, 1e-15);
}

TEST(Attend, KnowsMasksAndHardAttention) {
  AttentionOptions options{.mask = Mask::strict_future, .weighting = Weighting::leftmost};
  EXPECT_EQ(attention_weights(kQueries, kKeys, options), Matrix<double>(3, 3, {0, 0, 0, 1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(attend(kQueries, kKeys, kValues, options), Matrix<double>(3, 2, {0, 0, 1, 0, 0, 1}));
  options = {.weighting = Weighting::rightmost};
  EXPECT_EQ(attention_weights(kQueries, kKeys, options)(0, 2), 1);
  options = {.weighting = Weighting::average};
  EXPECT_EQ(attention_weights(kQueries, kKeys, options)(0, 2), 0.5);
  options = {.mask = Mask::past};
  EXPECT_EQ(attention_weights(kQueries, kKeys, options)(2, 2), 1);
}

TEST(Attend, CoolsDown) {
  EXPECT_NEAR(attention_weights(kQueries, kKeys, {.temperature = 0.01})(0, 1), 0.5, 1e-15);
  EXPECT_EQ(attention_weights(kQueries, kKeys, {.temperature = 0})(0, 1), 0.5);
  EXPECT_THROW(attention_weights(kQueries, kKeys, {.temperature = -1}), UserError);
  EXPECT_THROW(attention_weights(kQueries, kKeys, {.temperature = std::nan("")}), UserError);
}

TEST(Attend, IsTheSameInFloatToRounding) {
  const auto narrow = [](const Matrix<double>& m) {
    return Matrix<float>(m.rows, m.cols, std::vector<float>(m.data.begin(), m.data.end()));
  };
  for (const Mask mask : {Mask::none, Mask::future, Mask::strict_past}) {
    const Matrix<double> wide = attend(kQueries, kKeys, kValues, {.mask = mask});
    const Matrix<float> result = attend(narrow(kQueries), narrow(kKeys), narrow(kValues), {.mask = mask});
    for (std::size_t k = 0; k < wide.data.size(); ++k) EXPECT_NEAR(result.data[k], wide.data[k], 1e-6);
  }
  EXPECT_THROW(attend(narrow(kQueries), narrow(kKeys), narrow(kValues), {.weighting = Weighting::average}), UserError);
  EXPECT_THROW(attend(narrow(kQueries), narrow(kKeys), narrow(kValues), {.temperature = 0}), UserError);
}

TEST(Attend, KnowsEveryWeighting) {
  for (int which = 0; which <= static_cast<int>(Weighting::straight_through); ++which) {
    const AttentionOptions options{.mask = Mask::future, .weighting = static_cast<Weighting>(which)};
    const Matrix<double> weights = attention_weights(kQueries, kKeys, options);
    const Matrix<double> result = attend(kQueries, kKeys, kValues, options);
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = 0, expected = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += weights(i, j), expected += weights(i, j) * kValues(j, 0);
      EXPECT_LE(sum, 1 + 1e-12) << which;
      EXPECT_NEAR(result(i, 0), expected, 1e-12) << which;
    }
  }
  EXPECT_THROW(attend(kQueries, kKeys, kValues, {.weighting = Weighting::entmax, .parameter = 0.5}), UserError);
  EXPECT_THROW(attend(kQueries, kKeys, kValues, {.weighting = Weighting::gap_adaptive, .parameter = 0}), UserError);
}

TEST(Attend, BackwardWantsTheShapeOfTheResult) {
  EXPECT_THROW(attend_backward(kQueries, kKeys, kValues, Matrix<double>(1, 1)), UserError);
}

TEST(Attend, RefusesShapesThatDoNotFit) {
  EXPECT_THROW(attend(Matrix<double>(3, 2), kKeys, kValues), UserError);
  EXPECT_THROW(attend(kQueries, kKeys, Matrix<double>(2, 2)), UserError);
  EXPECT_THROW(attend(Matrix<double>(3, 0), Matrix<double>(3, 0), kValues), UserError);
  EXPECT_THROW(attend(Matrix<double>(3, 1, {1, 2}), kKeys, kValues), UserError);
  EXPECT_THROW(attend_backward(kQueries, kKeys, kValues, Matrix<double>(3, 1)), UserError);
}

TEST(Attend, OfNothingIsNothing) {
  EXPECT_EQ(attend(Matrix<double>(0, 1), kKeys, kValues).rows, 0u);
  EXPECT_EQ(attend(kQueries, Matrix<double>(0, 1), Matrix<double>(0, 2)), Matrix<double>(3, 2));
  EXPECT_EQ(attend(Matrix<float>(2, 1), Matrix<float>(0, 1), Matrix<float>(0, 2)), Matrix<float>(2, 2));
}

TEST(Attend, GoesBackwardLikeADifferenceQuotient) {
  const Matrix<double> upstream(3, 2, {1, -1, 0.5, 2, 0, 1});
  const AttentionGradients gradients = attend_backward(kQueries, kKeys, kValues, upstream);
  const auto loss = [&](double key) {
    Matrix<double> keys = kKeys;
    keys(1, 0) = key;
    const Matrix<double> result = attend(kQueries, keys, kValues);
    double sum = 0;
    for (std::size_t k = 0; k < result.data.size(); ++k) sum += result.data[k] * upstream.data[k];
    return sum;
  };
  const double h = 1e-5;
  EXPECT_NEAR(gradients.keys(1, 0), (loss(1 + h) - loss(1 - h)) / (2 * h), 1e-8);
  EXPECT_EQ(gradients.values.rows, 3u);
}

TEST(HeadAttention, LooksWhereTheRuleSays) {
  const Model model = compile(parse_formula("prev Q_a"), {.certify = false});
  const Matrix<double> weights = head_attention(model, "abba", 0, 0, Format::f64, /*hard=*/true);
  EXPECT_EQ(weights.rows, 4u);
  EXPECT_EQ(weights(3, 2), 1) << "the position before";
  EXPECT_THROW(head_attention(model, "abba", 7, 0), UserError);
  EXPECT_THROW(head_attention(model, "", 0, 0), UserError);
}

}  // namespace
}  // namespace quench
