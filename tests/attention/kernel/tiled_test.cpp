// The tiled kernel against the row-by-row path, its oracle.
#include "attention/kernel/tiled.h"

#include <algorithm>

#include "attention/attention.h"
#include "attention/numeric.h"

namespace quench::attention {
namespace {

using testing::random_matrix;

struct Tensors {
  Matrix q, k, v, d_output;
};

Tensors random_tensors(Random& random, std::size_t n, std::size_t m, std::size_t d, std::size_t d_v) {
  return {random_matrix(random, n, d), random_matrix(random, m, d), random_matrix(random, m, d_v),
          random_matrix(random, n, d_v)};
}

std::vector<Visibility> masks(Random& random) {
  BooleanTable table{40, 40, std::vector<std::uint8_t>(1600)};
  for (auto& cell : table.cells) cell = random.chance(0.3);
  return {Mask::none,
          Mask::future,
          Mask::past,
          Mask::strict_future,
          Mask::strict_past,
          Visibility(Mask::future) & Visibility::padding(70),
          Visibility::window(5, 9),
          Visibility::blocks(16, table),
          Visibility::table(table) | Visibility::window(0, 0),
          Visibility::padding(0)};
}

// |a − b| in units of the rounding error that sums of `terms` numbers of size `scale` can differ by: both paths sum in
// their own order, and 4·terms·u·scale bounds two such sums of products.
void expect_close(std::span<const double> a, std::span<const double> b, double terms, double scale, const char* what) {
  EXPECT_LE(testing::max_difference(a, b), 4 * terms * 0x1p-53 * scale) << what;
}

double largest(const Matrix& m) {
  double top = 0;
  for (const double x : m.data) top = std::max(top, std::abs(x));
  return top;
}

TEST(Tiled, ForwardAndBackwardAreThoseOfTheRows) {
  Random random(1);
  for (int trial = 0; trial < 6; ++trial) {
    for (const Visibility& mask : masks(random)) {
      const std::size_t d = 1 + random.below(20), d_v = 1 + random.below(20);
      const Tensors p = random_tensors(random, 1 + random.below(230), 1 + random.below(230), d, d_v);
      Attention attention{.mask = mask, .weighting = Softmax{Tau([](auto i, auto n) {
                                          return 0.3 + static_cast<double>(i) / static_cast<double>(n);
                                        })}};
      if (trial % 3 == 1) attention.dropout = Dropout{0.25, random.bits()};
      if (trial % 3 == 2) attention.position_terms = {BiasFunction{[](auto i, auto j) { return i < j ? -0.5 : 0.5; }}};
      if (trial % 2 == 1) attention.regularisers = {EntropyPenalty{2.0}, EntropyBonus{0.5}};
      ASSERT_TRUE(tiled_applies(attention, p.q.rows, p.k.rows));
      const double terms = 230 + 20, size = 30;  // scores and gradients of scores stay below 30 here
      expect_close(attend(attention, p.q, p.k, p.v).data, attend_by_rows(attention, p.q, p.k, p.v).data, terms, size,
                   "output");
      const Gradients fast = attend_backward(attention, p.q, p.k, p.v, {p.d_output});
      const Gradients slow = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output});
      for (const auto& [a, b, what] :
           {std::tuple{&fast.q, &slow.q, "q"}, std::tuple{&fast.k, &slow.k, "k"}, std::tuple{&fast.v, &slow.v, "v"}})
        expect_close(a->data, b->data, terms, size * std::max(1.0, largest(*b)), what);
      expect_close(fast.weighting, slow.weighting, terms, size * size, "τ");
    }
  }
}

TEST(Tiled, EveryScoreWithADotFormTakesIt) {
  Random random(2);
  for (int trial = 0; trial < 5; ++trial) {
    const std::vector<Score> scores = {Dot{}, ScaledDot{}, General{random_matrix(random, 6, 6, 0.5)}, Cosine{2.5}};
    for (const Score& score : scores) {
      const Tensors p = random_tensors(random, 40, 50, 6, 3);
      const Attention attention{.score = score, .mask = Mask::future};
      ASSERT_TRUE(tiled_applies(attention, 40, 50));
      expect_close(attend(attention, p.q, p.k, p.v).data, attend_by_rows(attention, p.q, p.k, p.v).data, 60, 30, "out");
      const Gradients fast = attend_backward(attention, p.q, p.k, p.v, {p.d_output});
      const Gradients slow = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output});
      expect_close(fast.q.data, slow.q.data, 60, 100, "q");
      expect_close(fast.k.data, slow.k.data, 60, 100, "k");
      if (const auto* general = std::get_if<General>(&fast.score))
        expect_close(general->w.data, std::get<General>(slow.score).w.data, 60, 400, "W");
      if (const auto* cosine = std::get_if<Cosine>(&fast.score)) {
        EXPECT_NE(cosine->scale, 0);
        EXPECT_NEAR(cosine->scale, std::get<Cosine>(slow.score).scale, 4 * 60 * 0x1p-53 * 400);
      }
    }
  }
}

