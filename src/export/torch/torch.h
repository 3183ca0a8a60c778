// Any model for PyTorch: weights by layer, the heads of a layer side by side, and the Python that computes with them
// (python/quench/quench_torch.py), which reads masks, temperatures, weightings and position formulas from the model's
// document.
#pragma once

#include <vector>

#include "export/file_set.h"
#include "model/file/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

/// A module that needs torch alone.
std::vector<ExportedFile> torch(const model::Transformer& model, model::TensorType type);

/// The same module as a folder that Hugging Face's Auto classes load with trust_remote_code=True.
std::vector<ExportedFile> hf_custom(const model::Transformer& model, model::TensorType type);

}  // namespace quench::exports
