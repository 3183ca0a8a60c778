#include "export/weights.h"

#include <fmt/format.h>

#include "export/tensors.h"

namespace quench::exports {

Checkpoint weights_of(const model::Transformer& model) {
  const Tensors tensors = tensors_of(model);
  Checkpoint checkpoint;
  checkpoint.add("embedding", tensors.embedding);
  for (std::size_t l = 0; l < tensors.layers.size(); ++l) {
    const LayerTensors& layer = tensors.layers[l];
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const std::string head = fmt::format("layers.{}.heads.{}.", l, h);
      checkpoint.add(head + "q", layer.heads[h].q);
      checkpoint.add(head + "k", layer.heads[h].k);
      checkpoint.add(head + "v", layer.heads[h].v);
      checkpoint.add(head + "o", layer.heads[h].o);
    }
    const std::string ffn = fmt::format("layers.{}.ffn.", l);
    checkpoint.add(ffn + "w1", layer.w1);
    checkpoint.add(ffn + "b1", layer.b1);
    checkpoint.add(ffn + "w2", layer.w2);
    checkpoint.add(ffn + "b2", layer.b2);
  }
  return checkpoint;
}

}  // namespace quench::exports
