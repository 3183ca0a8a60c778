// The row-by-row path against the definition written out with an n × m matrix.
#include "attention/attention.h"

#include <algorithm>

#include "attention/problems.h"
#include "attention/weighting/keyed_random.h"
#include "base/error.h"

namespace quench::attention {
namespace {

using testing::Problem;
using testing::random_matrix;
using testing::random_problem;
using testing::random_vector;
using testing::some_mask;

// The definition with everything stored, for softmax and a dot score.
Matrix plain_attention(const Problem& p, const Visibility& mask, double tau) {
  Matrix output(p.q.rows, p.v.cols);
  for (std::size_t i = 0; i < p.q.rows; ++i) {
    std::vector<double> e(p.k.rows, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < p.k.rows; ++j) {
      if (!mask.allows(i, j)) continue;
      double score = 0;
      for (std::size_t c = 0; c < p.k.cols; ++c) score += p.q(i, c) * p.k(j, c);
      sum += e[j] = std::exp(score / std::sqrt(static_cast<double>(p.k.cols)) / tau);
    }
    for (std::size_t j = 0; j < p.k.rows && sum > 0; ++j)
      for (std::size_t c = 0; c < p.v.cols; ++c) output(i, c) += e[j] / sum * p.v(j, c);
  }
  return output;
}

TEST(Attention, ByRowsIsTheDefinitionUnderEveryMask) {
  Random random(1);
  for (std::size_t trial = 0; trial < 80; ++trial) {
    const std::size_t d = 1 + random.below(6);
    const Problem p = random_problem(random, 1 + random.below(10), 1 + random.below(8), d, d);
    const Attention attention{.mask = some_mask(random, trial), .weighting = Softmax{0.6}};
    const Matrix expected = plain_attention(p, attention.mask, 0.6);
    // Averages of at most 8 values of size about 3, two orders of summation: 8·4·u·3 ≈ 1e-14.
    EXPECT_LE(testing::max_difference(attend_by_rows(attention, p.q, p.k, p.v).data, expected.data), 1e-13);
    EXPECT_LE(testing::max_difference(attend(attention, p.q, p.k, p.v).data, expected.data), 1e-13);
  }
}

TEST(Attention, PositionTermsAreAddedToTheScores) {
  Random random(2);
  const std::size_t n = 6, m = 7;
  const Problem p = random_problem(random, n, m, 3, 3);
  const Matrix table = random_matrix(random, n, m);
  const std::vector<double> offsets = random_vector(random, 5);
  const Attention attention{.position_terms = {Alibi{0.3}, BiasTable{table}, RelativeBias{2, offsets},
                                               BiasFunction{[](auto i, auto j) { return i == j ? 0.5 : -0.25; }},
                                               TieBreak{TieBreak::Form::rightmost, 2},
                                               TieBreak{TieBreak::Form::leftmost, 3},
                                               TieBreak{TieBreak::Form::rightmost_inverse, 0.7}}};
  const Matrix got = weights(attention, p.q, p.k);
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> e(m);
    double sum = 0;
    for (std::size_t j = 0; j < m; ++j) {
      const double x = static_cast<double>(i), y = static_cast<double>(j), position = y + 1;
      double s = 0;
      for (std::size_t c = 0; c < 3; ++c) s += p.q(i, c) * p.k(j, c) / std::sqrt(3.0);
      s += -0.3 * std::abs(x - y) + table(i, j) + (i == j ? 0.5 : -0.25);
      s += offsets[static_cast<std::size_t>(std::clamp(y - x, -2.0, 2.0) + 2)];
      s += 2 * position / 14 - 3 * position / 14 - 0.7 / position;
      sum += e[j] = std::exp(s);
    }
    for (std::size_t j = 0; j < m; ++j) EXPECT_NEAR(got(i, j), e[j] / sum, 1e-14) << i << ' ' << j;  // 50 ulp of 1
  }
}

TEST(Attention, TieBreaksMakeSoftAttentionUnique) {
  // [P-L8b] and [P-L8c]: scores 0/1, ŝ = 2γn(s ± j/2n) is within 4e^{−γ} of rhardmax / lhardmax in the 1-norm.
  const std::vector<double> s = {0, 1, 1, 0, 1, 0};
  Matrix q(1, 1), k(6, 1);
  q(0, 0) = 1;
  for (std::size_t j = 0; j < 6; ++j) k(j, 0) = s[j];
  const double gamma = 12, n = 6;
  for (const auto& [form, hard] : {std::pair{TieBreak::Form::rightmost, Weighting::rhardmax},
                                   std::pair{TieBreak::Form::leftmost, Weighting::lhardmax}}) {
    const Matrix soft = weights(
        {.score = Dot{}, .position_terms = {TieBreak{form, 1}}, .weighting = Softmax{1 / (2 * gamma * n)}}, q, k);
    const Matrix exact = weights({.score = Dot{}, .weighting = Hardmax{hard}}, q, k);
    double distance = 0;
    for (std::size_t j = 0; j < 6; ++j) distance += std::abs(soft(0, j) - exact(0, j));
    EXPECT_LE(distance, 4 * std::exp(-gamma));
    EXPECT_GT(distance, 0);
  }
}

TEST(Attention, APredictedWindowWeighsByDistanceFromItsCentre) {
  Random random(3);
  const std::size_t n = 5, m = 12;
  const Problem p = random_problem(random, n, m, 3, 3);
  const PredictedWindow window{random_matrix(random, 4, 3), random_vector(random, 4), 2.5};
  const Matrix got = weights({.mask = Visibility::padding(11), .window = window}, p.q, p.k);
  for (std::size_t i = 0; i < n; ++i) {
    double inside = 0;
    for (std::size_t a = 0; a < 4; ++a) {
      double hidden = 0;
      for (std::size_t c = 0; c < 3; ++c) hidden += window.w(a, c) * p.q(i, c);
      inside += window.v[a] * std::tanh(hidden);
    }
    const double centre = 12 / (1 + std::exp(-inside));
    std::vector<double> e(m, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < 11; ++j) {
      if (std::abs(static_cast<double>(j + 1) - centre) > 2.5) continue;
      double s = 0;
      for (std::size_t c = 0; c < 3; ++c) s += p.q(i, c) * p.k(j, c) / std::sqrt(3.0);
      sum += e[j] = std::exp(s);
    }
    for (std::size_t j = 0; j < m; ++j) {
      const double away = (static_cast<double>(j + 1) - centre) / 1.25;
      EXPECT_NEAR(got(i, j), sum > 0 ? e[j] / sum * std::exp(-away * away / 2) : 0, 1e-14);  // 50 ulp of 1
    }
  }
}

TEST(Attention, CoverageLowersTheScoresOfWhatWasAttended) {
  Random random(4);
  const Problem p = random_problem(random, 6, 5, 3, 3);
  const Matrix got = weights({.coverage = Coverage{-1.5}}, p.q, p.k);
  std::vector<double> covered(5, 0.0);
  for (std::size_t i = 0; i < 6; ++i) {
    std::vector<double> e(5);
    double sum = 0;
    for (std::size_t j = 0; j < 5; ++j) {
      double s = -1.5 * covered[j];
      for (std::size_t c = 0; c < 3; ++c) s += p.q(i, c) * p.k(j, c) / std::sqrt(3.0);
      sum += e[j] = std::exp(s);
    }
    for (std::size_t j = 0; j < 5; ++j) {
      EXPECT_NEAR(got(i, j), e[j] / sum, 1e-13);
      covered[j] += e[j] / sum;
    }
  }
}

TEST(Attention, MonotonicRowsFollowEachOther) {
  Random random(5);
  const Problem p = random_problem(random, 4, 6, 3, 3);
  const Matrix got = weights({.weighting = MonotonicAttention{}}, p.q, p.k);
  std::vector<double> previous = {1, 0, 0, 0, 0, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    std::vector<double> now(6);
    double walking = 0;
    for (std::size_t j = 0; j < 6; ++j) {
      double s = 0;
      for (std::size_t c = 0; c < 3; ++c) s += p.q(i, c) * p.k(j, c) / std::sqrt(3.0);
      const double stop = 1 / (1 + std::exp(-s)), here = walking + previous[j];
      now[j] = stop * here;
      walking = (1 - stop) * here;
      EXPECT_NEAR(got(i, j), now[j], 1e-14);
    }
    previous = now;
  }
}

TEST(Attention, DropoutScalesOrRemovesEachWeight) {
  Random random(6);
  const Problem p = random_problem(random, 5, 9, 3, 3);
  const Dropout dropout{0.3, 99};
  const Attention attention{.dropout = dropout};
  const Matrix plain = weights(attention, p.q, p.k);
  const Matrix got = attend_by_rows(attention, p.q, p.k, p.v);
  for (std::size_t i = 0; i < 5; ++i) {
    for (std::size_t c = 0; c < p.v.cols; ++c) {
      double expected = 0;
      for (std::size_t j = 0; j < 9; ++j) expected += (keyed_unit(99, i, j) < 0.3 ? 0 : plain(i, j) / 0.7) * p.v(j, c);
      EXPECT_NEAR(got(i, c), expected, 1e-13);
    }
  }
}

TEST(Attention, AQueryThatSeesNothingGetsZero) {
  Random random(7);
  const Problem p = random_problem(random, 4, 4, 2, 2);
  const std::vector<WeightingFunction> all = {Softmax{},
                                              LogSoftmax{},
                                              ScalableSoftmax{},
                                              Hardmax{},
                                              Sparsemax{},
                                              Entmax{1.3},
                                              StickBreaking{},
                                              GeometricAttention{},
                                              GeometricAttention{1.0, true},
                                              MonotonicAttention{},
                                              EntropyAdaptive{},
                                              GapAdaptive{},
                                              GumbelSoftmax{},
                                              StraightThrough{},
                                              SampledHard{}};
  for (const WeightingFunction& weighting : all) {
    const Attention attention{.mask = Mask::strict_future, .weighting = weighting};
    const Matrix output = attend_by_rows(attention, p.q, p.k, p.v);
    for (std::size_t c = 0; c < p.v.cols; ++c) EXPECT_EQ(output(0, c), 0) << weighting.index();
    const std::vector<double> advantages(4, 1.0);
    const Gradients g = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output, advantages});
    EXPECT_EQ(g.q(0, 0), 0) << weighting.index();
    EXPECT_EQ(g.v(3, 0), 0) << "nobody sees the last key; weighting " << weighting.index();
  }
}

