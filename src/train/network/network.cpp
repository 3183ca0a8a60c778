#include "train/network/network.h"

#include <cmath>

#include "model/position.h"
#include "train/network/products.h"

namespace quench::train {
namespace {

/// Zero, with this shape, in the memory it already has.
void clear(Matrix& matrix, std::size_t rows, std::size_t cols) {
  matrix.rows = rows;
  matrix.cols = cols;
  matrix.data.assign(rows * cols, 0.0);
}

/// Every row a copy of the one row `bias`.
void fill_rows(Matrix& matrix, std::size_t rows, attention::Rows<const double> bias) {
  clear(matrix, rows, bias.cols);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < bias.cols; ++c) matrix(r, c) = bias(0, c);
}

std::size_t embedding_row(Symbol symbol, std::size_t symbols) {
  return symbol == kUnmentioned ? symbols : static_cast<std::size_t>(symbol);
}

}  // namespace

attention::TiledAttention Network::head(std::size_t index) const {
  return {.scale = 1 / std::sqrt(static_cast<double>(shape_.head_width())),
          .mask = shape_.masks[index],
          .tau = tau_,
          .parallel = false};  // words run in parallel, not rows
}

void Network::embed(const Word& word, Matrix& input) const {
  clear(input, word.size(), shape_.width);
  const auto embedding = weights(layout_.embedding);
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto row = embedding[embedding_row(word[i], shape_.symbols)];
    for (std::size_t c = 0; c < shape_.width; ++c) input(i, c) = row[c];
    for (std::size_t p = 0; p < shape_.positions.size(); ++p)
      input(i, p) += model::position_value(shape_.positions[p], i + 1, word.size());
  }
}

void Network::attend(const LayerBlocks& blocks, const Matrix& input, LayerTape& tape) const {
  const std::size_t n = input.rows, all = blocks.q.cols, d_k = shape_.head_width();
  for (const auto& [block, result] : {std::pair(&blocks.q, &tape.q), {&blocks.k, &tape.k}, {&blocks.v, &tape.v}}) {
    clear(*result, n, all);
    add_product(input, weights(*block), *result);
  }
  clear(tape.mixed, n, all);
  tape.statistics.resize(shape_.heads());
  for (std::size_t h = 0; h < shape_.heads(); ++h) {
    const auto own = [&](const Matrix& m) { return attention::Rows<const double>(m).columns(h * d_k, d_k); };
    tape.statistics[h] = attention::tiled_forward<double>(head(h), own(tape.q), own(tape.k), own(tape.v),
                                                          attention::Rows<double>(tape.mixed).columns(h * d_k, d_k));
  }
  tape.middle = input;
  add_product(tape.mixed, weights(blocks.o), tape.middle);
}

void Network::feed_forward(const LayerBlocks& blocks, LayerTape& tape) const {
  fill_rows(tape.hidden, tape.middle.rows, weights(blocks.b1));
  add_product(tape.middle, weights(blocks.w1), tape.hidden);
  for (double& x : tape.hidden.data) x = x > 0 ? x : 0;
  fill_rows(tape.result, tape.middle.rows, weights(blocks.b2));
  add_product(tape.hidden, weights(blocks.w2), tape.result);
  for (std::size_t c = 0; c < tape.result.data.size(); ++c) tape.result.data[c] += tape.middle.data[c];
}

void Network::forward(const Word& word, Tape& tape) const {
  const std::size_t n = word.size();
  embed(word, tape.input);
  tape.layers.resize(shape_.layers);
  double entropy = 0;
  for (std::size_t l = 0; l < shape_.layers; ++l) {
    attend(layout_.layers[l], l == 0 ? tape.input : tape.layers[l - 1].result, tape.layers[l]);
    feed_forward(layout_.layers[l], tape.layers[l]);
    for (const auto& rows : tape.layers[l].statistics)
      for (const double h : rows.entropy) entropy += h;
  }
  tape.entropy = entropy / static_cast<double>(n * shape_.layers * shape_.heads());
  const Matrix& last = tape.layers.back().result;
  const auto readout = weights(layout_.readout);
  tape.logits.assign(n, weights(layout_.bias)(0, 0));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < shape_.width; ++c) tape.logits[i] += last(i, c) * readout(0, c);
}

