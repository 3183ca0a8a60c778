// Sublayer by sublayer, the fast executor against the reference: after each sublayer the fast residual stream is
// compared with what the reference makes of the same input, and then handed to the reference as the input of the next
// one. So every comparison has one sublayer's rounding in it, and the bound of run/structured/structured_executor.h
// applies to each head as it is.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/number/rounding.h"
#include "model/position.h"
#include "run/structured/structured_executor.h"

namespace quench::test {

/// Of the format that the fast executor runs in: rounding unit, least normal number, where its range is left to the
/// definition (run/structured/methods/head_range.h).
struct FastFormat {
  bool single;
  double unit, least, far;
  explicit FastFormat(NumberFormat format) : single(format == NumberFormat::f32) {
    unit = single ? 0x1p-24 : 0x1p-53;
    least = single ? 0x1p-126 : 0x1p-1022;
    far = single ? 0x1p100 : 0x1p900;
  }
  double rounded(double x) const { return single ? static_cast<double>(static_cast<float>(x)) : x; }
};

/// Greatest |Σ_c row·h_p| over p, for every row; nothing for rows that are zeros in the format.
inline std::vector<std::optional<double>> greatest(const SparseMatrix& matrix, const Matrix& residual,
                                                   const FastFormat& format) {
  std::vector<std::optional<double>> result;
  for (const SparseMatrix::Row& row : matrix.rows) {
    std::optional<double>& most = result.emplace_back();
    for (std::size_t p = 0; p < residual.rows; ++p) {
      double sum = 0;
      bool there = false;
      for (const auto& [column, value] : row) {
        const double weight = format.rounded(value);
        if (weight != 0) sum += weight * residual(p, column), there = true;
      }
      if (there) most = std::isnan(sum) ? INFINITY : std::max(most.value_or(0), std::fabs(sum));
    }
  }
  return result;
}

inline bool is_hard(const model::Head& head, bool hard) {
  return (hard && head.intended != Weighting::soft ? head.intended : head.weighting) != Weighting::soft;
}

/// (e^{2ε} − 1 + 16nu)·max|v| + λ with ε = 8u·max|score|, which is less than what is derived, but never more than the
/// values can differ at all. Nothing for heads that are run by definition: hard ones, and those that are clearly near
/// the end of the range.
inline double head_tolerance(const model::Head& head, const Matrix& residual, std::size_t n, const FastFormat& format,
                             bool hard) {
  if (is_hard(head, hard)) return 0;
  const auto q = greatest(head.q, residual, format), k = greatest(head.k, residual, format);
  double score = 0, mix = 1, most = 0;
  for (std::size_t l = 0; l < q.size(); ++l)
    if (q[l] && k[l]) score += *q[l] * *k[l];
  for (const auto& value : greatest(head.v, residual, format)) most = std::max(most, value.value_or(0));
  score *= model::inverse_temperature(head.temperature, n, n) / std::sqrt(static_cast<double>(q.size()));
  for (const SparseMatrix::Row& row : head.o.rows)
    for (const auto& [column, value] : row) mix = std::max(mix, std::fabs(value));
  const double u = format.unit, length = static_cast<double>(n);
  if (!(score <= 2 * format.far && length * most * mix <= 2 * format.far && mix <= 0x1p61)) return 0;
  return std::min(2.0, std::expm1(16 * u * score) + 16 * length * u) * most + format.least;
}

/// By coordinate: what the heads of a layer may differ by, after W_O and the residual's own rounding.
inline std::vector<double> layer_tolerance(const model::Layer& layer, const Matrix& before, std::size_t n,
                                           const FastFormat& format, bool hard) {
  std::vector<double> result(before.cols, 0.0);
  for (const model::Head& head : layer.heads) {
    const double one = head_tolerance(head, before, n, format, hard);
    for (std::size_t c = 0; c < before.cols; ++c)
      for (const auto& [column, value] : head.o.rows[c]) result[c] += std::fabs(value) * one * 1.01;
  }
  return result;
}

inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

inline bool same(const Matrix& a, const Matrix& b) {
  return std::equal(a.data.begin(), a.data.end(), b.data.begin(), b.data.end(),
                    [](double x, double y) { return same(x, y); });
}

struct Agreement {
  double worst = 0;  ///< greatest difference, as a fraction of its tolerance
  std::vector<double> outputs;
};

/// The greatest difference of what `steps` say of a word's sublayers, as a fraction of its tolerance.
inline double hold_against_reference(const model::Transformer& model, const Word& word, const run::Options& options,
                                     const std::vector<Matrix>& steps) {
  double worst = 0;
  const FastFormat format(options.format);
  const double u = format.unit;
  std::size_t hard_layers = 0;  // all before the last of these are the reference's to the bit
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (const model::Head& head : model.layers[l].heads)
      if (is_hard(head, options.hard)) hard_layers = l + 1;
  run::Observer observer;
  observer.residual = [&](int sublayer, Matrix& residual) {
    const auto s = static_cast<std::size_t>(sublayer);
    if (sublayer % 2 == 0 || s / 2 + 1 < hard_layers) {
      EXPECT_TRUE(same(residual, steps[s])) << "sublayer " << sublayer << " is not the reference's to the bit";
    } else {
      const std::vector<double> tolerance =
          layer_tolerance(model.layers[s / 2], steps[s - 1], word.size(), format, options.hard);
      for (std::size_t p = 0; p < residual.rows; ++p)
        for (std::size_t c = 0; c < residual.cols; ++c) {
          const double a = residual(p, c), b = steps[s](p, c), difference = std::fabs(a - b);
          if (same(a, b)) continue;
          const double allowed =
              tolerance[c] == 0 ? 0.0 : tolerance[c] + 4 * u * std::max(std::fabs(a), std::fabs(b));
          worst = std::max(worst, difference / allowed);
          EXPECT_LE(difference, allowed) << a << " and " << b << " in sublayer " << sublayer << ", coordinate " << c
                                         << ", position " << p + 1 << " of " << word.size();
          if (!(difference <= allowed)) return;
        }
    }
    residual = steps[s];
  };
  run::ReferenceExecutor::Workspace workspace;
  run::ReferenceExecutor(model, options).run(word, workspace, observer);
  return worst;
}

/// With somebody looking at every sublayer, and then without.
inline std::vector<Matrix> watched(const run::StructuredExecutor& executor, const run::Batch& batch,
                                   run::StructuredExecutor::Workspace& space, std::vector<double>& outputs) {
  std::vector<Matrix> steps;
  executor.outputs(batch, space, outputs, [&](int, const Matrix& m) { steps.push_back(m); });
  std::vector<double> unwatched;
  executor.outputs(batch, space, unwatched);
  for (std::size_t p = 0; p < outputs.size(); ++p)
    EXPECT_TRUE(outputs[p] == unwatched[p] || std::isnan(outputs[p])) << "unwatched, the output differs";
  return steps;
}

inline Agreement agreement(const model::Transformer& model, const Word& word, const run::StructuredOptions& options,
                           run::StructuredExecutor::Workspace& space) {
  Agreement result;
  const run::StructuredExecutor fast(model, options);
  result.worst =
      hold_against_reference(model, word, options.run, watched(fast, run::Batch::of(word), space, result.outputs));
  return result;
}

/// Words of one length, all at once.
inline void expect_agreement_at_once(const model::Transformer& model, const std::vector<Word>& words,
                                     const run::StructuredOptions& options, run::StructuredExecutor::Workspace& space) {
  run::Batch batch{words[0].size(), words.size(), {}};
  for (std::size_t i = 0; i < batch.n; ++i)
    for (const Word& word : words) batch.symbols.push_back(word[i]);
  std::vector<double> outputs;
  const std::vector<Matrix> steps = watched(run::StructuredExecutor(model, options), batch, space, outputs);
  for (std::size_t w = 0; w < words.size(); ++w) {
    std::vector<Matrix> of_word(steps.size(), Matrix(batch.n, model.width));
    for (std::size_t s = 0; s < steps.size(); ++s)
      for (std::size_t i = 0; i < batch.n; ++i)
        for (std::size_t c = 0; c < model.width; ++c) of_word[s](i, c) = steps[s](i * batch.words + w, c);
    hold_against_reference(model, words[w], options.run, of_word);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace quench::test
