#include "train/network/parameters.h"

#include <cmath>
#include <numbers>

#include "base/number/random.h"

namespace quench::train {
namespace {

double normal(Random& random) {
  const double u = (static_cast<double>(random.bits() >> 12) + 0.5) * 0x1.0p-52;  // never 0
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * random.unit());
}

void fill_normal(std::span<double> parameters, const Block& block, double deviation, Random& random) {
  for (double& weight : parameters.subspan(block.offset, block.rows * block.cols)) weight = deviation * normal(random);
}

void fill_embedding(const Shape& shape, attention::Rows<double> embedding, Random& random) {
  const std::size_t constant = shape.positions.size();
  for (std::size_t symbol = 0; symbol < embedding.rows; ++symbol) {
    embedding(symbol, constant) = 1;
    if (symbol == shape.symbols) continue;
    for (std::size_t c = constant + 1; c < shape.width; ++c) embedding(symbol, c) = normal(random);
  }
}

}  // namespace

std::vector<Block> Layout::blocks() const {
  std::vector<Block> all = {embedding};
  for (const LayerBlocks& layer : layers)
    all.insert(all.end(), {layer.q, layer.k, layer.v, layer.o, layer.w1, layer.b1, layer.w2, layer.b2});
  all.insert(all.end(), {readout, bias});
  return all;
}

Layout lay_out(const Shape& shape) {
  Layout layout;
  const auto block = [&](std::size_t rows, std::size_t cols) {
    const Block result{layout.size, rows, cols};
    layout.size += rows * cols;
    return result;
  };
  const std::size_t d = shape.width, all = shape.heads() * shape.head_width(), m = shape.hidden;
  layout.embedding = block(shape.symbols + 1, d);
  for (std::size_t l = 0; l < shape.layers; ++l) {
    LayerBlocks layer;
    layer.q = block(d, all);
    layer.k = block(d, all);
    layer.v = block(d, all);
    layer.o = block(all, d);
    layer.w1 = block(d, m);
    layer.b1 = block(1, m);
    layer.w2 = block(m, d);
    layer.b2 = block(1, d);
    layout.layers.push_back(layer);
  }
  layout.readout = block(1, d);
  layout.bias = block(1, 1);
  return layout;
}

std::vector<double> initial_parameters(const Shape& shape, const Layout& layout, std::uint64_t seed) {
  std::vector<double> parameters(layout.size, 0.0);
  Random random(seed);
  const double d = static_cast<double>(shape.width), m = static_cast<double>(shape.hidden);
  const double depth = std::sqrt(2 * static_cast<double>(shape.layers));  // so that the residual stream keeps its size
  fill_embedding(shape, layout.embedding.in(std::span(parameters)), random);
  for (const LayerBlocks& layer : layout.layers) {
    for (const Block& block : {layer.q, layer.k, layer.v}) fill_normal(parameters, block, 1 / std::sqrt(d), random);
    fill_normal(parameters, layer.o, 1 / (depth * std::sqrt(d)), random);
    fill_normal(parameters, layer.w1, std::sqrt(2 / d), random);
    fill_normal(parameters, layer.w2, std::sqrt(1 / m) / depth, random);
  }
  fill_normal(parameters, layout.readout, 1 / std::sqrt(d), random);
  return parameters;
}

void transpose_all(const Layout& layout, std::span<const double> parameters, std::vector<double>& transposed) {
  transposed.resize(parameters.size());
  for (const Block& block : layout.blocks()) {
    const auto from = block.in(parameters);
    const auto to = block.transposed_in(std::span(transposed));
    for (std::size_t r = 0; r < block.rows; ++r)
      for (std::size_t c = 0; c < block.cols; ++c) to(c, r) = from(r, c);
  }
}

}  // namespace quench::train
