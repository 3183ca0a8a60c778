#include "circuits/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "export/circuit.h"

namespace quench::circuits {
namespace {

std::vector<std::uint32_t> columns_of(const SparseMatrix& matrix) {
  std::set<std::uint32_t> columns;
  for (const SparseMatrix::Row& row : matrix.rows)
    for (const SparseMatrix::Entry& entry : row) columns.insert(entry.column);
  return {columns.begin(), columns.end()};
}

std::vector<std::uint32_t> coordinates_of(const model::Output& output) {
  if (!has_cases(output.kind)) return {output.coordinate};
  std::set<std::uint32_t> coordinates;
  for (const model::Output::Case& one : output.cases) coordinates.insert(one.coordinate);
  return {coordinates.begin(), coordinates.end()};
}

/// "layers.0.heads.1" → "a0.h1", "layers.0.units.3" → "m0"
std::string writer_name(const std::string& id) {
  if (id == "embedding") return "embed";
  if (id.starts_with("position.")) return "pos_embed";
  if (id == "output") return "logits";
  const std::size_t dot = id.find('.', 7);
  const std::string layer = id.substr(7, dot - 7);
  return id.compare(dot + 1, 5, "heads") == 0 ? "a" + layer + ".h" + id.substr(dot + 7) : "m" + layer;
}

std::string edge_name(const exports::CircuitEdge& edge) {
  const std::string reader = writer_name(edge.to);
  return writer_name(edge.from) + "->" + (edge.input == "in" ? reader : reader + "<" + edge.input + ">");
}

void add_layer(Graph& graph, const model::Layer& layer, int number) {
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    const std::string name = fmt::format("a{}.h{}", number, h);
    graph.writers.push_back({name, 2 * number + 1});
    graph.readers.push_back({name + "<q>", 2 * number + 1, columns_of(head.q)});
    graph.readers.push_back({name + "<k>", 2 * number + 1, columns_of(head.k)});
    graph.readers.push_back({name + "<v>", 2 * number + 1, columns_of(head.v)});
  }
  const std::string name = fmt::format("m{}", number);
  graph.writers.push_back({name, 2 * number + 2});
  graph.readers.push_back({name, 2 * number + 2, columns_of(layer.ffn.w1)});
}

}  // namespace

Graph graph_of(const model::Transformer& model) {
  Graph graph;
  graph.writers = {{"embed", 0}, {"pos_embed", 0}};
  int number = 0;
  for (const model::Layer& layer : model.layers) add_layer(graph, layer, number++);
  graph.readers.push_back({"logits", 2 * number + 1, coordinates_of(model.output)});

  std::map<std::string, std::size_t> named;
  for (std::size_t r = 0; r < graph.readers.size(); ++r)
    for (std::size_t w = 0; w < graph.writers.size(); ++w)
      if (graph.writers[w].sublayer < graph.readers[r].sublayer) {
        graph.edges.push_back({w, r, false, false, {}});
        named[graph.name(graph.edges.back())] = graph.edges.size() - 1;
      }
  for (const exports::CircuitEdge& one : exports::circuit_of(model).edges) {
    Edge& edge = graph.edges[named.at(edge_name(one))];
    (one.constant ? edge.constant : edge.real) = true;
    if (!one.constant) edge.coordinates.push_back(one.coordinate);
  }
  for (Edge& edge : graph.edges) {
    edge.constant = edge.constant && !edge.real;
    std::sort(edge.coordinates.begin(), edge.coordinates.end());
    edge.coordinates.erase(std::unique(edge.coordinates.begin(), edge.coordinates.end()), edge.coordinates.end());
  }
  return graph;
}

}  // namespace quench::circuits
