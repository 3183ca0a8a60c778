// A model as the decoder that every tool has: a learned table of positions, causal softmax heads of one size with
// scores divided by √d_head, feed-forwards of one size with ReLU, and a linear unembedding. transformer-lens and hf
// write what is here under their names; hf adds what makes layer normalisation harmless (hf/pins.h).
//
// Heads get a common d_head, a power of 4, so that √d_head is a power of two. A head with d_k components has the scores
// q·k/√d_k; padded with zeros to d_head they are divided by √d_head, so q is multiplied by √(d_head/d_k), exactly if
// d_k is a power of 4, as in all that Quench compiles. Missing heads and hidden units are zeros and add nothing.
//
// With a first token (`bos`), as most tools for interpretability put one before every word: one more row of the tables,
// embedded as a word of one unmentioned symbol and marked in a coordinate of its own, so that whatever it computes is
// what that word would. One more component of every head's scores, −S on the mark, hides it: S exceeds twice the
// greatest score by 128, so that its weight is below e⁻¹²⁸. All other positions have their numbers plus one.
#pragma once

#include <cstddef>
#include <vector>

#include "export/readout.h"
#include "export/tensors.h"
#include "model/transformer.h"

namespace quench::exports {

struct StockShape {
  std::size_t width = 0, heads = 0, d_head = 0, hidden = 0;
};

struct StockDecoder {
  StockShape shape;
  std::size_t data_width = 0;  ///< coordinates that the model uses, with their own numbers; the rest are zeros
  std::size_t one = 0;         ///< the coordinate that is constantly 1
  Matrix tokens;               ///< (symbols + 1, and one more with bos) × width
  Matrix positions;            ///< context × width, and one more row with bos
  std::vector<LayerTensors> layers;
  Readout readout;  ///< without a bias: what it was is the weight on `one`
};

/// Throws UserError, naming the head and its mask, temperature or weighting, if the model is not such a decoder.
void require_stock_decoder(const model::Transformer& model);

/// The least shape that holds the model: at least two heads, since tools for circuits expect to tell them apart.
StockShape least_shape(const model::Transformer& model, bool bos = false);

/// Throws UserError as above, and if a position encoding is no table.
StockDecoder stock_decoder(const model::Transformer& model, std::size_t context, const StockShape& shape,
                           bool bos = false);

}  // namespace quench::exports
