// Multi-head, grouped heads, batches, layer norm and linear attention: definitions and gradients.
#include <algorithm>

#include "attention/numeric.h"
#include "attention/variants/layer_norm.h"
#include "attention/variants/linear_attention.h"
#include "attention/variants/multi_head.h"
#include "base/error.h"

namespace quench::attention {
namespace {

using testing::random_matrix;
using testing::random_vector;

MultiHead random_layer(Random& random, std::size_t heads, std::size_t kv_heads, std::size_t d, std::size_t d_m) {
  const std::size_t d_k = 1 + random.below(4), d_v = 1 + random.below(4), d_out = 1 + random.below(5);
  return {heads,
          kv_heads,
          random_matrix(random, d, heads * d_k),
          random_matrix(random, d_m, kv_heads * d_k),
          random_matrix(random, d_m, kv_heads * d_v),
          random_matrix(random, heads * d_v, d_out)};
}

Matrix times(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.cols);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.cols; ++j)
      for (std::size_t k = 0; k < a.cols; ++k) c(i, j) += a(i, k) * b(k, j);
  return c;
}

Matrix columns(const Matrix& m, std::size_t first, std::size_t count) {
  Matrix c(m.rows, count);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < count; ++j) c(i, j) = m(i, first + j);
  return c;
}

// head_h = Attention(X·W_Q^h, M·W_K^g, M·W_V^g), all copied out.
Matrix plain_multi_head(const MultiHead& layer, const Matrix& x, const Matrix& memory) {
  const std::size_t d_k = layer.w_q.cols / layer.heads, d_v = layer.w_v.cols / layer.kv_heads;
  Matrix all(x.rows, layer.heads * d_v);
  for (std::size_t h = 0; h < layer.heads; ++h) {
    const std::size_t g = h * layer.kv_heads / layer.heads;
    const Matrix head = attend_by_rows(layer.of_head(h), times(x, columns(layer.w_q, h * d_k, d_k)),
                                       times(memory, columns(layer.w_k, g * d_k, d_k)),
                                       times(memory, columns(layer.w_v, g * d_v, d_v)));
    for (std::size_t i = 0; i < x.rows; ++i)
      for (std::size_t c = 0; c < d_v; ++c) all(i, h * d_v + c) = head(i, c);
  }
  return times(all, layer.w_o);
}

TEST(MultiHead, IsItsDefinitionForEveryGrouping) {
  Random random(1);
  for (const auto& [heads, kv_heads] : {std::pair{1, 1}, std::pair{4, 4}, std::pair{4, 2}, std::pair{6, 1}}) {
    for (int trial = 0; trial < 5; ++trial) {
      MultiHead layer = random_layer(random, static_cast<std::size_t>(heads), static_cast<std::size_t>(kv_heads), 5, 3);
      layer.attention[0].mask = trial % 2 ? Mask::future : Mask::none;
      if (trial == 4) layer.attention.assign(layer.heads, Attention{.weighting = Sparsemax{}});
      const Matrix x = random_matrix(random, 6, 5), memory = random_matrix(random, 8, 3);
      const Matrix expected = plain_multi_head(layer, x, memory);
      // Sums of at most 24 products of numbers of size ≤ 50: 24·4·u·50 < 1e-12.
      EXPECT_LE(testing::max_difference(multi_head(layer, x, memory).data, expected.data), 1e-12);
    }
  }
}

TEST(MultiHead, GradientsAreThoseOfDifferences) {
  Random random(2);
  for (int trial = 0; trial < 8; ++trial) {
    MultiHead layer = random_layer(random, 4, trial % 2 ? 2 : 4, 3, 4);
    for (Matrix* w : {&layer.w_q, &layer.w_k})
      for (double& value : w->data) value *= 0.4;  // keeps softmax away from saturation, where all gradients vanish
    layer.attention[0].mask = trial % 3 ? Mask::future : Mask::none;
    if (trial == 3) layer.attention[0].dropout = Dropout{0.3, 5};
    if (trial == 5) layer.attention[0].weighting = StickBreaking{};
    Matrix x = random_matrix(random, 4, 3), memory = random_matrix(random, 5, 4);
    const Matrix d = random_matrix(random, 4, layer.w_o.cols);
    const MultiHeadGradients g = multi_head_backward(layer, x, memory, {d});
    const auto loss = [&] { return testing::inner(multi_head(layer, x, memory), d); };
    testing::expect_gradient(g.x.data, x.data, loss, "x");
    testing::expect_gradient(g.memory.data, memory.data, loss, "memory");
    testing::expect_gradient(g.w_q.data, layer.w_q.data, loss, "W_Q");
    testing::expect_gradient(g.w_k.data, layer.w_k.data, loss, "W_K");
    testing::expect_gradient(g.w_v.data, layer.w_v.data, loss, "W_V");
    testing::expect_gradient(g.w_o.data, layer.w_o.data, loss, "W_O");
  }
}

