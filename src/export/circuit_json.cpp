#include <nlohmann/json.hpp>

#include "export/circuit.h"

namespace quench::exports {

std::string circuit_json(const model::Transformer& model) {
  using Object = nlohmann::ordered_json;
  const Circuit circuit = circuit_of(model);
  Object json{{"format", "quench-circuit"}, {"version", 1}, {"source", model.source}, {"recipe", model.recipe}};
  Object& nodes = json["nodes"] = Object::array();
  for (const CircuitNode& node : circuit.nodes) {
    Object one{{"id", node.id}, {"kind", node.kind}};
    if (node.layer >= 0) one["layer"] = node.layer;
    one["name"] = node.name;
    nodes.push_back(std::move(one));
  }
  Object& edges = json["edges"] = Object::array();
  for (const CircuitEdge& edge : circuit.edges)
    edges.push_back({{"from", edge.from},
                     {"to", edge.to},
                     {"input", edge.input},
                     {"coordinate", edge.coordinate},
                     {"meaning", edge.meaning},
                     {"constant", edge.constant}});
  return json.dump(1, ' ', false, Object::error_handler_t::replace) + "\n";
}

}  // namespace quench::exports
