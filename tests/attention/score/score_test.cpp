#include "attention/score/score.h"

#include "attention/numeric.h"
#include "base/error.h"

namespace quench::attention {
namespace {

using testing::random_matrix;
using testing::random_vector;

double plain_dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

// The definitions, pair by pair.
double plain(const Dot&, std::span<const double> q, std::span<const double> k) { return plain_dot(q, k); }
double plain(const ScaledDot&, std::span<const double> q, std::span<const double> k) {
  return plain_dot(q, k) / std::sqrt(static_cast<double>(k.size()));
}
double plain(const General& s, std::span<const double> q, std::span<const double> k) {
  double sum = 0;
  for (std::size_t a = 0; a < q.size(); ++a)
    for (std::size_t b = 0; b < k.size(); ++b) sum += q[a] * s.w(a, b) * k[b];
  return sum;
}
double plain(const Additive& s, std::span<const double> q, std::span<const double> k) {
  double sum = 0;
  for (std::size_t a = 0; a < s.v.size(); ++a) {
    double inside = s.b[a];
    for (std::size_t c = 0; c < q.size(); ++c) inside += s.w_q(a, c) * q[c];
    for (std::size_t c = 0; c < k.size(); ++c) inside += s.w_k(a, c) * k[c];
    sum += s.v[a] * std::tanh(inside);
  }
  return sum;
}
double plain(const Cosine& s, std::span<const double> q, std::span<const double> k) {
  return s.scale * plain_dot(q, k) / std::sqrt(plain_dot(q, q) * plain_dot(k, k));
}

struct Case {
  const char* name;
  std::size_t d_q, d_k;
  Score score;
};

std::vector<Case> cases(Random& random) {
  const auto matrix = [&](std::size_t r, std::size_t c) { return random_matrix(random, r, c, 0.5); };
  return {{"dot", 4, 4, Dot{}},
          {"scaled dot", 5, 5, ScaledDot{}},
          {"general", 3, 5, General{matrix(3, 5)}},
          {"additive", 3, 4, Additive{matrix(6, 3), matrix(6, 4), random_vector(random, 6), random_vector(random, 6)}},
          {"cosine", 4, 4, Cosine{1.7}}};
}

TEST(Score, EveryScoreIsItsDefinition) {
  Random random(1);
  for (int trial = 0; trial < 20; ++trial) {
    for (const Case& c : cases(random)) {
      const Matrix keys = random_matrix(random, 9, c.d_k);
      const std::vector<double> q = random_vector(random, c.d_q);
      const std::vector<std::size_t> visible = {0, 2, 3, 8};
      std::vector<double> scores(4);
      begin_pass(c.score, keys, c.d_q)->row(q, visible, scores);
      for (std::size_t t = 0; t < 4; ++t) {
        const auto key = Rows<const double>(keys)[visible[t]];
        const double expected = std::visit([&](const auto& s) { return plain(s, q, key); }, c.score);
        // At most 30 products of numbers of size about 1 in two different orders: 30·2·u·(Σ|terms| ≲ 30) < 1e-12.
        EXPECT_NEAR(scores[t], expected, 1e-12) << c.name;
      }
    }
  }
}

// All numbers a score is made of, to difference and to compare with the gradient.
std::vector<std::span<double>> parameters(Score& score) {
  if (auto* s = std::get_if<General>(&score)) return {s->w.data};
  if (auto* s = std::get_if<Additive>(&score)) return {s->w_q.data, s->w_k.data, s->v, s->b};
  if (auto* s = std::get_if<Cosine>(&score)) return {{&s->scale, 1}};
  return {};
}

TEST(Score, GradientsAreThoseOfDifferences) {
  Random random(2);
  for (int trial = 0; trial < 10; ++trial) {
    for (Case& c : cases(random)) {
      Matrix keys = random_matrix(random, 6, c.d_k);
      std::vector<double> q = random_vector(random, c.d_q);
      const std::vector<std::size_t> visible = {0, 2, 5};
      const std::vector<double> g = random_vector(random, 3);
      const auto loss = [&] {
        std::vector<double> scores(3);
        begin_pass(c.score, keys, c.d_q)->row(q, visible, scores);
        return plain_dot(scores, g);
      };
      std::vector<double> d_q(c.d_q, 0.0);
      Matrix d_keys(6, c.d_k);
      Score d_score = zero_like(c.score);
      const auto pass = begin_pass(c.score, keys, c.d_q);
      pass->row_backward(q, visible, g, d_q);
      pass->finish(d_keys, d_score);
      testing::expect_gradient(d_q, q, loss, c.name);
      testing::expect_gradient(d_keys.data, keys.data, loss, c.name);
      const auto values = parameters(c.score), gradients = parameters(d_score);
      for (std::size_t p = 0; p < values.size(); ++p) testing::expect_gradient(gradients[p], values[p], loss, c.name);
    }
  }
}

TEST(Score, CosineOfTheZeroVectorIsZeroWithoutGradient) {
  const Matrix keys(2, 3);
  const std::vector<double> q = {1, 2, 3};
  std::vector<double> scores(2), d_q(3, 0.0);
  const std::vector<std::size_t> visible = {0, 1};
  const auto pass = begin_pass(Cosine{}, keys, 3);
  pass->row(q, visible, scores);
  EXPECT_EQ(scores, (std::vector<double>{0, 0}));
  Matrix d_keys(2, 3);
  Score d_score = Cosine{0};
  pass->row_backward(q, visible, std::vector<double>{1, 1}, d_q);
  pass->finish(d_keys, d_score);
  EXPECT_EQ(d_keys, Matrix(2, 3));
}

TEST(Score, WidthsThatDoNotFitAreRefused) {
  const Matrix keys(2, 3);
  EXPECT_THROW(begin_pass(Dot{}, keys, 4), UserError);
  EXPECT_THROW(begin_pass(General{Matrix(4, 4)}, keys, 4), UserError);
  EXPECT_THROW(begin_pass(Additive{Matrix(2, 4), Matrix(2, 3), {1, 1}, {0}}, keys, 4), UserError);
}

}  // namespace
}  // namespace quench::attention
