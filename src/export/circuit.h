// The true circuit of a compiled model: who writes what others read, and what it means in the rule's words.
//
// Nodes are the embedding, the position encodings, heads, hidden units of feed-forwards and the output. There is an
// edge for every coordinate that a node reads (a head by its queries, keys or values) from every node that wrote what
// is in it then. Coordinates are reused; who lived there before and was cleared is no part of it, and neither are the
// hidden units that only clear. Who lives where and when, the tenants say; of a model without them every earlier writer
// counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/transformer.h"

namespace quench::exports {

struct CircuitNode {
  std::string id;    ///< "embedding", "position.0", "layers.0.heads.1", "layers.0.units.3", "output"
  std::string kind;  ///< "embedding", "position", "head", "unit", "output"
  int layer = -1;    ///< of heads and units, from 0
  std::string name;  ///< what it is: the head's name, the formula of the encoding, what the unit helps to compute
};

struct CircuitEdge {
  std::string from, to;
  std::string input;         ///< of heads "q", "k", "v"; of units and the output "in"
  std::uint32_t coordinate;  ///< of the residual stream
  std::string meaning;       ///< what the coordinate holds there, empty if nobody says
  bool constant = false;     ///< the same at every position of every word: carries no information
};

struct Circuit {
  std::vector<CircuitNode> nodes;
  std::vector<CircuitEdge> edges;
};

Circuit circuit_of(const model::Transformer& model);

/// One JSON object; docs/exports.md has its schema.
std::string circuit_json(const model::Transformer& model);
/// The same as a picture for Graphviz, without the edges that are constant.
std::string circuit_dot(const model::Transformer& model);

}  // namespace quench::exports
