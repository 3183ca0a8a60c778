// Weightings that walk away from the query and stop with probability p_j = σ(s_j/τ) at each key:
//
//   A_j = p_j · Π_{k walked past before j} (1 − p_k)
//
// computed in log space, log A_j = log σ(z_j) + Σ_k log(1 − σ(z_k)), z = s/τ. The weights sum to at most 1; what is
// left, Π_k (1 − p_k), is the chance that the walk never stops (`remainder`), B-RASP's default case.
//
// τ → 0: the first key on the walk with s_j > 0, and nothing if there is none: a threshold at 0, not an argmax (a score
// of exactly 0 stops half the walks). With scores ±1 the distance to that limit is about 2n·e^{−1/τ}, so 1/τ = ln(2n/ε)
// is enough and no tie-break term is needed.
//
// Gradient: ∂L/∂z_j = σ(−z_j) g_j A_j − σ(z_j) Σ_{k after j} g_k A_k for upstream g = ∂L/∂A. Both sums are one sweep.
#pragma once

#include <span>

#include "attention/row.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

/// Walks the visible keys from right to left. With the mask j < i this is stick-breaking attention, Σ_{k=j}^{i−1} and
/// all: A_ij = exp(z_ij − Σ_{k=j}^{i−1} softplus(z_ik)), and its limit is the rightmost j < i with s_ij > 0.
/// Parameter gradient: ∂L/∂τ(i, n).
struct StickBreaking {
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// Geometric attention (Csordás, Irie, Schmidhuber 2022): walks by distance |i − j|, the right neighbour before the
/// left one, and never stops at i itself (p_ii = 0). `normalised` divides by the sum of the weights (a row whose
/// weights are all 0 stays 0). Parameter gradient: ∂L/∂τ(i, n).
struct GeometricAttention {
  Tau tau = {};
  bool normalised = false;
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// 1 − Σ_j A_j, never below 0: the weight that a default value or a sink would get.
double remainder(std::span<const double> weights);

/// log σ(z) without overflow; log(1 − σ(z)) is log_sigmoid(−z).
double log_sigmoid(double z);
double sigmoid(double z);

}  // namespace quench::attention
