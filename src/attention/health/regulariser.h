// Terms added to the loss that look at the attention weights themselves (before dropout). Each is a mean over the rows,
// so λ does not depend on the length.
//
// A widely read page on soft attention prints the two entropy terms with their signs exchanged ("penalty: Loss − λH"):
// minimising −λH would reward entropy. A penalty on entropy, which sharpens attention, is +λH; a bonus, which spreads
// it, is −λH.
#pragma once

#include <span>
#include <variant>
#include <vector>

namespace quench::attention {

/// +λ·mean_i H(α_i): encourages focus.
struct EntropyPenalty {
  double lambda = 0;
};
/// −λ·mean_i H(α_i): encourages spread.
struct EntropyBonus {
  double lambda = 0;
};
/// λ·mean_i Σ_j min(α_ij, c_ij) with c_ij = Σ_{i' < i} α_i'j (See, Liu, Manning 2017): discourages attending twice.
struct CoverageLoss {
  double lambda = 0;
};

using Regulariser = std::variant<EntropyPenalty, EntropyBonus, CoverageLoss>;

/// One row's share of the term, already divided by the number of rows. `coverage` runs parallel to `weights`.
double regularisation(const Regulariser& term, std::span<const double> weights, std::span<const double> coverage,
                      std::size_t rows);

/// Adds that share's gradients. ∂H/∂α_j = −(ln α_j + 1) is infinite at α_j = 0; there it counts as 0, which is what
/// softmax (whose gradient carries the factor α_j) makes of it, and keeps sparse weightings from being pushed off 0.
/// At α = c the coverage loss has a kink; the derivative is taken to α alone.
void regularisation_backward(const Regulariser& term, std::span<const double> weights, std::span<const double> coverage,
                             std::size_t rows, std::span<double> d_weights, std::span<double> d_coverage);

bool needs_coverage(const Regulariser& term);

}  // namespace quench::attention
