// The tiled kernel at odd shapes, in float and double, against the row-by-row path on the same numbers; and the same
// bits whatever the threads and the width of registers.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "attention/attention.h"
#include "attention/kernel/targets.h"
#include "attention/kernel/tiled.h"
#include "attention/numeric.h"

namespace quench::attention {
namespace {

template <class T>
struct Numbers {
  std::size_t rows, cols;
  std::vector<T> data;

  Numbers(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c) {}
  Numbers(Random& random, std::size_t r, std::size_t c) : Numbers(r, c) {
    for (T& x : data) x = static_cast<T>(testing::normal(random));
  }
  Rows<const T> in() const { return {data.data(), rows, cols}; }
  Rows<T> out() { return {data.data(), rows, cols}; }
  Matrix exact() const {
    Matrix m(rows, cols);
    std::copy(data.begin(), data.end(), m.data.begin());
    return m;
  }
  double largest() const {
    double top = 0;
    for (const T x : data) top = std::max(top, std::abs(static_cast<double>(x)));
    return top;
  }
  bool operator==(const Numbers&) const = default;
};

struct Shape {
  std::size_t n, m, d, d_v;
  double scale, tau;
  Visibility mask;
};

template <class T>
struct Problem {
  Shape shape;
  Numbers<T> q, k, v, g;

  Problem(Random& random, const Shape& s)
      : shape(s), q(random, s.n, s.d), k(random, s.m, s.d), v(random, s.m, s.d_v), g(random, s.n, s.d_v) {}
  TiledAttention head(bool parallel = true) const {
    return {.scale = shape.scale, .mask = shape.mask, .tau = shape.tau, .parallel = parallel};
  }
};

template <class T>
struct Results {
  Numbers<T> output, d_q, d_k, d_v;
  std::vector<T> d_tau;

