// The choice between the tiled kernel and the row-by-row path.
#include <algorithm>
#include <cmath>

#include "attention/attention.h"
#include "attention/kernel/tiled.h"
#include "attention/score/dot_form.h"
#include "base/error.h"

namespace quench::attention {

namespace {

const Tau* softmax_temperature(const WeightingFunction& weighting) {
  if (const auto* f = std::get_if<Softmax>(&weighting)) return &f->tau;
  if (const auto* f = std::get_if<LogSoftmax>(&weighting)) return &f->tau;
  return nullptr;
}

bool finite(Rows<const double> x) {
  for (std::size_t r = 0; r < x.rows; ++r)
    if (!std::ranges::all_of(x[r], [](double value) { return std::isfinite(value); })) return false;
  return true;
}

TiledAttention tiled_form(const Attention& attention, const DotForm& form) {
  return {.scale = form.scale(),
          .mask = attention.mask,
          .position_terms = attention.position_terms,
          .tau = *softmax_temperature(attention.weighting),
          .dropout = attention.dropout};
}

bool learns(const PositionTerm& term) { return !std::holds_alternative<BiasFunction>(term); }

// ∂L/∂H(α_i), the same for every row.
std::vector<double> entropy_gradients(const Attention& attention, std::size_t rows) {
  if (attention.regularisers.empty()) return {};
  double factor = 0;
  for (const Regulariser& term : attention.regularisers) {
    if (const auto* penalty = std::get_if<EntropyPenalty>(&term)) factor += penalty->lambda;
    if (const auto* bonus = std::get_if<EntropyBonus>(&term)) factor -= bonus->lambda;
  }
  return std::vector<double>(rows, factor / static_cast<double>(rows));
}

}  // namespace

bool tiled_applies(const Attention& attention, std::size_t queries, std::size_t keys) {
  const Tau* tau = softmax_temperature(attention.weighting);
  if (!tau || !has_dot_form(attention.score) || attention.window || attention.coverage) return false;
  if (std::ranges::any_of(attention.regularisers, needs_coverage)) return false;
  for (std::size_t i = 0; i < queries; ++i)
    if (tau->at_row(i, keys) == 0) return false;
  return true;
}

Matrix attend(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v) {
  if (!tiled_applies(attention, q.rows, k.rows) || !finite(q) || !finite(k) || !finite(v))
    return attend_by_rows(attention, q, k, v);
  const DotForm form(attention.score, q, k);
  TiledAttention tiled = tiled_form(attention, form);
  tiled.entropy = false;
  Matrix output(q.rows, v.cols);
  tiled_forward<double>(tiled, form.q(), form.k(), v, output);
  return output;
}

Gradients attend_backward(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                          const Upstream& upstream) {
  if (!tiled_applies(attention, q.rows, k.rows) || std::ranges::any_of(attention.position_terms, learns) ||
      !finite(q) || !finite(k) || !finite(v))
    return attend_by_rows_backward(attention, q, k, v, upstream);
  if (upstream.d_output.rows != q.rows || upstream.d_output.cols != v.cols)
    throw UserError("the upstream gradient must have the shape of the output");
  const DotForm form(attention.score, q, k);
  const TiledAttention tiled = tiled_form(attention, form);
  Matrix output(q.rows, v.cols);
  const RowStatistics<double> statistics = tiled_forward<double>(tiled, form.q(), form.k(), v, output);
  const std::vector<double> d_entropy = entropy_gradients(attention, q.rows);
  Gradients g{Matrix(q.rows, form.q().cols),
              Matrix(k.rows, k.cols),
              Matrix(v.rows, v.cols),
              zero_like(attention.score),
              {},
              std::vector<double>(q.rows),
              {},
              0};
  for (const PositionTerm& term : attention.position_terms) g.position_terms.push_back(zero_like(term));
  tiled_backward<double>(tiled, form.q(), form.k(), v, output, statistics, {upstream.d_output, d_entropy},
                         {g.q, g.k, g.v, g.weighting});
  form.pull_back(g.q, g.k, g.score);
  return g;
}

}  // namespace quench::attention
