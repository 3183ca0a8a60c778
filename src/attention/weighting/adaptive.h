// Softmax at a temperature that each row chooses for itself, from its own scores.
#pragma once

#include <span>

#include "attention/row.h"

namespace quench::attention {

/// Adaptive temperature (Veličković, Perivolaropoulos, Barbero, Pascanu 2024): softmax(β s) with
///   β = max(1, −0.037H⁴ + 0.481H³ − 2.3H² + 4.917H − 1.791) if H > ½, else 1,     H = entropy of softmax(s) in nats:
/// rows that are already sharp are left alone, diffuse ones are sharpened. For scores s/τ, τ → 0: ahardmax, as softmax.
/// Gradient: exact, through β as well (∂H/∂s_j = −α_j (ln α_j + H)); kinks at H = ½ and where the polynomial crosses 1.
/// No parameter.
struct EntropyAdaptive {
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
  /// β as a function of the entropy, and its derivative.
  static double sharpness(double entropy);
  static double sharpness_slope(double entropy);
};

/// Gap-adaptive temperature (ours): softmax_τ with τ = gap/ln(2k/ε), where gap is the row's maximum minus its largest
/// score below the maximum and k its number of visible keys. By [Q-L33t] the row is then within ε of ahardmax in the
/// 1-norm whatever the scores are: 2((k−t)/t)e^{−gap/τ} ≤ 2k·ε/2k = ε, t the number of maximisers. The result does not
/// change when all scores are scaled, so there is no τ → 0 limit to take; ε → 0 gives ahardmax. All scores equal:
/// uniform. Gradient: exact, through the gap too; kinks where the maximum or the runner-up changes hands. Parameter
/// gradient: ∂L/∂ε.
struct GapAdaptive {
  double epsilon = 1e-3;  ///< in (0, 1]
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// −Σ α ln α in nats, with 0 ln 0 = 0.
double entropy(std::span<const double> weights);

}  // namespace quench::attention
