// Softmax and the functions that are softmax at another temperature.
//
//   softmax_τ(s)_j = exp(s_j/τ) / Σ_k exp(s_k/τ)                                                      [Definition 2]
//
// τ → 0: ahardmax(s), all maximisers sharing evenly. τ = 0 is defined as that limit, with zero gradient.
// Gradient: ∂L/∂s_j = α_j (g_j − Σ_k α_k g_k)/τ for upstream g = ∂L/∂α, and ∂L/∂τ = −Σ_j (∂L/∂s_j)(s_j − max s)/τ.
// Only differences s_j − max s are ever divided by τ, so no finite score and no τ in [0, ∞] overflows.
#pragma once

#include <span>

#include "attention/row.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

void softmax(std::span<const double> scores, double tau, std::span<double> weights);

/// Gradient to the scores (overwritten); returns ∂L/∂τ.
double softmax_backward(std::span<const double> scores, double tau, std::span<const double> weights,
                        std::span<const double> d_weights, std::span<double> d_scores);

/// log softmax_τ(s)_j = (s_j − max)/τ − log Σ_k exp((s_k − max)/τ): finite where the weight itself underflows to 0.
void log_softmax(std::span<const double> scores, double tau, std::span<double> log_weights);

/// For upstream g = ∂L/∂log α: ∂L/∂s_j = (g_j − α_j Σ_k g_k)/τ; returns ∂L/∂τ.
double log_softmax_backward(std::span<const double> scores, double tau, std::span<const double> log_weights,
                            std::span<const double> d_log_weights, std::span<double> d_scores);

/// softmax_τ with τ(i, n). Parameter gradient: ∂L/∂τ(i, n).
struct Softmax {
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// The same function computed in log space, α = exp(log softmax_τ(s)): what is recommended for extreme scores.
/// Limit, gradient and parameter as Softmax.
struct LogSoftmax {
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// Scalable softmax (Nakanishi 2025): softmax(s·ln(k)·scores), k the number of visible keys: the temperature 1/(s ln k)
/// falls with the length, so attention does not fade as n grows. With one key the weight is 1.
/// s → ∞: ahardmax. Gradient as Softmax at τ = 1/(s ln k). Parameter gradient: ∂L/∂s.
struct ScalableSoftmax {
  double s = 1;
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

}  // namespace quench::attention
