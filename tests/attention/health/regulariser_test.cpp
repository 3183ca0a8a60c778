#include "attention/health/regulariser.h"

#include "attention/attention.h"
#include "attention/numeric.h"

namespace quench::attention {
namespace {

using testing::random_matrix;

TEST(Regulariser, ValuesAreMeansOverTheRows) {
  Random random(1);
  const Matrix q = random_matrix(random, 5, 3), k = random_matrix(random, 6, 3);
  const Matrix w = weights({}, q, k);
  double entropy_sum = 0, overlap = 0;
  std::vector<double> covered(6, 0.0);
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 6; ++j) {
      entropy_sum -= w(i, j) * std::log(w(i, j));
      overlap += std::min(w(i, j), covered[j]);
      covered[j] += w(i, j);
    }
  const auto value = [&](Regulariser term) { return regularisation(Attention{.regularisers = {term}}, q, k); };
  EXPECT_NEAR(value(EntropyPenalty{0.4}), 0.4 * entropy_sum / 5, 1e-14);
  EXPECT_NEAR(value(EntropyBonus{0.4}), -0.4 * entropy_sum / 5, 1e-14);
  EXPECT_NEAR(value(CoverageLoss{0.4}), 0.4 * overlap / 5, 1e-14);
}

// The signs are easily exchanged; what counts is which way a step of gradient descent moves the entropy.
double entropy_after_descent(Regulariser term) {
  Random random(2);
  Matrix q = random_matrix(random, 4, 3);
  const Matrix k = random_matrix(random, 6, 3), v(6, 1), nothing(4, 1);
  const Attention attention{.regularisers = {term}};
  for (int step = 0; step < 20; ++step) {
    const Gradients g = attend_backward(attention, q, k, v, {nothing});
    for (std::size_t c = 0; c < q.data.size(); ++c) q.data[c] -= 0.5 * g.q.data[c];
  }
  return regularisation(Attention{.regularisers = {EntropyPenalty{1}}}, q, k);
}

TEST(Regulariser, APenaltySharpensAndABonusSpreads) {
  const double before = entropy_after_descent(EntropyPenalty{0});
  EXPECT_LT(entropy_after_descent(EntropyPenalty{1}), before - 0.05);
  EXPECT_GT(entropy_after_descent(EntropyBonus{1}), before + 0.05);
}

TEST(Regulariser, CoverageLossDiscouragesAttendingTwice) {
  Random random(3);
  Matrix q = random_matrix(random, 3, 3);
  const Matrix k = random_matrix(random, 9, 3), v(9, 1), nothing(3, 1);
  const Attention attention{.regularisers = {CoverageLoss{1}}};
  const double before = regularisation(attention, q, k);
  for (int step = 0; step < 40; ++step) {
    const Gradients g = attend_backward(attention, q, k, v, {nothing});
    for (std::size_t c = 0; c < q.data.size(); ++c) q.data[c] -= 0.5 * g.q.data[c];
  }
  EXPECT_LT(regularisation(attention, q, k), before - 0.02);
}

TEST(Regulariser, AnExactZeroWeightGetsNoEntropyGradient) {
  std::vector<double> d(3, 0.0), none(3, 0.0);
  regularisation_backward(EntropyPenalty{1}, std::vector<double>{0, 0.5, 0.5}, none, 1, d, none);
  EXPECT_EQ(d[0], 0);
  EXPECT_NEAR(d[1], -(std::log(0.5) + 1), 1e-15);
}

}  // namespace
}  // namespace quench::attention
