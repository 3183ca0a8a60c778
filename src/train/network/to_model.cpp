#include "train/network/to_model.h"

#include <fmt/format.h>

namespace quench::train {
namespace {

using attention::Rows;

SparseMatrix plain(Rows<const double> from) {
  SparseMatrix result(from.rows, from.cols);
  for (std::size_t r = 0; r < from.rows; ++r)
    for (std::size_t c = 0; c < from.cols; ++c) result.add(r, c, from(r, c));
  return result;
}

/// The model multiplies column vectors from the right.
SparseMatrix transposed(Rows<const double> from, double factor = 1) {
  SparseMatrix result(from.cols, from.rows);
  for (std::size_t c = 0; c < from.cols; ++c)
    for (std::size_t r = 0; r < from.rows; ++r) result.add(c, r, factor * from(r, c));
  return result;
}

std::vector<double> row(Rows<const double> from) { return {from[0].begin(), from[0].end()}; }

model::Head make_head(const Shape& shape, const LayerBlocks& blocks, std::span<const double> parameters, double tau,
                      std::size_t layer, std::size_t index) {
  const std::size_t first = index * shape.head_width(), d_k = shape.head_width();
  const auto part = [&](const Block& block) { return block.in(parameters).columns(first, d_k); };
  const auto o = blocks.o.in(parameters);
  model::Head head;
  head.name = fmt::format("trained {}.{}", layer, index);
  head.mask = shape.masks[index];
  head.q = transposed(part(blocks.q), 1 / tau);
  head.k = transposed(part(blocks.k));
  head.v = transposed(part(blocks.v));
  head.o = transposed({o.data + first * o.stride, d_k, o.cols, o.stride});
  return head;
}

void fold_readout(const Layout& layout, std::span<const double> parameters, std::size_t output,
                  model::FeedForward& ffn) {
  const auto readout = layout.readout.in(parameters);
  const auto w2 = layout.layers.back().w2.in(parameters);
  const std::size_t width = readout.cols, hidden = ffn.b1.size();
  ffn.w1.rows.resize(hidden + 2);
  ffn.w2.cols = hidden + 2;
  for (std::size_t c = 0; c < width; ++c) {
    const double r = readout(0, c) - (c == output ? 1 : 0);
    ffn.w1.add(hidden, c, r);
    ffn.w1.add(hidden + 1, c, -r);
  }
  ffn.b1.insert(ffn.b1.end(), 2, 0.0);
  for (std::size_t unit = 0; unit < hidden; ++unit) {
    double weight = 0;
    for (std::size_t c = 0; c < width; ++c) weight += readout(0, c) * w2(unit, c);
    ffn.w2.add(output, unit, weight - ffn.w2.at(output, unit));
  }
  ffn.w2.add(output, hidden, 1);
  ffn.w2.add(output, hidden + 1, -1);
  double bias = layout.bias.in(parameters)(0, 0) + 0.5;
  for (std::size_t c = 0; c < width; ++c) bias += readout(0, c) * ffn.b2[c];
  ffn.b2[output] = bias;
}

}  // namespace

model::Transformer to_model(const Shape& shape, const Layout& layout, std::span<const double> parameters, double tau,
                            const Alphabet& alphabet) {
  model::Transformer model;
  model.alphabet = alphabet;
  model.width = shape.width;
  model.embedding = plain(layout.embedding.in(parameters));
  for (std::size_t p = 0; p < shape.positions.size(); ++p)
    model.position_encodings.push_back({static_cast<std::uint32_t>(p), shape.positions[p]});
  for (std::size_t l = 0; l < shape.layers; ++l) {
    const LayerBlocks& blocks = layout.layers[l];
    model::Layer layer;
    for (std::size_t h = 0; h < shape.heads(); ++h)
      layer.heads.push_back(make_head(shape, blocks, parameters, tau, l, h));
    layer.ffn = {transposed(blocks.w1.in(parameters)), row(blocks.b1.in(parameters)),
                 transposed(blocks.w2.in(parameters)), row(blocks.b2.in(parameters))};
    model.layers.push_back(std::move(layer));
  }
  const std::size_t output = shape.width - 1;
  fold_readout(layout, parameters, output, model.layers.back().ffn);
  model.output.coordinate = static_cast<std::uint32_t>(output);
  model.recipe = "trained";
  return model;
}

}  // namespace quench::train
