// Attention as mathematics: any score, mask, position terms and weighting function, forward and backward.
//
//   visible_i = mask ∩ predicted window
//   s_ij = score(q_i, k_j) + Σ position terms(i, j) + coverage.weight · c_ij       j visible, c_ij = Σ_{i' < i} α_i'j
//   α_i  = weighting(s_i) · Gaussian of the predicted window
//   o_i  = Σ_j dropout(i, j) α_ij v_j                                              no visible key: o_i = 0
//
// Queries n × d_q, keys m × d_k, values m × d_v; n and m may differ (cross-attention), and so may d_k and d_v.
//
//   Attention causal{.mask = Mask::future};
//   Matrix context = attend(causal, q, k, v);
//   Gradients g = attend_backward(causal, q, k, v, {.d_output = d_context});
//
// `attend` and `attend_backward` take the tiled kernel (attention/kernel/tiled.h) where it applies and the rows below where it
// does not. The `_by_rows` functions go one query at a time, as written above, in O(m) memory beyond inputs and
// results; they are the oracle of the fast path. Only what feeds a row's weights into later rows (monotonic attention,
// coverage) keeps the n × m weights while going backward.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "attention/health/regulariser.h"
#include "attention/rows.h"
#include "attention/score/position_term.h"
#include "attention/score/score.h"
#include "attention/score/visibility.h"
#include "attention/variants/dropout.h"
#include "attention/variants/predicted_window.h"
#include "attention/weighting/weighting.h"
#include "base/number/matrix.h"

namespace quench::attention {

/// Coverage-aware scores: weight·c_ij is added, c_ij the attention key j has had so far. A negative weight spreads it.
struct Coverage {
  double weight = -1;
};

struct Attention {
  Score score = ScaledDot{};
  Visibility mask = {};
  std::vector<PositionTerm> position_terms = {};
  WeightingFunction weighting = Softmax{};
  std::optional<PredictedWindow> window = {};
  std::optional<Coverage> coverage = {};
  std::optional<Dropout> dropout = {};
  std::vector<Regulariser> regularisers = {};
};

/// Sees α_i of every row in order, before dropout: weights[t] belongs to key keys[t], all others are 0.
using RowObserver =
    std::function<void(std::size_t i, std::span<const std::size_t> keys, std::span<const double> weights)>;

/// The loss's gradient as it arrives. `advantages` (loss − baseline per row) is for SampledHard only.
struct Upstream {
  Rows<const double> d_output;
  std::span<const double> advantages = {};
};

struct Gradients {
  Matrix q, k, v;
  Score score;                               ///< parameters of the score
  std::vector<PositionTerm> position_terms;  ///< parameters of the terms
  std::vector<double> weighting;  ///< per row: ∂L/∂τ(i, n), or the parameter the weighting function names
  std::optional<PredictedWindow> window;
  double coverage = 0;  ///< ∂L/∂coverage.weight
};

/// The outputs, n × d_v.
Matrix attend(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v);
/// Gradients of (Σ d_output ⊙ output + regularisers).
Gradients attend_backward(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                          const Upstream& upstream);

Matrix attend_by_rows(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                      const RowObserver& observer = {});
Gradients attend_by_rows_backward(const Attention& attention, Rows<const double> q, Rows<const double> k,
                                  Rows<const double> v, const Upstream& upstream);

/// The sum of the regularisers' terms.
double regularisation(const Attention& attention, Rows<const double> q, Rows<const double> k);

/// All weights, n × m, before dropout: for looking at small cases.
Matrix weights(const Attention& attention, Rows<const double> q, Rows<const double> k);

/// Whether `attend` takes the tiled kernel: softmax with τ > 0 over a score that is a dot product of something, without
/// window, coverage or coverage loss. (It also wants finite inputs, and going backward position terms without
/// parameters.)
bool tiled_applies(const Attention& attention, std::size_t queries, std::size_t keys);

}  // namespace quench::attention
