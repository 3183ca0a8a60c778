// A decoder in TransformerLens' format: model.safetensors with its names and orientations (blocks.0.attn.W_Q: heads ×
// d_model × d_head, …) and config.json with its field names. No layer normalisation, ReLU, causal attention.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "export/checkpoint.h"
#include "export/file_set.h"
#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

struct LensModel {
  Checkpoint checkpoint;
  std::string config;  ///< config.json
};

/// Both throw UserError if the model is not a stock decoder. With `bos` every word has one more token in front, which no
/// head sees; a tokenizer that puts it there is written, too.
LensModel lens_model(const model::Transformer& model, std::size_t context, model::TensorType type, bool bos = false);
std::vector<ExportedFile> transformer_lens(const model::Transformer& model, std::size_t context,
                                           model::TensorType type, bool bos = false);

}  // namespace quench::exports