TEST(MultiHead, ScoreParametersOfEveryHeadGetTheirGradients) {
  Random random(3);
  MultiHead layer{2,
                  2,
                  random_matrix(random, 3, 4, 0.5),
                  random_matrix(random, 3, 4, 0.5),
                  random_matrix(random, 3, 2),
                  random_matrix(random, 2, 2)};
  layer.attention = {Attention{.score = General{random_matrix(random, 2, 2)}},
                     Attention{.score = Additive{random_matrix(random, 3, 2), random_matrix(random, 3, 2),
                                                 random_vector(random, 3), random_vector(random, 3)}}};
  const Matrix x = random_matrix(random, 5, 3), d = random_matrix(random, 5, 2);
  const MultiHeadGradients g = multi_head_backward(layer, x, x, {d});
  const auto loss = [&] { return testing::inner(multi_head(layer, x, x), d); };
  testing::expect_gradient(std::get<General>(g.heads[0].score).w.data,
                           std::get<General>(layer.attention[0].score).w.data, loss, "W of head 1");
  testing::expect_gradient(std::get<Additive>(g.heads[1].score).v, std::get<Additive>(layer.attention[1].score).v, loss,
                           "v of head 2");
}

TEST(MultiHead, SampledHeadsTakeTheirAdvantagesBackward) {
  Random random(12);
  MultiHead layer = random_layer(random, 2, 2, 3, 3);
  layer.attention[0].weighting = SampledHard{1.0, 4};
  const Matrix x = random_matrix(random, 5, 3), d = random_matrix(random, 5, layer.w_o.cols);
  EXPECT_THROW(multi_head_backward(layer, x, x, {d}), UserError) << "without advantages";
  const std::vector<double> none(5, 0.0), some = random_vector(random, 5);
  for (const double g : multi_head_backward(layer, x, x, {d, none}).w_q.data) EXPECT_EQ(g, 0);
  EXPECT_GT(testing::norm(multi_head_backward(layer, x, x, {d, some}).w_q.data), 0);
}

TEST(MultiHead, ABatchIsItsSequencesOneByOne) {
  Random random(4);
  const MultiHead layer = random_layer(random, 4, 2, 3, 3);
  std::vector<Matrix> x, d;
  for (const std::size_t length : {3u, 7u, 1u, 5u}) {
    x.push_back(random_matrix(random, length, 3));
    d.push_back(random_matrix(random, length, layer.w_o.cols));
  }
  const std::vector<Matrix> outputs = multi_head_batch(layer, x, x);
  const BatchGradients g = multi_head_batch_backward(layer, x, x, d);
  Matrix w_q(layer.w_q.rows, layer.w_q.cols);
  for (std::size_t b = 0; b < x.size(); ++b) {
    EXPECT_EQ(outputs[b], multi_head(layer, x[b], x[b]));
    const MultiHeadGradients one = multi_head_backward(layer, x[b], x[b], {d[b]});
    EXPECT_EQ(g.x[b], one.x);
    EXPECT_EQ(g.memory[b], one.memory);
    for (std::size_t c = 0; c < w_q.data.size(); ++c) w_q.data[c] += one.w_q.data[c];
  }
  EXPECT_EQ(g.w_q, w_q);
}

TEST(MultiHead, PaddingGivesTheSameAsTheShorterSequence) {
  Random random(5);
  MultiHead layer = random_layer(random, 2, 1, 3, 3);
  const Matrix x = random_matrix(random, 4, 3);
  Matrix padded(9, 3);
  std::ranges::copy(x.data, padded.data.begin());
  const Matrix expected = multi_head(layer, x, x);
  layer.attention[0].mask = Visibility::padding(4);
  const Matrix got = multi_head(layer, padded, padded);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t c = 0; c < expected.cols; ++c) EXPECT_EQ(got(i, c), expected(i, c));
}

