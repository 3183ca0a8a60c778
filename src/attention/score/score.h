// How well a key answers a query: the five usual score functions, and the pass that evaluates them row by row.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "attention/rows.h"
#include "base/number/matrix.h"

namespace quench::attention {

/// q·k (Luong's "dot").
struct Dot {};
/// q·k/√d_k: keeps the variance of the score at 1 when the entries of q and k have variance 1.
struct ScaledDot {};
/// qᵀ W k, W of size d_q × d_k (Luong's "general", bilinear).
struct General {
  Matrix w;
};
/// v·tanh(W_q q + W_k k + b) (Bahdanau): W_q is a × d_q, W_k a × d_k, v and b of a entries.
struct Additive {
  Matrix w_q, w_k;
  std::vector<double> v, b;
};
/// scale·q·k/(|q||k|); 0 if either is the zero vector (and no gradient there).
struct Cosine {
  double scale = 1;
};

using Score = std::variant<Dot, ScaledDot, General, Additive, Cosine>;

/// A score of the same kind and shape whose parameters are all 0: where gradients are added up.
Score zero_like(const Score& score);

/// One score with one set of keys. What does not depend on the query (W_k k, |k|) is computed once: O(m) memory.
class ScorePass {
 public:
  virtual ~ScorePass() = default;
  /// scores[t] = score(q, keys[visible[t]]).
  virtual void row(std::span<const double> q, std::span<const std::size_t> visible, std::span<double> scores) = 0;
  /// Adds to ∂L/∂q, and remembers what belongs to keys and parameters until `finish`.
  virtual void row_backward(std::span<const double> q, std::span<const std::size_t> visible,
                            std::span<const double> d_scores, std::span<double> d_q) = 0;
  /// Adds the collected gradients to keys and parameters (`d_score` came from zero_like). Call once, after the rows.
  virtual void finish(Rows<double> d_keys, Score& d_score) = 0;
};

/// The score and the keys must outlive the pass. Throws UserError if the widths do not fit.
std::unique_ptr<ScorePass> begin_pass(const Score& score, Rows<const double> keys, std::size_t query_width);

}  // namespace quench::attention
