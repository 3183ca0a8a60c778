// IR in words, for `quench show`: values are v0, v1, …; heads are h0, h1, …
#pragma once

#include <string>

#include "ir/graph.h"

namespace quench::ir {

std::string to_string(NodeId id);
std::string to_string(HeadId id);
std::string to_string(Literal literal);
std::string to_string(const Affine& affine);
/// What a node does: "and v3 !v4", "attend h1: 1 - v2", …
std::string operation(const Graph& graph, NodeId id);
/// "(3)·(v1 + 0.5*v2) + …", or "0" for a uniform head.
std::string score(const Head& head);
/// A number in the shortest form that reads back as the same double.
std::string shortest(double x);

}  // namespace quench::ir
