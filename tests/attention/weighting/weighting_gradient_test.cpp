// Gradients of everything that has one, by differences, to scores, to τ and to the previous row.
#include "attention/weighting/weighting_rows.h"

namespace quench::attention {
namespace {

using testing::plain_entropy;
using testing::plain_softmax;
using testing::random_row;
using testing::random_vector;
using testing::Row;
using testing::Vec;
using testing::weights_of;

struct Differentiable {
  const char* name;
  std::function<WeightingFunction(double parameter)> make;
  double parameter;
};

const std::vector<Differentiable>& differentiable() {
  static const std::vector<Differentiable> all = {
      {"softmax", [](double t) { return Softmax{t}; }, 0.8},
      {"log softmax", [](double t) { return LogSoftmax{t}; }, 1.3},
      {"scalable softmax", [](double s) { return ScalableSoftmax{s}; }, 0.6},
      {"sparsemax", [](double t) { return Sparsemax{t}; }, 1.1},
      {"1.5-entmax",
       [](double t) {
         return Entmax{1.5, t};
       },
       0.9},
      {"1.3-entmax",
       [](double t) {
         return Entmax{1.3, t};
       },
       0.9},
      {"stick-breaking", [](double t) { return StickBreaking{t}; }, 0.7},
      {"geometric", [](double t) { return GeometricAttention{t}; }, 0.7},
      {"geometric, normalised",
       [](double t) {
         return GeometricAttention{t, true};
       },
       0.7},
      {"monotonic", [](double t) { return MonotonicAttention{t}; }, 0.7},
      {"entropy-adaptive", [](double) { return EntropyAdaptive{}; }, 0.0},
      {"gap-adaptive", [](double e) { return GapAdaptive{e}; }, 0.3},
      {"Gumbel",
       [](double t) {
         return GumbelSoftmax{t, 77};
       },
       0.9},
  };
  return all;
}

// Kinks: keep a distance from every change of support or order that the differences (±2h = 2e-3) could cross.
bool near_a_kink(const Differentiable& f, const Row& row) {
  Vec sorted = row.scores;
  std::sort(sorted.rbegin(), sorted.rend());
  if (std::string(f.name) == "gap-adaptive") return sorted[0] - sorted[1] < 0.5 || sorted[1] - sorted[2] < 0.02;
  if (std::string(f.name) == "entropy-adaptive") {
    const double h = plain_entropy(plain_softmax(row.scores, 1));
    const auto active = [](double entropy) { return EntropyAdaptive::sharpness(entropy) > 1; };
    return active(h + 0.02) != active(h - 0.02);
  }
  if (std::string(f.name).find("max") == std::string::npos || std::string(f.name).find("soft") != std::string::npos)
    return false;
  // Sparse: does any key's membership of the support change when it, or the rest, moves by 0.02?
  Vec weights(row.scores.size()), moved(row.scores.size());
  weigh(f.make(f.parameter), row.context(), row.scores, weights);
  for (std::size_t j = 0; j < row.scores.size(); ++j)
    for (const double step : {-0.02, 0.02}) {
      Vec s = row.scores;
      s[j] += step;
      weigh(f.make(f.parameter), row.context(), s, moved);
      for (std::size_t k = 0; k < s.size(); ++k)
        if ((moved[k] > 0) != (weights[k] > 0)) return true;
    }
  return false;
}

TEST(Weighting, GradientsAreThoseOfDifferences) {
  Random random(17);
  for (const Differentiable& f : differentiable()) {
    int checked = 0;
    for (int trial = 0; trial < 120; ++trial) {
      Row row = random_row(random, 3 + random.below(8), 1);
      if (near_a_kink(f, row)) continue;
      ++checked;
      const std::size_t k = row.scores.size();
      const Vec g = random_vector(random, k);
      double parameter = f.parameter;
      const auto loss = [&] {
        Vec w(k);
        weigh(f.make(parameter), row.context(), row.scores, w);
        return std::inner_product(w.begin(), w.end(), g.begin(), 0.0);
      };
      Vec d_scores(k), d_previous(row.length, 0.0);
      RowGradient gradient{.scores = d_scores, .previous = d_previous};
      weigh_backward(f.make(parameter), row.context(), row.scores, weights_of(f.make(parameter), row), g, gradient);
      testing::expect_gradient(d_scores, row.scores, loss, f.name);
      testing::expect_gradient(Vec{gradient.parameter}, {&parameter, 1}, loss, f.name);
      if (is_recurrent(f.make(parameter))) testing::expect_gradient(d_previous, row.previous, loss, f.name);
    }
    EXPECT_GE(checked, 20) << f.name;
  }
}

TEST(Weighting, AnEmptyRowIsNobodysProblem) {
  for (const Differentiable& f : differentiable()) {
    const Row row{{}, {}, 0, 3, Vec(3, 1.0 / 3)};
    EXPECT_TRUE(weights_of(f.make(f.parameter), row).empty()) << f.name;
    RowGradient gradient;
    Vec d_previous(3, 0.0);
    gradient.previous = d_previous;
    weigh_backward(f.make(f.parameter), row.context(), {}, {}, {}, gradient);
    EXPECT_EQ(gradient.parameter, 0) << f.name;
  }
}

}  // namespace
}  // namespace quench::attention