TEST(Tiled, GradientsAreThoseOfDifferences) {
  Random random(3);
  for (int trial = 0; trial < 6; ++trial) {
    Tensors p = random_tensors(random, 7, 9, 3, 2);
    const Attention attention{.mask = trial % 2 ? Mask::future : Mask::strict_past,
                              .dropout = Dropout{0.2, random.bits()},
                              .regularisers = {EntropyBonus{0.7}}};
    ASSERT_TRUE(tiled_applies(attention, 7, 9));
    const auto loss = [&] {
      return testing::inner(attend(attention, p.q, p.k, p.v), p.d_output) + regularisation(attention, p.q, p.k);
    };
    const Gradients g = attend_backward(attention, p.q, p.k, p.v, {p.d_output});
    testing::expect_gradient(g.q.data, p.q.data, loss, "q");
    testing::expect_gradient(g.k.data, p.k.data, loss, "k");
    testing::expect_gradient(g.v.data, p.v.data, loss, "v");
  }
}

TEST(Tiled, RowStatisticsAreMaximumSumAndEntropy) {
  Random random(4);
  const Tensors p = random_tensors(random, 60, 300, 5, 3);
  Matrix output(60, 3);
  const TiledAttention tiled{.mask = Mask::strict_future, .tau = 0.5};
  const RowStatistics<double> s = tiled_forward<double>(tiled, p.q, p.k, p.v, output);
  const Matrix w = weights({.score = Dot{}, .mask = Mask::strict_future, .weighting = Softmax{0.5}}, p.q, p.k);
  EXPECT_EQ(s.sum[0], 0);
  EXPECT_EQ(s.entropy[0], 0);
  for (std::size_t i = 1; i < 60; ++i) {
    EXPECT_NEAR(s.entropy[i], entropy(Rows<const double>(w)[i]), 1e-12) << i;  // 60 terms, each ≤ 1/e: 60·4·u ≪ 1e-12
    double top = -INFINITY, sum = 0;
    const auto score = [&](std::size_t j) {
      double x = 0;
      for (std::size_t c = 0; c < 5; ++c) x += p.q(i, c) * p.k(j, c);
      return x;
    };
    for (std::size_t j = 0; j < i; ++j) top = std::max(top, score(j));
    for (std::size_t j = 0; j < i; ++j) sum += std::exp((score(j) - top) / 0.5);
    EXPECT_NEAR(s.max[i], top, 1e-13 * std::abs(top) + 1e-13);  // five products
    EXPECT_NEAR(s.sum[i], sum, 1e-12 * sum);
  }
}

TEST(Tiled, ResultsDoNotDependOnTheThreads) {
  Random random(5);
  const Tensors p = random_tensors(random, 333, 333, 7, 5);
  Matrix serial(333, 5), parallel(333, 5);
  tiled_forward<double>({.mask = Mask::future, .parallel = false}, p.q, p.k, p.v, serial);
  for (int repeat = 0; repeat < 5; ++repeat) {
    tiled_forward<double>({.mask = Mask::future, .parallel = true}, p.q, p.k, p.v, parallel);
    EXPECT_EQ(serial, parallel);
  }
}

// ---- float ----

std::vector<float> to_float(const std::vector<double>& x) { return {x.begin(), x.end()}; }

// "f32 forward within 2·log2(n) ulp of max|v| of the f64 definition on well-scaled inputs": entries of variance 1,
// scores scaled by 1/√d. The f64 definition is taken on the same float inputs, at 40 queries spread over the word.
enum class Values { normal, positive };