  explicit Results(const Shape& s) : output(s.n, s.d_v), d_q(s.n, s.d), d_k(s.m, s.d), d_v(s.m, s.d_v), d_tau(s.n) {}
  bool operator==(const Results&) const = default;
};

template <class T>
Results<T> run(const Problem<T>& p, bool parallel, bool with_tau) {
  Results<T> r(p.shape);
  TiledAttention head = p.head(parallel);
  head.entropy = with_tau;
  const auto rows = tiled_forward<T>(head, p.q.in(), p.k.in(), p.v.in(), r.output.out());
  const std::span<T> tau = with_tau ? std::span<T>(r.d_tau) : std::span<T>();
  tiled_backward<T>(head, p.q.in(), p.k.in(), p.v.in(), std::as_const(r.output).in(), rows, {p.g.in()},
                    {r.d_q.out(), r.d_k.out(), r.d_v.out(), tau});
  return r;
}

// How far the kernel may be from the exact values; u is the unit roundoff, `terms` ≥ every number of summands.
//   score       |δs| ≤ (d + 2)u·S, S ≥ Σ_c |q_c k_c|·scale + |scale rounded|
//   weight      e = exp((s − max)/τ): relative error ε ≤ 2(d + 2)u·S/τ + (2 + 2S/τ)u   (proved above exp_scaled)
//   output      Σ e v/Σ e: |δo| ≤ V·(2ε + 2(m + 2)u)                                    V = max|v|
//   α           relative error a = 2ε + (m + 3)u, with the backward pass computing its scores anew
//   ∂L/∂s       α (g·v − Σ α g·v)/τ: |δ| ≤ α·G/τ·(2a + 2(d_v + 2)u + 2ε + 2(m + 2)u + 4u)   G = 2 Σ_c max|g| max|v|
//   ∂L/∂q       Σ_j α_ij = 1: K·scale/τ·G·(that + (m + 2)u);    ∂L/∂k   n times that with Q for K
//   ∂L/∂v       n·max|g|·(a + (n + 2)u)
//   ∂L/∂τ       Σ_j ∂L/∂s (s − max)/τ: 2S/τ·G/τ·(that + ε + (m + 2)u)
// The path by rows, in double, has errors of the same form, far smaller when T is float.
struct Bounds {
  double output, q, k, v, tau;
};

template <class T>
Bounds bounds(const Problem<T>& p) {
  constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2;
  const Shape& s = p.shape;
  const auto count = [](std::size_t x) { return static_cast<double>(x); };
  double size = 0;
  for (std::size_t i = 0; i < s.n; ++i)
    for (std::size_t j = 0; j < s.m; ++j) {
      double sum = 0;
      for (std::size_t c = 0; c < s.d; ++c)
        sum += std::abs(static_cast<double>(p.q.data[i * s.d + c]) * static_cast<double>(p.k.data[j * s.d + c]));
      size = std::max(size, sum * s.scale);
    }
  const double x = 2 * size / s.tau;
  const double e = (x * (count(s.d) + 2) + 2 + x) * kUnit, a = 2 * e + (count(s.m) + 3) * kUnit;
  const double v = p.v.largest(), gradient = 2 * count(s.d_v) * p.g.largest() * v;
  const double slope = 2 * a + 2 * e + 2 * (count(s.d_v) + 2 + count(s.m) + 4) * kUnit;
  const double both = std::is_same_v<T, float> ? 1.001 : 2;
  return {.output = both * v * (2 * e + 2 * (count(s.m) + 2) * kUnit),
          .q = both * p.k.largest() * s.scale / s.tau * gradient * (slope + (count(s.m) + 2) * kUnit),
          .k = both * count(s.n) * p.q.largest() * s.scale / s.tau * gradient * (slope + (count(s.n) + 2) * kUnit),
          .v = both * count(s.n) * p.g.largest() * (a + (count(s.n) + 2) * kUnit),
          .tau = both * x * gradient / s.tau * (slope + e + (count(s.m) + 2) * kUnit)};
}

template <class T>
double difference(const std::vector<T>& a, const std::vector<double>& b) {
  double top = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c)
    top = std::max(top, std::isnan(a[c]) ? INFINITY : std::abs(static_cast<double>(a[c]) - b[c]));
  return top;
}

Attention by_rows(const Shape& s) {
  // Scores of the rows: the dot product, brought to `scale` through the temperature of a softmax that is homogeneous.
  return {.score = Dot{}, .mask = s.mask, .weighting = Softmax{s.tau / s.scale}};
}

template <class T>
void expect_rows(Random& random, const Shape& shape) {
  const Problem<T> p(random, shape);
  const Matrix q = p.q.exact(), k = p.k.exact(), v = p.v.exact(), g = p.g.exact();
  const Matrix output = attend_by_rows(by_rows(shape), q, k, v);
  const Gradients exact = attend_by_rows_backward(by_rows(shape), q, k, v, {g});
  const Bounds allowed = bounds(p);
  for (const bool with_tau : {false, true}) {
    const Results<T> r = run(p, true, with_tau);
    EXPECT_LE(difference(r.output.data, output.data), allowed.output);
    EXPECT_LE(difference(r.d_q.data, exact.q.data), allowed.q);
    EXPECT_LE(difference(r.d_k.data, exact.k.data), allowed.k);
    EXPECT_LE(difference(r.d_v.data, exact.v.data), allowed.v);
    if (!with_tau) continue;
    std::vector<double> d_tau = exact.weighting;  // with respect to τ/scale
    for (double& x : d_tau) x /= shape.scale;
    EXPECT_LE(difference(r.d_tau, d_tau), allowed.tau);
  }
}

std::vector<Visibility> masks(Random& random, std::size_t m) {
  BooleanTable table{30, 30, std::vector<std::uint8_t>(900)};
  for (auto& cell : table.cells) cell = random.chance(0.4);
  return {Mask::none,
          Mask::future,
          Mask::past,
          Mask::strict_future,
          Mask::strict_past,
          Visibility::window(random.below(200), random.below(120)),
          Visibility(Mask::future) & Visibility::padding(random.below(m + 1)),
          Visibility::blocks(13, table)};
}

Shape random_shape(Random& random, std::size_t longest, std::size_t widest) {
  const std::size_t m = 1 + random.below(longest);
  const std::vector<Visibility> choice = masks(random, m);
  return {.n = 1 + random.below(longest),
          .m = m,
          .d = 1 + random.below(widest),
          .d_v = 1 + random.below(widest),
          .scale = 0.05 + 0.2 * random.unit(),
          .tau = 0.3 + 2 * random.unit(),
          .mask = choice[random.below(choice.size())]};
}

template <class T>
void expect_rows_at_odd_shapes(std::uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < 40; ++trial) {
    const Shape shape = random_shape(random, trial % 4 == 0 ? 420 : 120, trial % 2 == 0 ? 130 : 9);
    SCOPED_TRACE(::testing::Message() << "n " << shape.n << ", m " << shape.m << ", d " << shape.d << ", d_v "
                                      << shape.d_v << ", trial " << trial);
    expect_rows<T>(random, shape);
  }
}

