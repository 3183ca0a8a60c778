// Sparse weightings: sparsemax (Martins and Astudillo 2016) and α-entmax (Peters, Niculae, Martins 2019).
//
//   α-entmax(z)_j = max(0, (α−1) z_j − θ)^{1/(α−1)},   θ such that the weights sum to 1,   z = s/τ
//   α → 1 is softmax; α = 2 is sparsemax, max(0, z_j − θ).
//
// With k maximisers, α-entmax(z) = ahardmax(z) *exactly*, ties included, iff the gap to the rest is at least
// k^{1−α}/(α−1) (sparsemax: 1/k): with 1/k on each maximiser θ is (α−1) times their score less k^{1−α}, and all other
// keys must be at or below θ/(α−1). So the limit τ → 0 is ahardmax and is reached at a positive τ, without
// the ln n that softmax needs. Where the maximisers are the whole support the weights returned are exactly 1/k.
//
// Gradient: with c_j = α_j^{2−α} on the support and 0 off it, ∂L/∂z_j = c_j (g_j − Σ_k c_k g_k / Σ_k c_k); kinks where
// a key enters or leaves the support, and at those points this is the derivative from the side of the smaller support.
#pragma once

#include <span>

#include "attention/row.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

/// Exact, by sorting: O(k log k).
void sparsemax(std::span<const double> scores, double tau, std::span<double> weights);
/// α = 1.5, exact, by sorting.
void entmax15(std::span<const double> scores, double tau, std::span<double> weights);
/// Any α > 1, by bisection on θ down to neighbouring doubles, then normalised.
void entmax_bisect(std::span<const double> scores, double alpha, double tau, std::span<double> weights);

/// Gradient of all three to the scores (overwritten), from the weights alone; returns ∂L/∂τ.
double entmax_backward(std::span<const double> scores, double alpha, double tau, std::span<const double> weights,
                       std::span<const double> d_weights, std::span<double> d_scores);

/// Parameter gradient: ∂L/∂τ(i, n).
struct Sparsemax {
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// α ≥ 1: 1 is softmax, 1.5 and 2 take the exact algorithms, others bisect. Parameter gradient: ∂L/∂τ(i, n).
struct Entmax {
  double alpha = 1.5;
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

}  // namespace quench::attention