void expect_float_accuracy(std::size_t n, std::size_t d, Mask mask, Values values, std::uint64_t seed) {
  Random random(seed);
  const std::size_t d_v = 8;
  const std::vector<float> q = to_float(testing::random_vector(random, n * d)),
                           k = to_float(testing::random_vector(random, n * d)),
                           random_v = to_float(testing::random_vector(random, n * d_v));
  std::vector<float> v = random_v;
  if (values == Values::positive)  // no cancellation: the rounding of every partial sum stays in the result
    for (float& x : v) x = 0.5f + 0.5f * std::abs(x) / (1 + std::abs(x));
  std::vector<float> output(n * d_v);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  tiled_forward<float>({.scale = scale, .mask = mask}, Rows<const float>(q.data(), n, d),
                       Rows<const float>(k.data(), n, d), Rows<const float>(v.data(), n, d_v),
                       Rows<float>(output.data(), n, d_v));
  double max_v = 0;
  for (const float x : v) max_v = std::max(max_v, static_cast<double>(std::abs(x)));
  const double ulp = std::exp2(std::floor(std::log2(max_v)) - 23);
  const Visibility visible(mask);
  double worst = 0;
  for (std::size_t probe = 0; probe < 40; ++probe) {
    const std::size_t i = probe * (n - 1) / 39;
    std::vector<double> sums(d_v, 0.0);
    double sum = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (!visible.allows(i, j)) continue;
      double s = 0;
      for (std::size_t c = 0; c < d; ++c) s += static_cast<double>(q[i * d + c]) * static_cast<double>(k[j * d + c]);
      const double e = std::exp(s * scale);
      sum += e;
      for (std::size_t c = 0; c < d_v; ++c) sums[c] += e * static_cast<double>(v[j * d_v + c]);
    }
    for (std::size_t c = 0; c < d_v && sum > 0; ++c)
      worst = std::max(worst, std::abs(static_cast<double>(output[i * d_v + c]) - sums[c] / sum) / ulp);
  }
  EXPECT_LE(worst, 2 * std::log2(static_cast<double>(n))) << "n = " << n << ", d = " << d;
  ::testing::Test::RecordProperty(
      (values == Values::normal ? "normal_ulp_n" : "positive_ulp_n") + std::to_string(n) + "_d" + std::to_string(d),
      std::to_string(worst));
}

TEST(Tiled, FloatIsWithinTwoLogNUlp) {
  for (const std::size_t n : {16u, 100u, 1024u, 4096u})
    for (const std::size_t d : {4u, 16u, 64u})
      for (const Mask mask : {Mask::none, Mask::future, Mask::past})
        for (const Values values : {Values::normal, Values::positive}) expect_float_accuracy(n, d, mask, values, n + d);
}

TEST(Tiled, FloatIsWithinTwoLogNUlpAt16384) {
  for (const std::size_t d : {4u, 16u, 64u})
    for (const Values values : {Values::normal, Values::positive})
      expect_float_accuracy(16384, d, Mask::future, values, d);
}

TEST(Tiled, FloatGradientsAreCloseToDouble) {
  Random random(6);
  const std::size_t n = 300, d = 16;
  const Tensors p = random_tensors(random, n, n, d, d);
  const Attention attention{.mask = Mask::future};
  const std::vector<float> q = to_float(p.q.data), k = to_float(p.k.data), v = to_float(p.v.data),
                           g = to_float(p.d_output.data);
  std::vector<float> output(n * d), d_q(n * d), d_k(n * d), d_v(n * d), d_tau(n);
  const auto rows = [&](auto& x) { return Rows(x.data(), n, d); };
  const TiledAttention tiled{.scale = 0.25, .mask = Mask::future};
  const auto statistics = tiled_forward<float>(tiled, rows(q), rows(k), rows(v), rows(output));
  tiled_backward<float>(tiled, rows(q), rows(k), rows(v), rows(output), statistics, {rows(g)},
                        {rows(d_q), rows(d_k), rows(d_v), d_tau});
  const Gradients exact = attend_backward(attention, p.q, p.k, p.v, {p.d_output});
  const auto difference = [](const std::vector<float>& a, const Matrix& b) {
    double top = 0;
    for (std::size_t c = 0; c < a.size(); ++c) top = std::max(top, std::abs(static_cast<double>(a[c]) - b.data[c]));
    return top / largest(b);
  };
  // Inputs rounded to float (u = 6e-8) change scores of size ≤ 10 by 1e-6; sums of 300 float terms add 300·u = 2e-5.
  EXPECT_LE(difference(d_q, exact.q), 2e-5);
  EXPECT_LE(difference(d_k, exact.k), 2e-5);
  EXPECT_LE(difference(d_v, exact.v), 2e-5);
}

}  // namespace
}  // namespace quench::attention
