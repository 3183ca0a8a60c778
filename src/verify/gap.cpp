#include "verify/gap.h"

#include <algorithm>
#include <cmath>

#include "base/attention_kind.h"
#include "run/reference/reference.h"

namespace quench::verify {
namespace {

/// rows × n: what a projection makes of every position.
std::vector<std::vector<double>> project(const SparseMatrix& weights, const Matrix& residual) {
  std::vector<std::vector<double>> result(weights.rows.size(), std::vector<double>(residual.rows));
  for (std::size_t r = 0; r < weights.rows.size(); ++r)
    for (std::size_t i = 0; i < residual.rows; ++i)
      for (const SparseMatrix::Entry& entry : weights.rows[r]) result[r][i] += entry.value * residual(i, entry.column);
  return result;
}

}  // namespace

GapMeasurement::GapMeasurement(const model::Transformer& model) : model_(model) {
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
      const model::Head& head = model.layers[l].heads[h];
      if (head.claim.structure == HeadStructure::uniform || head.intended == Weighting::soft) continue;
      heads_.push_back({.layer = l, .head = h, .name = head.name, .lemma = head.claim.lemma.text()});
    }
}

void GapMeasurement::take(const Word& word) {
  run::Observer observer;
  observer.residual = [&](int sublayer, Matrix& residual) {
    for (HeadGap& entry : heads_)
      if (sublayer == static_cast<int>(2 * entry.layer)) measure(entry, residual);
  };
  run::run(model_, word, {NumberFormat::f64, true}, observer);
}

void GapMeasurement::measure(HeadGap& entry, const Matrix& residual) const {
  const model::Head& head = model_.layers[entry.layer].heads[entry.head];
  const auto queries = project(head.q, residual), keys = project(head.k, residual);
  const std::size_t n = residual.rows;
  const double gamma = head.claim.gamma > 0 ? head.claim.gamma : 1;
  const double scale = 1 / (gamma * std::sqrt(static_cast<double>(head.q.rows.size())));
  const double cube = std::pow(static_cast<double>(n), 3);
  for (std::size_t i = 1; i <= n; ++i) {
    const KeyRange range = visible(head.mask, i, n);
    if (range.first >= range.last) continue;
    double best = -INFINITY, next = -INFINITY, size = 0;
    for (std::size_t j = range.first; j <= range.last; ++j) {
      double score = 0;
      for (std::size_t r = 0; r < queries.size(); ++r) {
        score += queries[r][i - 1] * keys[r][j - 1] * scale;
        size += std::fabs(queries[r][i - 1] * keys[r][j - 1] * scale);
      }
      next = std::max(next, std::min(best, score));
      best = std::max(best, score);
    }
    const double gap = best - next;
    if (entry.measured && gap * cube >= entry.times_n3) {
      entry.gap = std::min(entry.gap, gap);
      continue;
    }
    entry.gap = entry.measured ? std::min(entry.gap, gap) : gap;
    entry.times_n3 = gap * cube;
    entry.length = n;
    entry.rounding = 0x1p-48 * size * cube;  // each operation is good to 2^−53; far fewer than 2^5 meet in a score
    entry.measured = true;
  }
}

}  // namespace quench::verify
