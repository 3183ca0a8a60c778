// A decoder as a stock GPT-2 of Hugging Face: a folder that AutoModelForTokenClassification (an answer at every
// position), AutoModelForSequenceClassification (at the last) and AutoTokenizer load without any code of ours; and, of
// models that put out symbols or scores, AutoModelForCausalLM.
#pragma once

#include <cstddef>
#include <vector>

#include "export/file_set.h"
#include "model/safetensors.h"
#include "model/transformer.h"

namespace quench::exports {

/// Throws UserError if the model is not a stock decoder.
std::vector<ExportedFile> gpt2(const model::Transformer& model, std::size_t context, model::TensorType type);

}  // namespace quench::exports