TEST(TiledShapes, FloatIsTheRowsAtOddShapes) { expect_rows_at_odd_shapes<float>(1); }
TEST(TiledShapes, DoubleIsTheRowsAtOddShapes) { expect_rows_at_odd_shapes<double>(2); }

// Every width, at lengths around the sizes of blocks (16, 32, 48) and tiles (96), with a partly visible tile.
template <class T>
void expect_rows_at_every_width(std::uint64_t seed) {
  Random random(seed);
  for (std::size_t d = 1; d <= 130; ++d) {
    const std::size_t lengths[] = {1, 15, 16, 17, 47, 48, 49, 95, 96, 97, 145};
    Shape shape{.n = lengths[random.below(11)],
                .m = lengths[random.below(11)],
                .d = d,
                .d_v = 131 - d,
                .scale = 1 / std::sqrt(static_cast<double>(d)),
                .tau = 1,
                .mask = random.chance(0.5) ? Mask::future : Mask::none};
    SCOPED_TRACE(::testing::Message() << "n " << shape.n << ", m " << shape.m << ", d " << d);
    expect_rows<T>(random, shape);
  }
}

TEST(TiledShapes, FloatIsTheRowsAtEveryWidth) { expect_rows_at_every_width<float>(3); }
TEST(TiledShapes, DoubleIsTheRowsAtEveryWidth) { expect_rows_at_every_width<double>(4); }

template <class T>
void expect_the_same_bits(std::uint64_t seed) {
  Random random(seed);
  for (int trial = 0; trial < 8; ++trial) {
    const Problem<T> p(random, random_shape(random, 900, 40));
    const bool with_tau = trial % 2 == 0;
    const Results<T> serial = run(p, false, with_tau);
    for (int repeat = 0; repeat < 3; ++repeat) EXPECT_TRUE(run(p, true, with_tau) == serial) << "threads";
    testing::on_every_target([&](bool fused) {
      EXPECT_TRUE(!fused || run(p, true, with_tau) == serial) << "width of registers";
    });
  }
}

TEST(TiledShapes, BitsDependNeitherOnThreadsNorOnTheWidthOfRegisters) {
  if ((hwy::SupportedTargets() & ~testing::kNotFused) == 0) GTEST_SKIP() << "no fused multiply-add";
  expect_the_same_bits<float>(5);
  expect_the_same_bits<double>(6);
}

// A query alone gives what it gives among others: nothing leaks from lane to lane or from tile to tile.
TEST(TiledShapes, AQueryDoesNotDependOnItsNeighbours) {
  Random random(7);
  for (int trial = 0; trial < 6; ++trial) {
    Shape shape = random_shape(random, 300, 20);
    shape.mask = trial % 2 ? Visibility(Mask::none) : Visibility::padding(shape.m / 2 + 1);
    const Problem<float> p(random, shape);
    Numbers<float> all(shape.n, shape.d_v), one(1, shape.d_v);
    tiled_forward<float>(p.head(), p.q.in(), p.k.in(), p.v.in(), all.out());
    for (std::size_t i = 0; i < shape.n; i += 1 + random.below(20)) {
      tiled_forward<float>(p.head(), {p.q.data.data() + i * shape.d, 1, shape.d}, p.k.in(), p.v.in(), one.out());
      for (std::size_t c = 0; c < shape.d_v; ++c) ASSERT_EQ(one.data[c], all.data[i * shape.d_v + c]) << i;
    }
  }
}

TEST(TiledShapes, NothingToSeeGivesZeros) {
  Random random(8);
  const Problem<float> p(random, {50, 60, 5, 7, 1, 1, Visibility::padding(0)});
  Results<float> zero(p.shape);
  EXPECT_TRUE(run(p, true, true) == zero);
  const Problem<float> none(random, {3, 0, 5, 7, 1, 1, Mask::none});
  EXPECT_TRUE(run(none, true, false) == Results<float>(none.shape));
  const Problem<float> nobody(random, {0, 3, 5, 7, 1, 1, Mask::none});
  EXPECT_TRUE(run(nobody, true, true) == Results<float>(nobody.shape));
}

}  // namespace
}  // namespace quench::attention
