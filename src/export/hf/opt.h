// A decoder under the names of OPT, whose blocks are GPT-2's in other clothes: layers are output × input, queries, keys
// and values apart, and positions start at row 2 of their table. There is no class for an answer at every position:
// AutoModelForSequenceClassification answers at the last, and models that put out symbols or scores have
// AutoModelForCausalLM.
#pragma once

#include <nlohmann/json.hpp>

#include "export/checkpoint.h"
#include "export/hf/stock_folder.h"
#include "model/file/safetensors.h"

namespace quench::exports {

Checkpoint opt_checkpoint(const StockFolder& folder);
nlohmann::ordered_json opt_config(const StockFolder& folder, model::TensorType type);

}  // namespace quench::exports