TEST(Attention, WhatIsMaskedMayHoldAnything) {
  Random random(8);
  Problem p = random_problem(random, 4, 4, 3, 3);
  const std::vector<Score> scores = {
      Dot{}, ScaledDot{}, General{random_matrix(random, 3, 3)},
      Additive{random_matrix(random, 2, 3), random_matrix(random, 2, 3), {1, -1}, {0, 0.5}}, Cosine{2}};
  for (const Score& score : scores) {
    const Attention attention{.score = score, .mask = Visibility::padding(3)};
    Problem poisoned = p;
    for (double& x : Rows<double>(poisoned.k)[3]) x = NAN;
    for (double& x : Rows<double>(poisoned.v)[3]) x = NAN;
    EXPECT_EQ(attend_by_rows(attention, p.q, poisoned.k, poisoned.v), attend_by_rows(attention, p.q, p.k, p.v));
    const Gradients clean = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output});
    const Gradients g = attend_by_rows_backward(attention, p.q, poisoned.k, poisoned.v, {p.d_output});
    EXPECT_EQ(g.q, clean.q);
    EXPECT_EQ(g.k, clean.k);
    EXPECT_EQ(g.v, clean.v);
    if (const auto* additive = std::get_if<Additive>(&g.score)) {
      EXPECT_EQ(additive->w_k, std::get<Additive>(clean.score).w_k);
    }
  }
}

TEST(Attention, ShapesThatDoNotFitAreRefused) {
  EXPECT_THROW(attend_by_rows({}, Matrix(2, 3), Matrix(2, 3), Matrix(1, 3)), UserError);
  EXPECT_THROW(attend_by_rows_backward({}, Matrix(2, 3), Matrix(2, 3), Matrix(2, 3), {Matrix(2, 4)}), UserError);
  const Matrix d(2, 3);
  EXPECT_THROW(attend_by_rows_backward({.weighting = SampledHard{}}, d, d, d, {d}), UserError) << "no advantages";
}

}  // namespace
}  // namespace quench::attention
