// Is a head healthy? Measures of where attention goes and of how much gradient it lets through, from its rows, and a
// report of all of them. Entropies are in nats; rows whose weights sum to less than 1 are normalised first, and rows
// that see nothing are left out.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "attention/attention.h"
#include "base/number/matrix.h"

namespace quench::attention {

/// Bands of H(α) as textbooks on soft attention give them: below 0.5 (1–2 positions), up to 1.5 (a few), up to 2.5
/// (several), above (broad).
enum class EntropyBand : std::uint8_t { very_low, low, medium, high };
EntropyBand entropy_band(double entropy);
std::string_view to_string(EntropyBand band);

/// e^H: the number of keys that evenly shared weights of this entropy would be spread over.
double effective_support(std::span<const double> weights);

/// The share of the softmax Jacobian diag(α) − ααᵀ that peakedness has removed: 1 − (1 − Σα²)/(1 − 1/k) over k visible
/// keys. 0 for uniform weights, 1 for one-hot ones, through which no gradient passes. One key alone: 0, nothing is
/// lost.
double saturation(std::span<const double> weights);

/// |α ⊙ (g − α·g)| / |g − mean(g)|: what part of the upstream gradient g = ∂L/∂α reaches the scores (uniform weights
/// over k keys: 1/k). 0 if g is constant.
double gradient_gain(std::span<const double> weights, std::span<const double> d_weights);

/// How attention has degenerated, if it has. Rows with one visible key do not count.
enum class Collapse : std::uint8_t {
  none,
  sink,     ///< one key has at least 90 % of the weight of all rows together (of at least two)
  peaked,   ///< at least 90 % of the rows put more than 99 % on one key: gradients are frozen
  uniform,  ///< at least 90 % of the rows have 99 % of the largest possible entropy: nothing is selected
};
std::string_view to_string(Collapse collapse);

/// Query i (uniform) picks key j with probability α_ij, and has label y_i. Then Y — I — J is a Markov chain, and
///   rate = I(I; J) = H(mean row) − mean H(row),   relevance = I(Y; J) ≤ rate and ≤ H(Y):
/// how much the choice of key says about the query at all, and about what matters of it. A plug-in estimate from the
/// weights of one input (no noise model of the values), which is what the "information bottleneck" of attention comes
/// down to.
struct Bottleneck {
  double rate = 0, relevance = 0, label_entropy = 0;
};

/// Whether a point lies in the convex hull of some values: coordinate by coordinate, and by Frank–Wolfe steps towards
/// it that end either near it or with a direction in which it lies beyond every value.
struct HullCheck {
  bool inside_box = true;
  bool separated = false;  ///< a direction was found: certainly outside, by at least `margin`
  double margin = 0;
  double distance = 0;  ///< of the nearest hull point that was found: the point is at most this far outside
};
HullCheck check_hull(Rows<const double> values, std::span<const double> point, int steps = 200);

struct HealthReport {
  std::size_t queries = 0, keys = 0, empty_rows = 0;
  std::vector<double> entropy, support, saturation;  ///< per row that sees something
  std::array<std::size_t, 4> bands{};                ///< rows per EntropyBand
  double mutual_information = 0;                     ///< H(mean row) − mean H(row)
  double mutual_information_limit = 0;               ///< ln min(rows that see something, keys)
  Collapse collapse = Collapse::none;
  double worst_weight_sum = 0;           ///< largest |Σ_j α_ij − 1|: 0 to rounding for probability weightings
  std::size_t outside_box = 0;           ///< outputs outside the box of the values, beyond rounding
  std::optional<Bottleneck> bottleneck;  ///< with labels
  std::vector<double> query_gradients, key_gradients, value_gradients;  ///< norms per position; with an upstream
  std::vector<double> gain;                                             ///< gradient_gain per row; with an upstream

  std::string to_table() const;
  std::string to_json() const;
};

struct HealthInputs {
  Rows<const double> d_output = {};          ///< upstream gradient; without it no gradient norms
  std::span<const std::size_t> labels = {};  ///< a class per query; without them no bottleneck
};

/// Runs the attention once by rows (and once backward, given an upstream) and measures it. O(n + m) memory, and
/// labels·m.
HealthReport examine(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                     const HealthInputs& inputs = {});

}  // namespace quench::attention
