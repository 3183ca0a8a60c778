// A decoder as a case of InterpBench: ll_model.pth (what torch.save makes of a state dictionary by TransformerLens'
// names), ll_model_cfg.pkl (the configuration as a pickled dictionary) and edges.pkl, a pickled set of pairs of names
// with the true edges of the circuit, without constants.
//
// Pickles are written by hand: they are programs of a few instructions, and loading these calls nothing but what
// rebuilds tensors.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "export/file_set.h"
#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

/// Throws UserError if the model is not a stock decoder.
std::vector<ExportedFile> interpbench(const model::Transformer& model, std::size_t context, model::TensorType type);

/// ("blocks.0.attn.hook_result[1]", "blocks.0.mlp.hook_post"): who writes, who reads. Feed-forwards are one node per
/// layer, and the output is none.
std::set<std::pair<std::string, std::string>> interpbench_edges(const model::Transformer& model);

}  // namespace quench::exports
