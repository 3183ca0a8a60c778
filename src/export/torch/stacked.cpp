#include "export/torch/stacked.h"

#include <fmt/format.h>

#include <algorithm>

namespace quench::exports {
namespace {

void add_attention(Checkpoint& checkpoint, const std::string& name, const LayerTensors& layer, std::size_t width,
                   const std::array<std::size_t, 3>& shape) {
  const std::size_t d_k = shape[0], d_v = shape[1];
  if (layer.heads.empty()) {
    for (const char* part : {"W_Q", "W_K", "W_V"}) checkpoint.add_constant(name + part, {0, width, 1});
    checkpoint.add_constant(name + "W_O", {0, 1, width});
    checkpoint.add_constant(name + "scale", {0});
    return;
  }
  std::vector<Matrix> q, k, v, o;
  std::vector<double> scale;
  for (const HeadTensors& head : layer.heads) {
    q.push_back(padded(transposed(head.q), width, d_k));
    k.push_back(padded(transposed(head.k), width, d_k));
    v.push_back(padded(transposed(head.v), width, d_v));
    o.push_back(padded(transposed(head.o), d_v, width));
    scale.push_back(head.scale);
  }
  checkpoint.add(name + "W_Q", q);
  checkpoint.add(name + "W_K", k);
  checkpoint.add(name + "W_V", v);
  checkpoint.add(name + "W_O", o);
  checkpoint.add(name + "scale", scale);
}

}  // namespace

std::vector<std::array<std::size_t, 3>> stacked_shapes(const Tensors& tensors) {
  std::vector<std::array<std::size_t, 3>> shapes;
  for (const LayerTensors& layer : tensors.layers) {
    std::size_t d_k = 1, d_v = 1;
    for (const HeadTensors& head : layer.heads) {
      d_k = std::max(d_k, head.q.rows);
      d_v = std::max(d_v, head.v.rows);
    }
    shapes.push_back({d_k, d_v, layer.b1.size()});
  }
  return shapes;
}

Checkpoint stacked(const Tensors& tensors, const std::string& prefix) {
  const auto shapes = stacked_shapes(tensors);
  Checkpoint checkpoint;
  checkpoint.add(prefix + "embed.W_E", tensors.embedding);
  for (std::size_t l = 0; l < tensors.layers.size(); ++l) {
    const LayerTensors& layer = tensors.layers[l];
    const std::string block = fmt::format("{}blocks.{}.", prefix, l);
    add_attention(checkpoint, block + "attn.", layer, tensors.embedding.cols, shapes[l]);
    checkpoint.add(block + "mlp.W_in", transposed(layer.w1));
    checkpoint.add(block + "mlp.b_in", layer.b1);
    checkpoint.add(block + "mlp.W_out", transposed(layer.w2));
    checkpoint.add(block + "mlp.b_out", layer.b2);
  }
  return checkpoint;
}

}  // namespace quench::exports
