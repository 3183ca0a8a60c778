// Forward error analysis of the softened network: how far each coordinate can be from the hard network's, layer by
// layer, over all words of one length; in exact arithmetic, or as a number format rounds.
//
// With e_c the error of coordinate c so far, X_c ≥ |x_c| and the facts of the hard network:
//   scores     δ = Σ_l (Q_l·κ_l + θ_l·K_l + θ_l·κ_l)/√d_k, θ = |W_Q|e, κ = |W_K|e                   as [P-L32], per
//   component weights    ε₁ by [P-L33] or, with ties, [Q-L33t]; 0 for a uniform head [P-L31] values     ε₁·(max v − min
//   v)/2 + |W_V|e: two weightings have equal sums, so only the values' spread counts [P-L34] attention  e +=
//   |W_O|·(that) hidden     a group of parallel units is f(z), z = w·x: |f(ẑ) − f(z)| ≤ slope·|w|e, the slope on the
//   cells that z ± |w|e
//              can meet [P-L30]; slopes and the residual connection are added before absolute values are taken, so what
//              cancels in the network cancels in the bound
// In a number format every sum of m products adds (m+1)·u times the sum of their magnitudes.
#pragma once

#include <optional>
#include <string>

#include "base/number/number_format.h"
#include "soften/facts.h"

namespace quench::soften {

/// 1/τ(n) = scale·(1/formula): the factor is a power of two.
struct Sharpening {
  Temperature formula = Temperature::one;
  double scale = 1;
  double inverse_tau(std::size_t n) const;
};

struct HeadError {
  double gap = 0;          ///< of unscaled scores
  double score_error = 0;  ///< δ, of unscaled scores
  double distance = 0;     ///< ε₁
  double result = 0;       ///< of the head's result, the greatest over its components
};

struct LayerError {
  double in = 0, out = 0;  ///< ‖·‖₁
  std::vector<HeadError> heads;
};

struct Errors {
  bool holds = false;  ///< the output can be read off: δ < γ/2 everywhere, and the output's error is small enough
  std::string reason;  ///< why not
  int layer = -1, head = -1;
  std::vector<LayerError> layers;
  double output = 0;  ///< the greatest error of an output coordinate
  double norm = 0;    ///< ‖error‖₁ after the last layer
};

/// Without a format: in exact arithmetic.
Errors propagate(const Network& network, const LengthFacts& facts, const Sharpening& sharpening,
                 std::optional<NumberFormat> format = std::nullopt);

}  // namespace quench::soften
