// Extreme scores, temperatures and inputs: defined results, and no NaN unless the input has one.
#include <algorithm>
#include <cfloat>
#include <numeric>

#include "attention/attention.h"
#include "attention/kernel/tiled.h"
#include "attention/numeric.h"

namespace quench::attention {
namespace {

using Vec = std::vector<double>;
constexpr double kInf = INFINITY;

const std::vector<Vec>& extreme_rows() {
  static const std::vector<Vec> rows = {
      {1e30, -1e30, 0, 1e30},
      {1e30, 1e30 * (1 + 1e-15), -1e30},
      {-1e30, -1e30, -1e30},
      {DBL_TRUE_MIN, 0, -DBL_TRUE_MIN, 2 * DBL_TRUE_MIN},
      {1e-310, 1, 2e-310},
      {DBL_MAX, -DBL_MAX, 0},
      {-kInf, 1, 2, -kInf},
      {-kInf, -kInf},
      {0},
      {-1e30},
      Vec(50, 0.1),
      {5, 4, 3, 2, 1, 0, -1000, -1e8},
  };
  return rows;
}

struct Named {
  const char* name;
  std::function<WeightingFunction(double tau)> make;
  bool sums_to_one;
};

const std::vector<Named>& functions() {
  static const std::vector<Named> all = {
      {"softmax", [](double t) { return Softmax{t}; }, true},
      {"log softmax", [](double t) { return LogSoftmax{t}; }, true},
      {"scalable", [](double t) { return ScalableSoftmax{1 / t}; }, true},
      {"lhardmax", [](double) { return Hardmax{Weighting::lhardmax}; }, true},
      {"rhardmax", [](double) { return Hardmax{Weighting::rhardmax}; }, true},
      {"ahardmax", [](double) { return Hardmax{Weighting::ahardmax}; }, true},
      {"sparsemax", [](double t) { return Sparsemax{t}; }, true},
      {"1.5-entmax",
       [](double t) {
         return Entmax{1.5, t};
       },
       true},
      {"1.2-entmax",
       [](double t) {
         return Entmax{1.2, t};
       },
       true},
      {"3-entmax",
       [](double t) {
         return Entmax{3, t};
       },
       true},
      {"stick-breaking", [](double t) { return StickBreaking{t}; }, false},
      {"geometric", [](double t) { return GeometricAttention{t}; }, false},
      {"geometric, normalised",
       [](double t) {
         return GeometricAttention{t, true};
       },
       false},
      {"monotonic", [](double t) { return MonotonicAttention{t}; }, false},
      {"entropy-adaptive", [](double) { return EntropyAdaptive{}; }, true},
      {"gap-adaptive", [](double) { return GapAdaptive{}; }, true},
      {"Gumbel",
       [](double t) {
         return GumbelSoftmax{t, 1};
       },
       true},
      {"straight-through", [](double t) { return StraightThrough{t}; }, true},
      {"sampled",
       [](double t) {
         return SampledHard{t, 1};
       },
       true},
  };
  return all;
}

TEST(Stability, EveryWeightingIsFiniteAtEveryScaleAndTemperature) {
  for (const Named& f : functions()) {
    for (const double tau : {0.0, 1e-12, 1e-6, 1.0, 1e6, 1e12}) {
      if (tau == 0 && std::string(f.name) == "scalable") continue;  // its parameter is a sharpness, not a temperature
      for (const Vec& scores : extreme_rows()) {
        std::vector<std::size_t> keys(scores.size());
        std::iota(keys.begin(), keys.end(), std::size_t{0});
        Vec previous(scores.size()), w(scores.size(), NAN), d(scores.size(), NAN), d_previous(scores.size(), 0.0);
        MonotonicAttention::before_first(previous);
        const RowContext row{1, scores.size(), keys, previous, 1.5};
        weigh(f.make(tau), row, scores, w);
        const double sum = std::accumulate(w.begin(), w.end(), 0.0);
        const bool visible = std::ranges::any_of(scores, [](double s) { return s > -kInf; });
        for (const double x : w)
          EXPECT_TRUE(x >= 0 && x <= 1) << f.name << " τ " << tau << " first score " << scores[0];
        if (f.sums_to_one) {
          EXPECT_NEAR(sum, visible ? 1 : 0, 1e-13) << f.name << " τ " << tau << " first score " << scores[0];
        }
        EXPECT_LE(sum, 1 + 1e-13) << f.name;
        RowGradient gradient{.scores = d, .previous = d_previous};
        weigh_backward(f.make(tau), row, scores, w, Vec(scores.size(), 1.0), gradient);
        for (const double x : d) EXPECT_FALSE(std::isnan(x)) << f.name << " τ " << tau << " first score " << scores[0];
        EXPECT_FALSE(std::isnan(gradient.parameter)) << f.name << " τ " << tau << " first score " << scores[0];
      }
    }
  }
}

TEST(Stability, TheLimitsOfTemperatureAreReached) {
  const Vec scores = {1, 3, 3, 2.5};
  Vec w(4);
  softmax(scores, 1e-12, w);
  EXPECT_EQ(w, (Vec{0, 0.5, 0.5, 0}));
  softmax(scores, 1e12, w);
  for (const double x : w) EXPECT_NEAR(x, 0.25, 1e-12);  // e^{2/1e12} = 1 + 2e-12, a quarter of it off
  softmax(Vec{1e30, -1e30, 1e30}, 1e12, w = Vec(3));
  EXPECT_EQ(w, (Vec{0.5, 0, 0.5}));
  softmax(Vec{2, kInf, 0, kInf}, 1, w = Vec(4));
  EXPECT_EQ(w, (Vec{0, 0.5, 0, 0.5})) << "infinite scores share evenly";
}

TEST(Stability, ANanScoreIsNotHidden) {
  for (const Named& f : functions()) {
    Vec scores = {0.5, NAN, 1}, w(3), previous = {1, 0, 0};
    const std::vector<std::size_t> keys = {0, 1, 2};
    weigh(f.make(1.0), {2, 3, keys, previous}, scores, w);
    EXPECT_TRUE(std::ranges::any_of(w, [](double x) { return std::isnan(x); })) << f.name;
  }
}

// Queries and keys whose products are the wanted scores: q_i = a, k_j = s_j/a.
template <class T>
struct Extreme {
  std::vector<T> q, k, v, d_output;
  std::size_t n, m;
};

template <class T>
Extreme<T> extreme_problem(const Vec& scores) {
  Extreme<T> p;
  p.n = 5;
  p.m = scores.size();
  p.q.assign(p.n, static_cast<T>(1e15));
  for (std::size_t j = 0; j < p.m; ++j) {
    p.k.push_back(static_cast<T>(scores[j] / 1e15));
    p.v.push_back(static_cast<T>(j) - 1);
  }
  p.d_output.assign(p.n, T{1});
  return p;
}

template <class T>
void expect_tiled_is_finite() {
  for (const Vec& scores : {Vec{1e30, -1e30, 0, 1e30}, Vec{-1e30, -1e30}, Vec{1e-30, -1e-30, 0}, Vec(200, 1e30)}) {
    for (const double tau : {1e-12, 1e-3, 1.0, 1e6, 1e12}) {
      for (const Mask mask : {Mask::none, Mask::strict_future}) {
        const Extreme<T> p = extreme_problem<T>(scores);
        const TiledAttention tiled{.mask = mask, .tau = tau};
        std::vector<T> output(p.n), d_q(p.n), d_k(p.m), d_v(p.m), d_tau(p.n);
        const Rows<const T> q(p.q.data(), p.n, 1), k(p.k.data(), p.m, 1), v(p.v.data(), p.m, 1);
        const auto statistics = tiled_forward<T>(tiled, q, k, v, {output.data(), p.n, 1});
        tiled_backward<T>(tiled, q, k, v, {output.data(), p.n, 1}, statistics, {{p.d_output.data(), p.n, 1}},
                          {{d_q.data(), p.n, 1}, {d_k.data(), p.m, 1}, {d_v.data(), p.m, 1}, d_tau});
        for (const auto* x : {&output, &d_q, &d_k, &d_v, &d_tau})
          for (const T value : *x) EXPECT_TRUE(std::isfinite(value)) << "τ " << tau << " score " << scores[0];
        if (mask == Mask::strict_future) {
          EXPECT_EQ(output[0], 0) << "sees nothing";
        }
      }
    }
  }
}

TEST(Stability, TheTiledKernelIsFiniteAtEveryScaleAndTemperature) {
  expect_tiled_is_finite<float>();
  expect_tiled_is_finite<double>();
}

TEST(Stability, TheTiledKernelPicksTheMaximisersWhenCold) {
  const Extreme<float> p = extreme_problem<float>({1e30, -1e30, 0, 1e30});
  std::vector<float> output(p.n);
  tiled_forward<float>({.tau = 1e-12}, {p.q.data(), p.n, 1}, {p.k.data(), p.m, 1}, {p.v.data(), p.m, 1},
                       {output.data(), p.n, 1});
  for (const float x : output) EXPECT_EQ(x, 0.5f);  // the mean of values −1 and 2
}

TEST(Stability, OverflowingProductsCountAsTheLargestNumber) {
  // 1e30·1e30 is ∞ in float; both such keys tie at the clamp, and there is no ∞ − ∞.
  const std::vector<float> q = {1e30f}, k = {1e30f, 1, 1e30f, -1e30f}, v = {1, 5, 3, 9};
  std::vector<float> output(1);
  tiled_forward<float>({}, {q.data(), 1, 1}, {k.data(), 4, 1}, {v.data(), 4, 1}, {output.data(), 1, 1});
  EXPECT_EQ(output[0], 2);
}

TEST(Stability, MinusInfinityInABiasIsAMask) {
  Random random(1);
  const Matrix q = testing::random_matrix(random, 6, 3), v = testing::random_matrix(random, 6, 2);
  const Attention masked{.mask = Mask::strict_future};
  const Attention biased{.position_terms = {BiasFunction{[](auto i, auto j) { return j < i ? 0.0 : -kInf; }}}};
  EXPECT_EQ(attend_by_rows(biased, q, q, v), attend_by_rows(masked, q, q, v));
  EXPECT_EQ(attend(biased, q, q, v), attend(masked, q, q, v));
  const Gradients a = attend_backward(biased, q, q, v, {v}), b = attend_backward(masked, q, q, v, {v});
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.v, b.v);
}

TEST(Stability, WhatIsMaskedMayHoldNanOnTheFastPathToo) {
  Random random(2);
  Matrix q = testing::random_matrix(random, 6, 3), v = testing::random_matrix(random, 6, 2);
  const Attention attention{.mask = Visibility::padding(5)};
  const Matrix expected = attend_by_rows(attention, q, q, v);
  Matrix k = q;
  for (double& x : Rows<double>(k)[5]) x = NAN;
  for (double& x : Rows<double>(v)[5]) x = kInf;
  EXPECT_EQ(attend(attention, q, k, v), expected);
}

}  // namespace
}  // namespace quench::attention
