// A model's weights by the names of its own file (docs/model-format.md).
#pragma once

#include "export/checkpoint.h"
#include "model/transformer.h"

namespace quench::exports {

Checkpoint weights_of(const model::Transformer& model);

}  // namespace quench::exports
