// Every weighting function the library has, as one variant. Each alternative has
//
//   void forward (row, scores, weights) const
//   void backward(row, scores, weights, d_weights, gradient) const
//
// and documents its definition, its limit as τ → 0, its gradient or estimator, and what `gradient.parameter` is.
#pragma once

#include <string_view>
#include <variant>

#include "attention/variants/monotonic.h"
#include "attention/weighting/adaptive.h"
#include "attention/weighting/entmax.h"
#include "attention/weighting/hardmax.h"
#include "attention/weighting/sampled.h"
#include "attention/weighting/softmax.h"
#include "attention/weighting/stick_breaking.h"

namespace quench::attention {

using WeightingFunction =
    std::variant<Softmax, LogSoftmax, ScalableSoftmax, Hardmax, Sparsemax, Entmax, StickBreaking, GeometricAttention,
                 MonotonicAttention, EntropyAdaptive, GapAdaptive, GumbelSoftmax, StraightThrough, SampledHard>;

inline void weigh(const WeightingFunction& function, const RowContext& row, std::span<const double> scores,
                  std::span<double> weights) {
  std::visit([&](const auto& f) { f.forward(row, scores, weights); }, function);
}

inline void weigh_backward(const WeightingFunction& function, const RowContext& row, std::span<const double> scores,
                           std::span<const double> weights, std::span<const double> d_weights, RowGradient& gradient) {
  std::visit([&](const auto& f) { f.backward(row, scores, weights, d_weights, gradient); }, function);
}

/// Whether a row's weights depend on the row before it.
inline bool is_recurrent(const WeightingFunction& function) {
  return std::holds_alternative<MonotonicAttention>(function);
}

}  // namespace quench::attention
