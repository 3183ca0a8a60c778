// The fast path: softmax attention over dot products in tiles, with a running maximum and sum per query (the "online"
// method), so that no n × m matrix exists, forward or backward. Backward recomputes the scores. Memory: O(n) beyond the
// inputs and results. SIMD for the machine it runs on, threads over blocks of rows; results do not depend on the number
// of threads. For float and double.
//
//   s_ij = scale·q_i·k_j + Σ position terms      α_i = softmax(s_i/τ(i, m)) over the visible keys      o_i = Σ_j α_ij
//   v_j
//
// τ > 0 (a τ below the smallest normal number counts as that). A query without visible keys gets 0 and passes no
// gradient. Queries, keys and values must be finite: a NaN or ∞ in a key that one query sees can reach its neighbours.
// The oracle is attend_by_rows; `attend` (attention/attention.h) chooses between the two.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "attention/rows.h"
#include "attention/score/position_term.h"
#include "attention/score/visibility.h"
#include "attention/variants/dropout.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

struct TiledAttention {
  double scale = 1;
  Visibility mask = {};
  std::vector<PositionTerm> position_terms = {};  ///< evaluated pair by pair: much slower than the products
  Tau tau = {};
  std::optional<Dropout> dropout = {};
  bool parallel = true;
  bool entropy = true;  ///< fill RowStatistics::entropy; the backward pass needs it only with d_entropy
};

/// What the forward pass knows about each row and the backward pass needs.
template <class T>
struct RowStatistics {
  std::vector<T> max;      ///< max_j s_ij (before τ); the lowest finite number if nothing is visible
  std::vector<T> sum;      ///< Σ_j exp((s_ij − max)/τ); 0 if nothing is visible
  std::vector<T> entropy;  ///< H(α_i) in nats, before dropout; empty if not asked for
};

template <class T>
RowStatistics<T> tiled_forward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                               Rows<T> output);

template <class T>
struct TiledUpstream {
  Rows<const T> d_output;
  std::span<const T> d_entropy = {};  ///< ∂L/∂H(α_i) per row, or empty
};

/// All overwritten.
template <class T>
struct TiledGradients {
  Rows<T> q, k, v;
  std::span<T> tau;  ///< ∂L/∂τ(i, m) per row; or empty: not wanted
};

/// `output` and `statistics` are the forward pass's.
template <class T>
void tiled_backward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                    Rows<const T> output, const RowStatistics<T>& statistics, const TiledUpstream<T>& upstream,
                    const TiledGradients<T>& gradients);

}  // namespace quench::attention
