// Section 5 and Appendix D of the paper as functions: how far softmax_τ in place of average-hard attention can move
// what a transformer computes. docs/theory.md has the statements, with the constants our layers need (residual
// connections, biases, W_O) beside the paper's. Results are upper bounds: computed in ball arithmetic, rounded up.
#pragma once

#include <cstddef>
#include <vector>

namespace quench::bounds {

/// A row of n visible keys: its gap, how far scores may be off, and the temperature they are divided by.
struct Row {
  double keys = 1;         ///< n
  double gap = 0;          ///< γ > 0; infinite if all visible scores are equal
  double score_error = 0;  ///< |ŝ_j − s_j| ≤ δ
  double inverse_tau = 1;  ///< 1/τ
};

/// [P-L33] tieless, δ < γ/2: ‖hardmax(s) − softmax_τ(ŝ)‖₁ ≤ 2n·e^{−(γ−2δ)/τ}, or with n − 1 for n, and never above 2.
/// Infinite unless δ < γ/2.
double tieless_distance(const Row& row);

/// [Q-L33t] k ≥ 1 maximisers: ≤ 2tanh(δ/2τ) + 2((n−k)/k)e^{−(γ−2δ)/τ}, and never above 2. k = 1 bounds every k ≥ 1
/// except for the first term, which a tieless row does not have.
double tied_distance(const Row& row, double maximisers = 1);

/// What Appendix D calls d and p_max, for square matrices of size d with entries at most p, and x_max(n).
struct Size {
  double d = 1, p = 1, x_max = 1;
};

double linear_norm(const Size& size, double norm);  ///< [P-L28] ‖Wu‖₁ ≤ dp‖u‖₁
/// [P-L29] ‖v‖₁ after ℓ layers, as printed: (dp)^{3ℓ}·d·x_max; no residuals, no biases.
double activation_norm(const Size& size, int layers);
/// The same with residual connections and biases: G^ℓ·d·x_max, G = (1+dp)(1+dp+2(dp)²).
double residual_activation_norm(const Size& size, int layers);
double feed_forward_error(const Size& size, double error);  ///< [P-L30] (dp)²ε
double uniform_error(const Size& size, double error);       ///< [P-L31] dp·ε
/// [P-L32] |s − ŝ| ≤ d^{3/2}p²(2uε + ε²) for activations of norm at most u.
double score_error(const Size& size, double norm, double error);
/// [P-L34] dp(u·ε₁ + ε) for rows of weights ε₁ apart and activations of norm at most u.
double attention_error(const Size& size, double norm, double weight_error, double error);

/// [P-L25] and [P-T26] for L layers of one head each, with residual connections and biases. Logarithms, since the
/// constants outgrow doubles.
struct PaperConstants {
  double log_k1 = 0, log_k2 = 0;    ///< ln K₁, ln K₂
  std::vector<double> log_allowed;  ///< ln E_ℓ, ℓ = 1 … L
  double inverse_tau = 0;           ///< (2/γ)·ln(K₁·n·x_max/E₁)
};
PaperConstants paper_constants(const Size& size, int layers, double gap, double length);

/// [P-L25] the error after a layer: K₁(ε + n·x_max·e^{(−γ+2K₂x_max·ε)/τ}).
double paper_layer_error(const PaperConstants& constants, const Size& size, const Row& row, double error);

}  // namespace quench::bounds
