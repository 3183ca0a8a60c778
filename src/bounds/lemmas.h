// The lemmas of docs/theory.md as functions. Results are upper bounds in the strict sense: computed in ball arithmetic
// and rounded up.
#pragma once

namespace quench::bounds {

/// [P-L6] ‖hardmax − softmax‖₁ ≤ 4e^{−γ}/(1+e^{−γ}) when every score falls off by at least γ per position.
double hardmax_distance(double gamma);

/// Half of that: how far the mean of values in [0, 1] can be from the value hardmax picks. The two weight vectors have
/// equal sums, so the mass in the wrong place is half their L1 distance.
double boolean_error(double gamma);

/// [P-L7] |c − Σα_j j| ≤ (3/2)e^{−γ} for scores γ(2cj − j²), γ ≥ 1. Also at c = 0 and c = (last position) + 1, where
/// the nearest position is retrieved: there the runner-up is 3γ behind.
double lookup_error(double gamma);

/// The smallest γ the recipes accept: ln 16 makes 4e^{−γ} = ¼.
double smallest_gamma();

// The lemmas of docs/theory-tight.md. Each bounds the softmax mass on positions whose value is not the intended one.

/// [Q-prev], [Q-prev-lin]: (e^{−2γ} + e^{−3γ})/(1 − e^{−2γ}).
double previous_error(double gamma);

/// [Q-any]: e^{−2γ}.
double any_error(double gamma);

/// [Q-sign] with keys (−1)^j: 2e^{−2γ}.
double sign_error(double gamma);

/// [Q-sign-lin], keys j(−1)^j at τ = 1: e^{−γ}(1 + e^{−2γ/3}).
double linear_sign_error(double gamma);

}  // namespace quench::bounds
