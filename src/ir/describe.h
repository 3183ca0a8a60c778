// Names for people: of nodes that the lowering left without a label, from what they are made of.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace quench::ir {

/// By node: its label, or a text made of its operands' names. Nothing is cut: where the text would be long (over a
/// thousand bytes, in large graphs fewer), it says what kind of node it is, of how many operands, and its number, as in
/// "conjunction of 300 (v17)"; so all names together stay about a megabyte or a line each.
std::vector<std::string> names(const Graph& graph);

}  // namespace quench::ir
