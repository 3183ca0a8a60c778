// Names for people: of nodes that the lowering left without a label, from what they are made of.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace quench::ir {

/// By node: its label, or a text made of its operands' names, cut after some sixty characters.
std::vector<std::string> names(const Graph& graph);

}  // namespace quench::ir
