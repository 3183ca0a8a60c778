// Gradients of the row-by-row path against differences, over random shapes, masks, scores, position terms, weightings
// and variants.
#include <algorithm>

#include "attention/attention.h"
#include "attention/problems.h"

namespace quench::attention {
namespace {

using testing::Problem;
using testing::random_matrix;
using testing::random_problem;
using testing::random_vector;
using testing::some_mask;

struct Variant {
  const char* name;
  std::function<Attention(Random&)> make;  // for d_q = 3, d_k = 4 unless the score needs equal widths
  std::size_t d_q = 4, d_k = 4;
};

std::vector<Variant> variants() {
  using R = Random;
  return {
      {"scaled dot", [](R&) { return Attention{}; }},
      {"dot, τ(i, n)",
       [](R&) {
         return Attention{.score = Dot{}, .weighting = Softmax{Tau([](auto i, auto n) {
                                            return 1 + static_cast<double>(i) / static_cast<double>(n);
                                          })}};
       }},
      {"general", [](R& r) { return Attention{.score = General{random_matrix(r, 3, 4, 0.5)}}; }, 3},
      {"additive",
       [](R& r) {
         return Attention{.score = Additive{random_matrix(r, 5, 3), random_matrix(r, 5, 4), random_vector(r, 5),
                                            random_vector(r, 5)}};
       },
       3},
      {"cosine", [](R&) { return Attention{.score = Cosine{3}}; }},
      {"position terms",
       [](R& r) {
         return Attention{.position_terms = {Alibi{0.2}, BiasTable{random_matrix(r, 8, 8)},
                                             RelativeBias{2, random_vector(r, 5)},
                                             TieBreak{TieBreak::Form::leftmost, 0.5},
                                             BiasFunction{[](auto i, auto j) { return i > j ? 0.1 : 0.3; }}}};
       }},
      {"stick-breaking", [](R&) { return Attention{.weighting = StickBreaking{0.8}}; }},
      {"monotonic", [](R&) { return Attention{.weighting = MonotonicAttention{1.2}}; }},
      {"1.5-entmax",
       [](R&) {
         return Attention{.weighting = Entmax{1.5, 2.0}};
       }},
      {"predicted window",
       [](R& r) {
         return Attention{.window = PredictedWindow{random_matrix(r, 3, 4), random_vector(r, 3), 100}};
       }},
      {"coverage", [](R&) { return Attention{.coverage = Coverage{-0.7}}; }},
      {"dropout",
       [](R& r) {
         return Attention{.dropout = Dropout{0.4, r.bits()}};
       }},
      {"entropy penalty", [](R&) { return Attention{.regularisers = {EntropyPenalty{0.9}}}; }},
      {"entropy bonus", [](R&) { return Attention{.regularisers = {EntropyBonus{0.9}}}; }},
      {"coverage, its loss, dropout and a window at once",
       [](R& r) {
         return Attention{.weighting = StickBreaking{0.8},
                          .window = PredictedWindow{random_matrix(r, 3, 4), random_vector(r, 3), 100},
                          .coverage = Coverage{-0.7},
                          .dropout = Dropout{0.2, r.bits()},
                          .regularisers = {CoverageLoss{0.6}, EntropyBonus{0.3}}};
       }},
  };
}

std::vector<std::span<double>> parameters(Score& score) {
  if (auto* s = std::get_if<General>(&score)) return {s->w.data};
  if (auto* s = std::get_if<Additive>(&score)) return {s->w_q.data, s->w_k.data, s->v, s->b};
  if (auto* s = std::get_if<Cosine>(&score)) return {{&s->scale, 1}};
  return {};
}

std::vector<std::span<double>> parameters(PositionTerm& term) {
  if (auto* t = std::get_if<Alibi>(&term)) return {{&t->slope, 1}};
  if (auto* t = std::get_if<BiasTable>(&term)) return {t->table.data};
  if (auto* t = std::get_if<RelativeBias>(&term)) return {t->by_offset};
  if (auto* t = std::get_if<TieBreak>(&term)) return {{&t->scale, 1}};
  return {};
}

void expect_all(std::vector<std::span<double>> exact, std::vector<std::span<double>> at,
                const std::function<double()>& loss, const char* what) {
  for (std::size_t p = 0; p < at.size(); ++p) testing::expect_gradient(exact[p], at[p], loss, what);
}

// Whether some weight enters or leaves a support, or a coverage minimum changes sides, near this input. The differences
// move one number by ±2e-3; if moving every input at random by ten times that changes nothing, they cross no kink.
bool near_a_kink(const Attention& attention, const Problem& p) {
  const bool sparse = std::holds_alternative<Entmax>(attention.weighting);
  const bool coverage = std::ranges::any_of(attention.regularisers, needs_coverage);
  if (!sparse && !coverage) return false;
  const auto pattern = [&](const Problem& at) {
    const Matrix w = weights(attention, at.q, at.k);
    std::vector<double> covered(w.cols, 0.0);
    std::vector<bool> sides;
    for (std::size_t i = 0; i < w.rows; ++i)
      for (std::size_t j = 0; j < w.cols; ++j) {
        sides.push_back(sparse ? w(i, j) > 0 : w(i, j) < covered[j]);
        covered[j] += w(i, j);
      }
    return sides;
  };
  Random random(123);
  for (int trial = 0; trial < 20; ++trial) {
    Problem moved = p;
    for (Matrix* m : {&moved.q, &moved.k})
      for (double& x : m->data) x += 0.02 * (2 * random.unit() - 1);
    if (pattern(moved) != pattern(p)) return true;
  }
  return false;
}

TEST(Attention, GradientsByRowsAreThoseOfDifferences) {
  Random random(9);
  for (const Variant& variant : variants()) {
    int checked = 0;
    for (std::size_t trial = 0; trial < 40 && checked < 8; ++trial) {
      Problem p = random_problem(random, 1 + random.below(6), 1 + random.below(6), variant.d_q, variant.d_k);
      Attention attention = variant.make(random);
      attention.mask = some_mask(random, trial);
      if (near_a_kink(attention, p)) continue;
      ++checked;
      const auto loss = [&] {
        return testing::inner(attend_by_rows(attention, p.q, p.k, p.v), p.d_output) +
               regularisation(attention, p.q, p.k);
      };
      Gradients g = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output});
      testing::expect_gradient(g.q.data, p.q.data, loss, variant.name);
      testing::expect_gradient(g.k.data, p.k.data, loss, variant.name);
      testing::expect_gradient(g.v.data, p.v.data, loss, variant.name);
      expect_all(parameters(g.score), parameters(attention.score), loss, variant.name);
      for (std::size_t t = 0; t < attention.position_terms.size(); ++t)
        expect_all(parameters(g.position_terms[t]), parameters(attention.position_terms[t]), loss, variant.name);
      if (attention.coverage)
        testing::expect_gradient({&g.coverage, 1}, {&attention.coverage->weight, 1}, loss, variant.name);
      if (attention.window)
        expect_all({g.window->w.data, g.window->v}, {attention.window->w.data, attention.window->v}, loss,
                   variant.name);
    }
    EXPECT_GE(checked, 4) << variant.name;
  }
}

TEST(Attention, TheGradientOfEveryRowsTemperatureIsThatOfDifferences) {
  Random random(10);
  for (int trial = 0; trial < 10; ++trial) {
    const Problem p = random_problem(random, 5, 6, 3, 3);
    std::vector<double> taus(5);
    for (double& tau : taus) tau = 0.5 + random.unit();
    const Attention attention{.mask = Mask::future,
                              .weighting = Softmax{Tau([&](auto i, auto) { return taus[i - 1]; })}};
    const Gradients g = attend_by_rows_backward(attention, p.q, p.k, p.v, {p.d_output});
    testing::expect_gradient(
        g.weighting, taus, [&] { return testing::inner(attend_by_rows(attention, p.q, p.k, p.v), p.d_output); },
        "τ(i, n)");
  }
}

}  // namespace
}  // namespace quench::attention
