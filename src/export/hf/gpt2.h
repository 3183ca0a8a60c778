// A decoder under the names of GPT-2: AutoModelForTokenClassification (an answer at every position),
// AutoModelForSequenceClassification (at the last) and, of models that put out symbols or scores, AutoModelForCausalLM.
#pragma once

#include <nlohmann/json.hpp>

#include "export/checkpoint.h"
#include "export/hf/stock_folder.h"
#include "model/file/safetensors.h"

namespace quench::exports {

Checkpoint gpt2_checkpoint(const StockFolder& folder);
nlohmann::ordered_json gpt2_config(const StockFolder& folder, model::TensorType type);

/// id2label, label2id and torch_dtype, as every architecture has them.
void add_labels(nlohmann::ordered_json& config, const StockFolder& folder, model::TensorType type);

}  // namespace quench::exports
