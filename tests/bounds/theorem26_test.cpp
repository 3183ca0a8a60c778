// Section 5 and Appendix D of the paper: every lemma against random cases computed by its definition.
#include "bounds/theorem26.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/number/matrix.h"
#include "base/number/random.h"

namespace quench::bounds {
namespace {

using Vector = std::vector<double>;

constexpr double kRounding = 1e-12;  // relative; the cases themselves are computed in doubles of size about 1

double norm(const Vector& x) {
  double total = 0;
  for (const double value : x) total += std::fabs(value);
  return total;
}
Vector minus(const Vector& x, const Vector& y) {
  Vector z(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) z[c] = x[c] - y[c];
  return z;
}
Vector times(const Matrix& w, const Vector& x) {
  Vector y(w.rows);
  for (std::size_t r = 0; r < w.rows; ++r)
    for (std::size_t c = 0; c < w.cols; ++c) y[r] += w(r, c) * x[c];
  return y;
}
double dot(const Vector& x, const Vector& y) {
  double total = 0;
  for (std::size_t c = 0; c < x.size(); ++c) total += x[c] * y[c];
  return total;
}
Vector relu(Vector x) {
  for (double& value : x) value = std::max(value, 0.0);
  return x;
}
Vector softmax(const Vector& scores, double inverse_tau) {
  const double top = *std::max_element(scores.begin(), scores.end());
  Vector e;
  for (const double score : scores) e.push_back(std::exp((score - top) * inverse_tau));
  const double total = norm(e);
  for (double& value : e) value /= total;
  return e;
}

class Theorem26 : public testing::Test {
 protected:
  double entry(double p) { return random_.chance(0.3) ? (random_.chance(0.5) ? p : -p) : (2 * random_.unit() - 1) * p; }
  Matrix matrix(std::size_t d, double p) {
    Matrix w(d, d);
    for (double& value : w.data) value = entry(p);
    return w;
  }
  Vector vector(std::size_t d, double size) {
    Vector x(d);
    for (double& value : x) value = entry(size);
    return x;
  }
  /// A vector whose 1-norm is at most `size`.
  Vector small(std::size_t d, double size) {
    Vector x = vector(d, 1);
    if (random_.chance(0.3)) x = Vector(d), x[random_.below(d)] = 1;
    const double scale = size / std::max(norm(x), 1e-9);
    for (double& value : x) value *= scale;
    return x;
  }
  Size size() { return {static_cast<double>(1 + random_.below(5)), 0.25 + 2 * random_.unit(), 1 + 2 * random_.unit()}; }
  Random random_{26};
};

#define EXPECT_BOUND(measured, bound) EXPECT_LE(measured, (bound) * (1 + kRounding) + kRounding)

TEST_F(Theorem26, Lemma28BoundsALinearMap) {
  for (int count = 0; count < 3000; ++count) {
    const Size s = size();
    const auto d = static_cast<std::size_t>(s.d);
    const Vector u = vector(d, 3);
    EXPECT_BOUND(norm(times(matrix(d, s.p), u)), linear_norm(s, norm(u)));
  }
  // All entries p and a unit vector: equality.
  Matrix w(3, 3);
  w.data.assign(9, 2.0);
  EXPECT_DOUBLE_EQ(norm(times(w, {0, 1, 0})), linear_norm({3, 2, 1}, 1));
}

TEST_F(Theorem26, Lemma29BoundsActivationsWithAndWithoutResiduals) {
  for (int count = 0; count < 1000; ++count) {
    Size s = size();
    s.p = std::max(s.p, 1.0);
    const auto d = static_cast<std::size_t>(s.d);
    std::vector<Vector> plain, residual;
    for (int i = 0; i < 3; ++i) plain.push_back(vector(d, s.x_max));
    residual = plain;
    for (int layer = 1; layer <= 3; ++layer) {
      const Matrix v = matrix(d, s.p), w1 = matrix(d, s.p), w2 = matrix(d, s.p);
      const Vector b1 = vector(d, s.p), b2 = vector(d, s.p), weights = softmax(vector(3, 1), 1);
      const auto mean = [&](const std::vector<Vector>& x) {
        Vector total(d);
        for (std::size_t j = 0; j < 3; ++j)
          for (std::size_t c = 0; c < d; ++c) total[c] += weights[j] * times(v, x[j])[c];
        return total;
      };
      const Vector a = mean(plain), b = mean(residual);
      for (std::size_t i = 0; i < 3; ++i) {
        plain[i] = times(w2, relu(times(w1, a)));
        for (std::size_t c = 0; c < d; ++c) residual[i][c] += b[c];
        Vector hidden = times(w1, residual[i]);
        for (std::size_t c = 0; c < d; ++c) hidden[c] += b1[c];
        const Vector out = times(w2, relu(hidden));
        for (std::size_t c = 0; c < d; ++c) residual[i][c] += out[c] + b2[c];
        EXPECT_BOUND(norm(plain[i]), activation_norm(s, layer));
        EXPECT_BOUND(norm(residual[i]), residual_activation_norm(s, layer));
      }
    }
  }
}

TEST_F(Theorem26, Lemma30BoundsTheErrorOfAFeedForward) {
  for (int count = 0; count < 3000; ++count) {
    const Size s = size();
    const auto d = static_cast<std::size_t>(s.d);
    const Matrix w1 = matrix(d, s.p), w2 = matrix(d, s.p);
    const Vector u = vector(d, 1), off = small(d, 0.1);
    const Vector v = times(w2, relu(times(w1, u))), w = times(w2, relu(times(w1, minus(u, off))));
    EXPECT_BOUND(norm(minus(v, w)), feed_forward_error(s, norm(off)));
  }
}

TEST_F(Theorem26, Lemmas31And34BoundAttentionWithGivenWeights) {
  for (int count = 0; count < 3000; ++count) {
    const Size s = size();
    const auto d = static_cast<std::size_t>(s.d);
    const std::size_t n = 1 + random_.below(5);
    const Matrix w = matrix(d, s.p);
    const Vector a = softmax(vector(n, 2), 1), b = softmax(vector(n, 2), 1);
    Vector uniform(d), exact(d), other(d);
    double greatest = 0;
    for (std::size_t j = 0; j < n; ++j) {
      const Vector u = vector(d, 2), off = small(d, 0.3), moved = minus(u, off);
      greatest = std::max(greatest, norm(u));
      const Vector wu = times(w, u), wm = times(w, moved);
      for (std::size_t c = 0; c < d; ++c) {
        uniform[c] += (wu[c] - wm[c]) / static_cast<double>(n);
        exact[c] += a[j] * wu[c];
        other[c] += b[j] * wm[c];
      }
    }
    EXPECT_BOUND(norm(uniform), uniform_error(s, 0.3));
    EXPECT_BOUND(norm(minus(exact, other)), attention_error(s, greatest, norm(minus(a, b)), 0.3));
  }
}

// The printed constant is right, but by |v·v'| ≤ ‖v‖₁·max|v'|, not by the product of two 1-norms.
TEST_F(Theorem26, Lemma32BoundsTheErrorOfScores) {
  for (int count = 0; count < 3000; ++count) {
    const Size s = size();
    const auto d = static_cast<std::size_t>(s.d);
    const Matrix q = matrix(d, s.p), k = matrix(d, s.p);
    const Vector u = vector(d, 2), v = vector(d, 2), x = minus(u, small(d, 0.2)), y = minus(v, small(d, 0.2));
    const double off = std::fabs(dot(times(q, u), times(k, v)) - dot(times(q, x), times(k, y))) / std::sqrt(s.d);
    EXPECT_BOUND(off, score_error(s, std::max(norm(u), norm(v)), 0.2));
  }
  // d = 1: equality.
  EXPECT_NEAR(1.5 * 1.5 * (2.2 * 2.2 - 2 * 2), score_error({1, 1.5, 1}, 2, 0.2), 1e-12);
}

TEST_F(Theorem26, Lemma33BoundsSoftmaxOfATielessRowAndIsNearlyReached) {
  double worst = 0;
  for (int count = 0; count < 20000; ++count) {
    const std::size_t n = 1 + random_.below(8), best = random_.below(n);
    const double gap = 0.2 + random_.unit(), delta = 0.49 * gap * random_.unit(), inverse_tau = 1 + 20 * random_.unit();
    Vector scores(n), hard(n);
    hard[best] = 1;
    const bool extreme = random_.chance(0.5);
    for (std::size_t j = 0; j < n; ++j) {
      const double s = j == best ? 0 : -gap - (extreme ? 0 : random_.unit());
      scores[j] = s + (extreme ? (j == best ? -delta : delta) : entry(delta));
    }
    const double distance = norm(minus(hard, softmax(scores, inverse_tau)));
    const double bound = tieless_distance({static_cast<double>(n), gap, delta, inverse_tau});
    EXPECT_BOUND(distance, bound);
    EXPECT_LE(bound, 2 * static_cast<double>(n) * std::exp(-(gap - 2 * delta) * inverse_tau) * (1 + kRounding));
    if (n > 1 && bound < 0.1) worst = std::max(worst, distance / bound);
  }
  EXPECT_GT(worst, 0.9);
  EXPECT_TRUE(std::isinf(tieless_distance({4, 1, 0.5, 100})));  // δ = γ/2 says nothing
}

TEST_F(Theorem26, Lemma33WithTiesBoundsSoftmaxAndIsNearlyReached) {
  double worst = 0;
  for (int count = 0; count < 20000; ++count) {
    const std::size_t n = 2 + random_.below(7), k = 1 + random_.below(n);
    const double gap = 0.2 + random_.unit(), delta = 0.3 * gap * random_.unit() * random_.unit();
    const double inverse_tau = 1 + 20 * random_.unit();
    Vector scores(n), hard(n);
    const bool extreme = random_.chance(0.5);
    for (std::size_t j = 0; j < n; ++j) {
      hard[j] = j < k ? 1 / static_cast<double>(k) : 0;
      const double s = j < k ? 0 : -gap - (extreme ? 0 : random_.unit());
      scores[j] = s + (extreme ? (j % 2 == 0 || j >= k ? delta : -delta) : entry(delta));
    }
    const double distance = norm(minus(hard, softmax(scores, inverse_tau)));
    const Row row{static_cast<double>(n), gap, delta, inverse_tau};
    EXPECT_BOUND(distance, tied_distance(row, static_cast<double>(k)));
    EXPECT_BOUND(distance, tied_distance(row));
    EXPECT_LE(tied_distance(row, static_cast<double>(k)), tied_distance(row) * (1 + kRounding));
    worst = std::max(worst, distance / tied_distance(row, static_cast<double>(k)));
  }
  EXPECT_GT(worst, 0.99);
}

/// One layer of one head with residual connections and biases, run hard and soft.
TEST_F(Theorem26, Lemma25AndTheTheoremBoundWholeTielessLayers) {
  int tieless = 0;
  for (int count = 0; count < 400; ++count) {
    const std::size_t d = 1 + random_.below(3), n = 2 + random_.below(3);
    const Size s{static_cast<double>(d), 1, 1};
    const Matrix q = matrix(d, 1), k = matrix(d, 1), v = matrix(d, 1), w1 = matrix(d, 1), w2 = matrix(d, 1);
    const Vector b1 = vector(d, 1);
    std::vector<Vector> u;
    for (std::size_t j = 0; j < n; ++j) u.push_back(vector(d, 1));
    const auto scores_of = [&](std::size_t i) {
      Vector scores;
      for (std::size_t j = 0; j < n; ++j)
        scores.push_back(dot(times(q, u[i]), times(k, u[j])) / std::sqrt(static_cast<double>(d)));
      return scores;
    };
    double gap = 1;
    for (std::size_t i = 0; i < n; ++i) {
      Vector scores = scores_of(i);
      std::sort(scores.rbegin(), scores.rend());
      gap = std::min(gap, scores[0] - scores[1]);
    }
    if (gap < 1e-3) continue;
    ++tieless;
    const PaperConstants constants = paper_constants(s, 1, gap, static_cast<double>(n));
    const auto layer = [&](std::size_t i, const Vector& weights) {
      Vector x = u[i];
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t c = 0; c < d; ++c) x[c] += weights[j] * times(v, u[j])[c];
      Vector hidden = times(w1, x);
      for (std::size_t c = 0; c < d; ++c) hidden[c] += b1[c];
      const Vector out = times(w2, relu(hidden));
      for (std::size_t c = 0; c < d; ++c) x[c] += out[c];
      return x;
    };
    for (const double inverse_tau : {1.0, 2 / gap, constants.inverse_tau})
      for (std::size_t i = 0; i < n; ++i) {
        const Vector scores = scores_of(i);
        Vector hard(n);
        hard[static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin())] = 1;
        const double off = norm(minus(layer(i, hard), layer(i, softmax(scores, inverse_tau))));
        EXPECT_BOUND(off, paper_layer_error(constants, s, {static_cast<double>(n), gap, 0, inverse_tau}, 0));
        if (inverse_tau == constants.inverse_tau) {
          EXPECT_LE(off, std::exp(constants.log_allowed.back()) + kRounding);
          EXPECT_LE(off, 0.25);
        }
      }
  }
  EXPECT_GT(tieless, 100);
}

TEST_F(Theorem26, TemperatureGrowsAsTheTheoremSays) {
  const Size s{8, 2, 1};
  double before = 0;
  for (double n = 16; n < 1e6; n *= 2) {
    const double ratio = paper_constants(s, 3, 1 / n, n).inverse_tau / (n * std::log(n * n));
    if (before > 0) {
      EXPECT_LE(ratio, before);  // the constant in front falls to its limit
    }
    before = ratio;
  }
  EXPECT_LT(before, 20);
  // Deeper and wider networks outgrow doubles; their logarithms do not.
  EXPECT_TRUE(std::isfinite(paper_constants({64, 100, 1}, 60, 1e-3, 100).inverse_tau));
}

}  // namespace
}  // namespace quench::bounds
