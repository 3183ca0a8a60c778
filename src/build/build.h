// IR + schedule + layout → weights.
#pragma once

#include "ir/graph.h"
#include "model/transformer.h"
#include "opt/allocate.h"
#include "opt/schedule.h"

namespace quench::build {

/// Everything but where the model comes from (source, recipe, logic).
model::Transformer build(const ir::Graph& graph, const opt::Schedule& schedule, const opt::Layout& layout);

}  // namespace quench::build
