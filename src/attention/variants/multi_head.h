// Multi-head attention: projections, heads side by side, output matrix.
//
//   head_h = Attention_h(X·W_Q^h, M·W_K^g, M·W_V^g),  g = ⌊h·kv_heads/heads⌋        output = Concat(head_1 …)·W_O
//
// X is n × d (queries come from it), M is m × d_m (keys and values; X itself for self-attention). With fewer key/value
// heads than query heads, groups of query heads share keys and values (grouped-query attention; one: multi-query).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/attention.h"
#include "base/number/matrix.h"

namespace quench::attention {

struct MultiHead {
  std::size_t heads = 1;
  std::size_t kv_heads = 1;  ///< divides heads
  Matrix w_q;                ///< d × heads·d_k
  Matrix w_k;                ///< d_m × kv_heads·d_k
  Matrix w_v;                ///< d_m × kv_heads·d_v
  Matrix w_o;                ///< heads·d_v × d_out
  /// One for all heads (dropout then differs from head to head), or one per head.
  std::vector<Attention> attention = {Attention{}};

  /// What head h computes.
  Attention of_head(std::size_t h) const;
};

struct MultiHeadGradients {
  Matrix x, memory;  ///< in self-attention the gradient to X is their sum
  Matrix w_q, w_k, w_v, w_o;
  std::vector<Gradients> heads;  ///< parameters of score, position terms, weighting …; their q, k, v are left empty
};

/// n × d_out. Throws UserError if the shapes do not fit. Going backward, advantages (for SampledHard) are per query and
/// shared by the heads.
Matrix multi_head(const MultiHead& layer, Rows<const double> x, Rows<const double> memory);
MultiHeadGradients multi_head_backward(const MultiHead& layer, Rows<const double> x, Rows<const double> memory,
                                       const Upstream& upstream);

/// A batch: sequences of any lengths, each attended to by itself; in parallel, and summed in the order of the batch, so
/// results do not depend on the threads. Gradients to the inputs are per sequence, to the parameters summed.
struct BatchGradients {
  std::vector<Matrix> x, memory;
  Matrix w_q, w_k, w_v, w_o;
  std::vector<std::vector<Gradients>> heads;  ///< per sequence
};
std::vector<Matrix> multi_head_batch(const MultiHead& layer, std::span<const Matrix> x, std::span<const Matrix> memory);
BatchGradients multi_head_batch_backward(const MultiHead& layer, std::span<const Matrix> x,
                                         std::span<const Matrix> memory, std::span<const Matrix> d_output);

}  // namespace quench::attention
