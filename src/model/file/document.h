// Everything about a model but its weights, as the JSON document of the model file (docs/model-format.md).
#pragma once

#include <string>

#include "model/transformer.h"

namespace quench::model {

/// One line of JSON, the same for equal models. The model must be valid.
std::string write_document(const Transformer& transformer);

/// The model with its layers, heads and names, weights still empty. Throws IoError saying where in the document it is
/// wrong. Ranges of values are left to validate(); only what sizes anything is checked here.
Transformer read_document(const std::string& text);

}  // namespace quench::model