/// The gradient to the residual stream, carried from the last layer to the first.
struct Network::Backward {
  const Network& net;
  const Upstream& upstream;
  std::span<double> gradient;
  BackwardBuffers& buffers;
  Matrix& d_stream = buffers.d_stream;

  attention::Rows<double> to(const Block& block) const { return block.in(gradient); }
  attention::Rows<const double> transposed(const Block& block) const { return block.transposed_in(net.transposed_); }

  void readout(const Matrix& last) {
    const auto weights = net.weights(net.layout_.readout);
    clear(d_stream, last.rows, last.cols);
    for (std::size_t i = 0; i < last.rows; ++i) {
      const double d = upstream.d_logits[i];
      to(net.layout_.bias)(0, 0) += d;
      for (std::size_t c = 0; c < last.cols; ++c) {
        to(net.layout_.readout)(0, c) += d * last(i, c);
        d_stream(i, c) = d * weights(0, c);
      }
    }
  }

  void feed_forward(const LayerBlocks& blocks, const LayerTape& tape) {
    Matrix& d_hidden = buffers.d_hidden;
    clear(d_hidden, tape.hidden.rows, tape.hidden.cols);
    add_rows(d_stream, to(blocks.b2));
    add_transposed_product(tape.hidden, d_stream, to(blocks.w2));
    add_product(d_stream, transposed(blocks.w2), d_hidden);
    for (std::size_t c = 0; c < d_hidden.data.size(); ++c)
      if (tape.hidden.data[c] == 0) d_hidden.data[c] = 0;
    add_rows(d_hidden, to(blocks.b1));
    add_transposed_product(tape.middle, d_hidden, to(blocks.w1));
    add_product(d_hidden, transposed(blocks.w1), d_stream);
  }

  void attend(const LayerBlocks& blocks, const Matrix& input, const LayerTape& tape) {
    const std::size_t n = input.rows, all = blocks.q.cols, d_k = net.shape_.head_width();
    auto& [stream, hidden, d_mixed, d_q, d_k_all, d_v, d_tau, d_entropy] = buffers;
    for (Matrix* matrix : {&d_mixed, &d_q, &d_k_all, &d_v}) clear(*matrix, n, all);
    add_transposed_product(tape.mixed, d_stream, to(blocks.o));
    add_product(d_stream, transposed(blocks.o), d_mixed);
    d_tau.assign(n, 0.0);
    const double per_row = upstream.d_entropy / static_cast<double>(n * net.shape_.layers * net.shape_.heads());
    d_entropy.assign(per_row == 0 ? 0 : n, per_row);
    for (std::size_t h = 0; h < net.shape_.heads(); ++h) {
      const auto own = [&](const Matrix& m) { return attention::Rows<const double>(m).columns(h * d_k, d_k); };
      const auto out = [&](Matrix& m) { return attention::Rows<double>(m).columns(h * d_k, d_k); };
      attention::tiled_backward<double>(net.head(h), own(tape.q), own(tape.k), own(tape.v), own(tape.mixed),
                                        tape.statistics[h], {own(d_mixed), d_entropy},
                                        {out(d_q), out(d_k_all), out(d_v), d_tau});
    }
    for (const auto& [block, d] : {std::pair(&blocks.q, &d_q), {&blocks.k, &d_k_all}, {&blocks.v, &d_v}}) {
      add_transposed_product(input, *d, to(*block));
      add_product(*d, transposed(*block), d_stream);
    }
  }

  void embedding(const Word& word) {
    const auto d_embedding = to(net.layout_.embedding);
    for (std::size_t i = 0; i < word.size(); ++i)
      for (std::size_t c = 0; c < d_stream.cols; ++c)
        d_embedding(embedding_row(word[i], net.shape_.symbols), c) += d_stream(i, c);
  }
};

void Network::backward(const Word& word, Tape& tape, const Upstream& upstream, std::span<double> gradient) const {
  Backward pass{*this, upstream, gradient, tape.backward};
  pass.readout(tape.layers.back().result);
  for (std::size_t l = shape_.layers; l-- > 0;) {
    pass.feed_forward(layout_.layers[l], tape.layers[l]);
    pass.attend(layout_.layers[l], l == 0 ? tape.input : tape.layers[l - 1].result, tape.layers[l]);
  }
  pass.embedding(word);
}

}  // namespace quench::train
