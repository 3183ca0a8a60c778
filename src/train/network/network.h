// One word through the network, forward and backward: the architecture of model/transformer.h with dense weights.
//
//   h = WE(w) + PE      h += Σ_heads softmax(Q K ᵀ/(√d_k·τ)) V · W_O      h += ReLU(h W_1 + b_1) W_2 + b_2
//   logit_i = readout · h_i + bias
//
// Attention is attention/kernel/tiled.h's. Buffers live in a Tape and are reused from word to word.
#pragma once

#include <span>
#include <vector>

#include "attention/kernel/tiled.h"
#include "base/number/matrix.h"
#include "base/word.h"
#include "train/network/parameters.h"
#include "train/options.h"

namespace quench::train {

/// What a layer computed, kept for going backward.
struct LayerTape {
  Matrix q, k, v;                                            ///< n × heads·d_k
  Matrix mixed;                                              ///< n × heads·d_k: what the heads hand to W_O
  std::vector<attention::RowStatistics<double>> statistics;  ///< per head
  Matrix middle;                                             ///< n × d, after the attention
  Matrix hidden;                                             ///< n × m, after the ReLU
  Matrix result;                                             ///< n × d
};

/// What a layer's gradients pass through on the way back.
struct BackwardBuffers {
  Matrix d_stream;          ///< n × d: to the residual stream
  Matrix d_hidden;          ///< n × m
  Matrix d_mixed, q, k, v;  ///< n × heads·d_k
  std::vector<double> d_tau, d_entropy;
};

struct Tape {
  Matrix input;  ///< n × d: embedding and position encodings
  std::vector<LayerTape> layers;
  std::vector<double> logits;
  double entropy = 0;  ///< mean entropy of a row, over all heads and positions
  BackwardBuffers backward;
};

/// The gradient of a loss, as it arrives and as it leaves.
struct Upstream {
  std::span<const double> d_logits;
  double d_entropy = 0;  ///< to Tape::entropy
};

class Network {
 public:
  /// Both vectors must outlive it; `transposed` is what transpose_all makes of the parameters.
  Network(const Shape& shape, const Layout& layout, std::span<const double> parameters,
          std::span<const double> transposed, double tau)
      : shape_(shape), layout_(layout), parameters_(parameters), transposed_(transposed), tau_(tau) {}

  void forward(const Word& word, Tape& tape) const;
  /// Adds the gradients to `gradient`, laid out like the parameters.
  void backward(const Word& word, Tape& tape, const Upstream& upstream, std::span<double> gradient) const;

 private:
  struct Backward;

  attention::TiledAttention head(std::size_t index) const;
  void embed(const Word& word, Matrix& input) const;
  void attend(const LayerBlocks& blocks, const Matrix& input, LayerTape& tape) const;
  void feed_forward(const LayerBlocks& blocks, LayerTape& tape) const;
  attention::Rows<const double> weights(const Block& block) const { return block.in(parameters_); }

  const Shape& shape_;
  const Layout& layout_;
  std::span<const double> parameters_, transposed_;
  double tau_;
};

}  // namespace quench::train
