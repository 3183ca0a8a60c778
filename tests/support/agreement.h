// Sublayer by sublayer, the fast executor against the reference: after each sublayer the fast residual stream is
// compared with what the reference makes of the same input, and then handed to the reference as the input of the next
// one. So every comparison has one sublayer's rounding in it, and the bound of run/plane_executor.h applies to each
// head as it is.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rounding.h"
#include "model/position.h"
#include "run/plane_executor.h"

namespace quench::test {

/// Greatest |Σ_c row·h_p| over p, for every row.
inline std::vector<double> greatest(const SparseMatrix& matrix, const Matrix& residual) {
  std::vector<double> result;
  for (const SparseMatrix::Row& row : matrix.rows) {
    double most = 0;
    for (std::size_t p = 0; p < residual.rows; ++p) {
      double sum = 0;
      for (const auto& [column, value] : row) sum += value * residual(p, column);
      most = std::max(most, std::fabs(sum));
    }
    result.push_back(most);
  }
  return result;
}

/// (e^{2ε} − 1 + 16nu)·max|v| with ε = 8u·max|score|, but never more than the values can differ at all.
inline double head_tolerance(const model::Head& head, const Matrix& residual, std::size_t n, double u) {
  const std::vector<double> q = greatest(head.q, residual), k = greatest(head.k, residual);
  const std::vector<double> v = greatest(head.v, residual);
  double score = 0;
  for (std::size_t l = 0; l < q.size(); ++l) score += q[l] * k[l];
  score *= model::inverse_temperature(head.temperature, n, n) / std::sqrt(static_cast<double>(q.size()));
  const double most = v.empty() ? 0 : *std::max_element(v.begin(), v.end());
  return std::min(2.0, std::expm1(16 * u * score) + 16 * static_cast<double>(n) * u) * most;
}

/// By coordinate: what the heads of a layer may differ by, after W_O and the residual's own rounding.
inline std::vector<double> layer_tolerance(const model::Layer& layer, const Matrix& before, std::size_t n, double u) {
  std::vector<double> result(before.cols, 0.0);
  for (const model::Head& head : layer.heads) {
    const double one = head_tolerance(head, before, n, u);
    for (std::size_t c = 0; c < before.cols; ++c)
      for (const auto& [column, value] : head.o.rows[c]) result[c] += std::fabs(value) * one * 1.01;
  }
  return result;
}

struct Agreement {
  double worst = 0;  ///< greatest difference, as a fraction of its tolerance
  std::vector<double> outputs;
};

/// The greatest difference of what `steps` say of a word's sublayers, as a fraction of its tolerance.
inline double hold_against_reference(const model::Transformer& model, const Word& word, const run::Options& options,
                                     const std::vector<Matrix>& steps) {
  double worst = 0;
  const double u = options.format == NumberFormat::f32 ? 0x1p-24 : 0x1p-53;
  run::Observer observer;
  observer.residual = [&](int sublayer, Matrix& residual) {
    const auto s = static_cast<std::size_t>(sublayer);
    if (sublayer % 2 == 0) {
      EXPECT_EQ(residual, steps[s]) << "sublayer " << sublayer << " is not the reference's to the bit";
    } else {
      const std::vector<double> tolerance = layer_tolerance(model.layers[s / 2], steps[s - 1], word.size(), u);
      for (std::size_t p = 0; p < residual.rows; ++p)
        for (std::size_t c = 0; c < residual.cols; ++c) {
          const double a = residual(p, c), b = steps[s](p, c), difference = std::fabs(a - b);
          if (difference == 0 || (std::isnan(a) && std::isnan(b))) continue;
          const double allowed = tolerance[c] + 4 * u * std::max(std::fabs(a), std::fabs(b));
          worst = std::max(worst, difference / allowed);
          EXPECT_LE(difference, allowed) << "sublayer " << sublayer << ", coordinate " << c << ", position " << p + 1
                                         << " of " << word.size();
          if (difference > allowed) return;
        }
    }
    residual = steps[s];
  };
  run::ReferenceExecutor::Workspace workspace;
  run::ReferenceExecutor(model, options).run(word, workspace, observer);
  return worst;
}

/// With somebody looking at every sublayer, and then without.
inline std::vector<Matrix> watched(const run::PlaneExecutor& executor, const run::Batch& batch,
                                   run::PlaneExecutor::Workspace& space, std::vector<double>& outputs) {
  std::vector<Matrix> steps;
  executor.outputs(batch, space, outputs, [&](int, const Matrix& m) { steps.push_back(m); });
  std::vector<double> unwatched;
  executor.outputs(batch, space, unwatched);
  for (std::size_t p = 0; p < outputs.size(); ++p)
    EXPECT_TRUE(outputs[p] == unwatched[p] || std::isnan(outputs[p])) << "unwatched, the output differs";
  return steps;
}

inline Agreement agreement(const model::Transformer& model, const Word& word, const run::PlaneOptions& options,
                           run::PlaneExecutor::Workspace& space) {
  Agreement result;
  const run::PlaneExecutor fast(model, options);
  result.worst =
      hold_against_reference(model, word, options.run, watched(fast, run::Batch::of(word), space, result.outputs));
  return result;
}

/// Words of one length, all at once.
inline void expect_agreement_at_once(const model::Transformer& model, const std::vector<Word>& words,
                                     const run::PlaneOptions& options, run::PlaneExecutor::Workspace& space) {
  run::Batch batch{words[0].size(), words.size(), {}};
  for (std::size_t i = 0; i < batch.n; ++i)
    for (const Word& word : words) batch.symbols.push_back(word[i]);
  std::vector<double> outputs;
  const std::vector<Matrix> steps = watched(run::PlaneExecutor(model, options), batch, space, outputs);
  for (std::size_t w = 0; w < words.size(); ++w) {
    std::vector<Matrix> of_word(steps.size(), Matrix(batch.n, model.width));
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (std::size_t i = 0; i < batch.n; ++i)
        for (std::size_t c = 0; c < model.width; ++c) of_word[s](i, c) = steps[s](i * batch.lanes + w, c);
    hold_against_reference(model, words[w], options.run, of_word);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace quench::test