TEST(MultiHead, ShapesThatDoNotFitAreRefused) {
  Random random(6);
  MultiHead layer = random_layer(random, 4, 2, 3, 3);
  const Matrix x(2, 3);
  layer.kv_heads = 3;
  EXPECT_THROW(multi_head(layer, x, x), UserError);
  layer.kv_heads = 2;
  EXPECT_THROW(multi_head(layer, Matrix(2, 4), x), UserError);
  EXPECT_THROW(multi_head_backward(layer, x, x, {Matrix(2, layer.w_o.cols + 1)}), UserError);
  layer.attention.resize(3);
  EXPECT_THROW(multi_head(layer, x, x), UserError);
}

TEST(LayerNorm, StandardisesEveryRow) {
  Random random(7);
  const std::size_t d = 9;
  const LayerNorm norm{random_vector(random, d), random_vector(random, d), 1e-5};
  const Matrix x = random_matrix(random, 6, d, 3), y = layer_norm(norm, x);
  for (std::size_t i = 0; i < 6; ++i) {
    double mean = 0, square = 0;
    for (std::size_t c = 0; c < d; ++c) mean += x(i, c) / 9;
    for (std::size_t c = 0; c < d; ++c) square += (x(i, c) - mean) * (x(i, c) - mean) / 9;
    for (std::size_t c = 0; c < d; ++c)
      EXPECT_NEAR(y(i, c), norm.gain[c] * (x(i, c) - mean) / std::sqrt(square + 1e-5) + norm.bias[c], 1e-13);
  }
}

TEST(LayerNorm, GradientsAreThoseOfDifferences) {
  Random random(8);
  for (int trial = 0; trial < 10; ++trial) {
    LayerNorm norm{random_vector(random, 6), random_vector(random, 6), trial % 2 ? 1e-5 : 0.1};
    Matrix x = random_matrix(random, 4, 6);
    const Matrix d = random_matrix(random, 4, 6);
    const LayerNormGradients g = layer_norm_backward(norm, x, d);
    const auto loss = [&] { return testing::inner(layer_norm(norm, x), d); };
    testing::expect_gradient(g.x.data, x.data, loss, "x");
    testing::expect_gradient(g.gain, norm.gain, loss, "gain");
    testing::expect_gradient(g.bias, norm.bias, loss, "bias");
  }
}

TEST(LayerNorm, AConstantRowBecomesTheBias) {
  LayerNorm norm = LayerNorm::identity(3);
  norm.bias = {1, 2, 3};
  norm.epsilon = 0;
  Matrix x(1, 3);
  x.data = {5, 5, 5};
  EXPECT_EQ(layer_norm(norm, x).data, norm.bias);
  for (const double g : layer_norm_backward(norm, x, x).x.data) EXPECT_EQ(g, 0);
}

double plain_feature(const FeatureMap& map, std::span<const double> x, std::size_t a) {
  if (std::holds_alternative<EluPlusOne>(map)) return x[a] < 0 ? std::exp(x[a]) : x[a] + 1;
  if (std::holds_alternative<ReluFeatures>(map)) return std::max(0.0, x[a]);
  const Matrix& omega = std::get<RandomFeatures>(map).omega;
  double inside = 0;
  for (std::size_t c = 0; c < x.size(); ++c) inside += omega(a, c) * x[c] - x[c] * x[c] / 2;
  return std::exp(inside) / std::sqrt(static_cast<double>(omega.rows));
}

std::vector<LinearAttention> linear_cases(Random& random, std::size_t d) {
  std::vector<LinearAttention> cases;
  for (const Mask mask : {Mask::none, Mask::future, Mask::past, Mask::strict_future, Mask::strict_past}) {
    cases.push_back({EluPlusOne{}, mask});
    cases.push_back({ReluFeatures{}, mask});
    cases.push_back({RandomFeatures{random_matrix(random, 5, d)}, mask});
  }
  return cases;
}

