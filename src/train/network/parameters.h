// All weights of a network in one vector, so that the optimiser, the clipping and the checkpoint are plain loops; and
// where each matrix lies in it. Row vectors multiply from the left, as in Q = X·W_Q.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "attention/rows.h"
#include "train/options.h"

namespace quench::train {

/// A matrix inside the vector, row by row.
struct Block {
  std::size_t offset = 0, rows = 0, cols = 0;

  template <class T>
  attention::Rows<T> in(std::span<T> vector) const {
    return {vector.data() + offset, rows, cols};
  }
  /// The same place in a vector that holds every matrix transposed.
  template <class T>
  attention::Rows<T> transposed_in(std::span<T> vector) const {
    return {vector.data() + offset, cols, rows};
  }
};

struct LayerBlocks {
  Block q, k, v;  ///< d × heads·d_k
  Block o;        ///< heads·d_k × d
  Block w1, b1;   ///< d × m, 1 × m
  Block w2, b2;   ///< m × d, 1 × d
};

/// logit_i = readout · h_i + bias; folded into the last feed-forward when the network is saved (to_model.h).
struct Layout {
  Block embedding;  ///< (symbols + 1) × d
  std::vector<LayerBlocks> layers;
  Block readout, bias;  ///< 1 × d, 1 × 1
  std::size_t size = 0;

  std::vector<Block> blocks() const;
};

Layout lay_out(const Shape& shape);

/// Random weights of the usual sizes, the same for the same seed on every machine. The embedding begins with a
/// coordinate that is 1 for every symbol, since projections have no bias; the row of unmentioned symbols is 0 but for
/// it.
std::vector<double> initial_parameters(const Shape& shape, const Layout& layout, std::uint64_t seed);

/// Every matrix transposed in its place.
void transpose_all(const Layout& layout, std::span<const double> parameters, std::vector<double>& transposed);

}  // namespace quench::train
