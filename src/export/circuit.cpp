#include "export/circuit.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <utility>

#include "base/text/utf8.h"

namespace quench::exports {

namespace {

class CircuitBuilder {
 public:
  explicit CircuitBuilder(const model::Transformer& model) : model_(model), writers_(model.width) {}

  Circuit build() {
    embed();
    for (std::size_t l = 0; l < model_.layers.size(); ++l) {
      add_heads(static_cast<int>(l));
      add_units(static_cast<int>(l));
    }
    add_output();
    return std::move(circuit_);
  }

 private:
  struct Writer {
    std::string node;
    int sublayer;
  };

  void embed() {
    circuit_.nodes.push_back({"embedding", "embedding", -1, "symbols"});
    std::set<std::uint32_t> written;
    for (const SparseMatrix::Row& row : model_.embedding.rows)
      for (const auto& [column, value] : row) written.insert(column);
    for (const std::uint32_t coordinate : written) writers_[coordinate].push_back({"embedding", 0});
    for (std::size_t index = 0; index < model_.position_encodings.size(); ++index) {
      const model::PositionEncoding& encoding = model_.position_encodings[index];
      const std::string id = fmt::format("position.{}", index);
      circuit_.nodes.push_back({id, "position", -1, to_string(encoding.formula)});
      writers_[encoding.coordinate].push_back({id, 0});
    }
  }

  void add_heads(int layer) {
    const int sublayer = 2 * layer + 1;
    std::vector<std::pair<std::string, const model::Head*>> made;
    for (const model::Head& head : model_.layers[static_cast<std::size_t>(layer)].heads) {
      const std::string id = fmt::format("layers.{}.heads.{}", layer, made.size());
      circuit_.nodes.push_back({id, "head", layer, head.name});
      for (std::size_t component = 0; component < head.q.rows.size(); ++component) {
        if (head.q.rows[component].empty() || head.k.rows[component].empty()) continue;  // adds nothing to scores
        read(head.q.rows[component], id, "q", sublayer);
        read(head.k.rows[component], id, "k", sublayer);
      }
      for (const SparseMatrix::Row& row : head.v.rows) read(row, id, "v", sublayer);
      made.emplace_back(id, &head);
    }
    for (const auto& [id, head] : made)
      for (std::size_t c = 0; c < model_.width; ++c)
        if (!head->o.rows[c].empty()) writers_[c].push_back({id, sublayer});
  }

  /// −ReLU(x) + ReLU(−x), a unit each: all that it does is to empty the coordinate it reads.
  static bool only_clears(const model::FeedForward& ffn, std::size_t unit) {
    const SparseMatrix::Row& row = ffn.w1.rows[unit];
    if (row.size() != 1 || ffn.b1[unit] != 0) return false;
    for (std::size_t c = 0; c < ffn.w2.rows.size(); ++c) {
      const double weight = ffn.w2.at(c, unit);
      if (weight != 0 && (c != row.front().column || weight * row.front().value != -1)) return false;
    }
    return true;
  }

  void add_units(int layer) {
    const model::FeedForward& ffn = model_.layers[static_cast<std::size_t>(layer)].ffn;
    const int sublayer = 2 * layer + 2;
    std::vector<std::pair<std::size_t, std::string>> written;
    for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
      if (only_clears(ffn, unit)) continue;
      const std::string id = fmt::format("layers.{}.units.{}", layer, unit);
      std::string name;
      for (std::size_t c = 0; c < model_.width; ++c) {
        if (ffn.w2.at(c, unit) == 0) continue;
        written.emplace_back(c, id);
        if (const model::Tenant* tenant = tenant_after(c, sublayer)) name += (name.empty() ? "" : "; ") + tenant->name;
      }
      circuit_.nodes.push_back({id, "unit", layer, name});
      read(ffn.w1.rows[unit], id, "in", sublayer);
    }
    for (auto& [coordinate, id] : written) writers_[coordinate].push_back({std::move(id), sublayer});
  }

  void add_output() {
    circuit_.nodes.push_back({"output", "output", -1, "answer"});
    std::set<std::uint32_t> coordinates;
    for (const model::Output::Case& one : model_.output.cases) coordinates.insert(one.coordinate);
    if (!has_cases(model_.output.kind)) coordinates = {model_.output.coordinate};
    if (model_.output.kind == model::OutputKind::ratios) coordinates.insert(model_.output.coordinate);
    for (const std::uint32_t c : coordinates)
      read({{c, 1.0}}, "output", "in", 2 * static_cast<int>(model_.layers.size()) + 1);
  }

  /// Who lives in the coordinate after this sublayer.
  const model::Tenant* tenant_after(std::size_t coordinate, int sublayer) const {
    for (const model::Tenant& tenant : model_.tenants)
      if (tenant.coordinate == coordinate && tenant.from <= sublayer && sublayer <= tenant.to) return &tenant;
    return nullptr;
  }

  void read(const SparseMatrix::Row& row, const std::string& reader, const char* input, int sublayer) {
    for (const auto& [coordinate, weight] : row) {
      const model::Tenant* tenant = tenant_after(coordinate, sublayer - 1);
      const int since = tenant ? tenant->from : 0;
      const bool constant = tenant && tenant->low && tenant->high && *tenant->low == *tenant->high;
      for (const Writer& writer : writers_[coordinate])
        if (writer.sublayer >= since && seen_.emplace(writer.node, reader, input, coordinate).second)
          circuit_.edges.push_back({writer.node, reader, input, coordinate, tenant ? tenant->name : "", constant});
    }
  }

  const model::Transformer& model_;
  std::vector<std::vector<Writer>> writers_;  ///< by coordinate, in the order of sublayers
  std::set<std::tuple<std::string, std::string, std::string, std::uint32_t>> seen_;
  Circuit circuit_;
};

std::string in_dot(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : printable(text, kShownName)) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

const char* shape_of(const CircuitNode& node) {
  if (node.kind == "head") return "box";
  return node.kind == "unit" ? "ellipse" : "plaintext";
}

}  // namespace

Circuit circuit_of(const model::Transformer& model) { return CircuitBuilder(model).build(); }

std::string circuit_dot(const model::Transformer& model) {
  const Circuit circuit = circuit_of(model);
  std::string text = "digraph circuit {\n  rankdir=BT;\n";
  for (const CircuitNode& node : circuit.nodes)
    text += fmt::format("  {} [label={}, shape={}];\n", in_dot(node.id),
                        in_dot(node.name.empty() ? node.id : node.name), shape_of(node));
  for (const CircuitEdge& edge : circuit.edges)
    if (!edge.constant)
      text += fmt::format("  {} -> {} [label={}];\n", in_dot(edge.from), in_dot(edge.to),
                          in_dot(edge.input == "in" ? edge.meaning : edge.input + ": " + edge.meaning));
  return text + "}\n";
}

}  // namespace quench::exports