TEST(LinearAttention, IsTheQuadraticSumOfItsDefinition) {
  Random random(9);
  for (const auto& [n, m] : {std::pair{7, 7}, std::pair{4, 9}, std::pair{9, 4}}) {
    for (const LinearAttention& attention : linear_cases(random, 3)) {
      const Matrix q = random_matrix(random, static_cast<std::size_t>(n), 3),
                   k = random_matrix(random, static_cast<std::size_t>(m), 3),
                   v = random_matrix(random, static_cast<std::size_t>(m), 2);
      const Matrix got = linear_attention(attention, q, k, v);
      const Visibility visible(attention.mask);
      const std::size_t r = feature(attention.features, Rows<const double>(q)[0]).size();
      for (std::size_t i = 0; i < q.rows; ++i) {
        double sums[2] = {0, 0}, total = 0;
        for (std::size_t j = 0; j < k.rows; ++j) {
          if (!visible.allows(i, j)) continue;
          double weight = 0;
          for (std::size_t a = 0; a < r; ++a)
            weight += plain_feature(attention.features, Rows<const double>(q)[i], a) *
                      plain_feature(attention.features, Rows<const double>(k)[j], a);
          total += weight;
          for (std::size_t c = 0; c < 2; ++c) sums[c] += weight * v(j, c);
        }
        for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(got(i, c), total > 0 ? sums[c] / total : 0, 1e-12);
      }
    }
  }
}

TEST(LinearAttention, GradientsAreThoseOfDifferences) {
  Random random(10);
  for (int trial = 0; trial < 4; ++trial) {
    for (const LinearAttention& attention : linear_cases(random, 3)) {
      Matrix q = random_matrix(random, 5, 3), k = random_matrix(random, 6, 3), v = random_matrix(random, 6, 2);
      for (Matrix* m : {&q, &k})  // the kinks of elu and relu are at 0, and a tiny denominator has huge derivatives
        for (double& x : m->data) x = x < 0 ? x - 0.2 : x + 0.2;
      if (std::holds_alternative<ReluFeatures>(attention.features))
        for (Matrix* m : {&q, &k})
          for (std::size_t i = 0; i < m->rows; ++i) (*m)(i, 0) = std::abs((*m)(i, 0));
      const Matrix d = random_matrix(random, 5, 2);
      const LinearGradients g = linear_attention_backward(attention, q, k, v, d);
      const auto loss = [&] { return testing::inner(linear_attention(attention, q, k, v), d); };
      testing::expect_gradient(g.q.data, q.data, loss, "q");
      testing::expect_gradient(g.k.data, k.data, loss, "k");
      testing::expect_gradient(g.v.data, v.data, loss, "v");
    }
  }
}

TEST(LinearAttention, RandomFeaturesEstimateTheSoftmaxKernel) {
  // φ(q)·φ(k) = (1/r) Σ_a X_a with X = exp(ω·(q+k) − (|q|²+|k|²)/2): E X = e^{q·k} and E X² = e^{2q·k}·e^{|q+k|²}, so
  // the relative standard deviation of the mean is √((e^{|q+k|²} − 1)/r). Six of them: r = 20,000 makes the mean normal
  // enough that 40 pairs all stay inside with probability above 1 − 1e-6.
  Random random(11);
  const FeatureMap map = RandomFeatures{random_matrix(random, 20000, 3)};
  double smallest = INFINITY, largest = 0;
  for (int pair = 0; pair < 40; ++pair) {
    std::vector<double> q(3), k(3);
    double product = 0, square = 0;
    for (std::size_t c = 0; c < 3; ++c) {
      q[c] = random.unit() - 0.5;
      k[c] = random.unit() - 0.5;
      product += q[c] * k[c];
      square += (q[c] + k[c]) * (q[c] + k[c]);
    }
    const std::vector<double> a = feature(map, q), b = feature(map, k);
    double estimate = 0;
    for (std::size_t f = 0; f < a.size(); ++f) estimate += a[f] * b[f];
    EXPECT_NEAR(estimate / std::exp(product), 1, 6 * std::sqrt(std::expm1(square) / 20000));
    smallest = std::min(smallest, std::exp(product));
    largest = std::max(largest, std::exp(product));
  }
  EXPECT_GT(largest / smallest, 1.5) << "the kernel must vary more than the tolerance for this to mean anything";
}

}  // namespace
}  // namespace quench::attention
