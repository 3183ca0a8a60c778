#include "driver/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/utf8.h"
#include "ir/describe.h"
#include "ir/print.h"

namespace quench::driver {
namespace {

using ir::NodeId;

std::string cube_text(const opt::Cube& cube) {
  std::string text;
  for (const ir::Literal literal : cube) text += (text.empty() ? "" : " & ") + ir::to_string(literal);
  return text.empty() ? "true" : text;
}

std::string function_text(const opt::ScheduledFunction& function) {
  std::string text;
  for (const opt::Cube& cube : function.cubes) text += (text.empty() ? "" : " + ") + ("[" + cube_text(cube) + "]");
  return function.complemented ? "1 - " + text : text;
}

std::string values_text(const std::vector<opt::ScheduledHead::Value>& values) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : " ") + ir::to_string(value.attend);
  return text;
}

std::string names_text(const std::vector<opt::ScheduledHead::Value>& values, const std::vector<std::string>& names) {
  std::string text;
  for (const auto& value : values) text += (text.empty() ? "" : "; ") + names[value.attend.index];
  return text;
}

std::string sublayer_name(int sublayer) {
  if (sublayer == 0) return "embedding";
  return fmt::format("{} {}", sublayer % 2 ? "attention" : "feed-forward", (sublayer - 1) / 2);
}

void draw(const Compilation& c, Listing& listing, bool by_sublayer) {
  const std::vector<std::string> names = ir::names(c.graph);
  for (std::size_t k = 0; k < c.graph.size(); ++k) {
    const NodeId id(k);
    const std::string label = printable(names[k], kShownName);
    listing.vertices.push_back(
        {ir::to_string(id), ir::to_string(id) + " " + label, by_sublayer ? c.schedule.ready[k] : -1});
    std::vector<NodeId> operands;
    ir::for_each_operand(c.graph, id, [&](NodeId operand) { operands.push_back(operand); });
    std::sort(operands.begin(), operands.end());
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    for (const NodeId operand : operands) listing.arrows.emplace_back(ir::to_string(operand), ir::to_string(id));
  }
}

/// Sparse rows as "c3: 6*[1] + …" over coordinate numbers.
std::string row_text(const SparseMatrix::Row& row, double bias = 0) {
  std::string text;
  for (const SparseMatrix::Entry& entry : row)
    text += fmt::format("{}{}*x{}", text.empty() ? "" : " + ", entry.value, entry.column);
  if (bias != 0 || text.empty()) text += fmt::format("{}{}", text.empty() ? "" : " + ", bias);
  return text;
}

}  // namespace

Listing show_ir(const Compilation& c) {
  Listing listing{"ir", {}, {}, {}};
  const std::vector<std::string> names = ir::names(c.graph);
  Table values{"values", {"value", "sort", "operation", kNameColumn}, {}};
  for (std::size_t k = 0; k < c.graph.size(); ++k) {
    const NodeId id(k);
    const bool output = id == c.graph.output.node;
    values.rows.push_back({ir::to_string(id), c.graph.boolean(id) ? "bool" : "real", ir::operation(c.graph, id),
                           names[k] + (output ? kOutputMark : "")});
  }
  Table heads{"heads", {"head", "mask", "temperature", "intended", "lemma", "score", kNameColumn}, {}};
  for (std::size_t k = 0; k < c.graph.head_count(); ++k) {
    const ir::HeadId id(k);
    const ir::Head& head = c.graph[id];
    heads.rows.push_back({ir::to_string(id), std::string(to_string(head.mask)),
                          std::string(to_string(head.temperature)), std::string(to_string(head.intended)),
                          std::string(name_of(head.lemma)), ir::score(head), c.graph.name(id)});
  }
  listing.tables = {values, heads};
  draw(c, listing, false);
  return listing;
}

Listing show_schedule(const Compilation& c) {
  Listing listing{"schedule", {}, {}, {}};
  const std::vector<std::string> names = ir::names(c.graph);
  Table table{"schedule", {"sublayer", "computes", "how", "what it is"}, {}};
  for (std::size_t l = 0; l < c.schedule.layers.size(); ++l) {
    const int attention = static_cast<int>(2 * l + 1);
    for (const opt::ScheduledHead& head : c.schedule.layers[l].heads)
      table.rows.push_back({sublayer_name(attention), values_text(head.values),
                            ir::to_string(head.head) + " " + c.graph.name(head.head), names_text(head.values, names)});
    for (const opt::ScheduledFunction& function : c.schedule.layers[l].functions)
      table.rows.push_back({sublayer_name(attention + 1), ir::to_string(function.node), function_text(function),
                            names[function.node.index]});
  }
  listing.tables = {table};
  draw(c, listing, true);
  return listing;
}

Listing show_layout(const Compilation& c) {
  Listing listing{"layout", {}, {}, {}};
  Table table{"layout", {"coordinate", "holds", "from", "last read by", kNameColumn}, {}};
  std::vector<opt::Placement> placements = c.layout.placements;
  const std::vector<std::string> names = ir::names(c.graph);
  std::stable_sort(placements.begin(), placements.end(),
                   [](const auto& a, const auto& b) { return a.coordinate < b.coordinate; });
  table.rows.push_back({"x0", "1", "embedding", "the end", "the constant 1"});
  const int end = static_cast<int>(2 * c.schedule.layers.size());
  for (const opt::Placement& p : placements)
    table.rows.push_back({fmt::format("x{}", p.coordinate), ir::to_string(p.node), sublayer_name(p.born),
                          p.last_read > end ? "the end" : sublayer_name(p.last_read), names[p.node.index]});
  listing.tables = {table};
  for (std::size_t k = 0; k < placements.size(); ++k) {
    const opt::Placement& p = placements[k];
    const std::string id = fmt::format("x{}_{}", p.coordinate, p.born);
    listing.vertices.push_back({id,
                                fmt::format("x{} from {}\n{} {}", p.coordinate, sublayer_name(p.born),
                                            ir::to_string(p.node), printable(names[p.node.index], kShownName)),
                                p.born});
    if (k > 0 && placements[k - 1].coordinate == p.coordinate)
      listing.arrows.emplace_back(fmt::format("x{}_{}", p.coordinate, placements[k - 1].born), id);
  }
  return listing;
}

Listing show_model(const model::Transformer& model) {
  Listing listing{"model", {}, {}, {}};
  Table embedding{"embedding", {"symbol", "row"}, {}};
  for (std::size_t r = 0; r < model.embedding.rows.size(); ++r)
    embedding.rows.push_back(
        {r < model.alphabet.size() ? model.alphabet.symbols()[r] : "(any other)", row_text(model.embedding.rows[r])});
  Table positions{"position encodings", {"coordinate", "formula"}, {}};
  for (const model::PositionEncoding& pe : model.position_encodings)
    positions.rows.push_back({fmt::format("x{}", pe.coordinate), to_string(pe.formula)});
  Table heads{"heads", {"head", "mask", "temperature", "lemma", "matrix", "row", "weights", kNameColumn}, {}};
  Table units{"feed-forward", {"layer", "unit", "ReLU of", "adds to"}, {}};
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const model::Layer& layer = model.layers[l];
    listing.vertices.push_back({fmt::format("layer{}", l), fmt::format("layer {}: {} heads, {} hidden units", l,
                                                                       layer.heads.size(), layer.ffn.b1.size())});
    if (l > 0) listing.arrows.emplace_back(fmt::format("layer{}", l - 1), fmt::format("layer{}", l));
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const model::Head& head = layer.heads[h];
      const auto add = [&](const char* name, const SparseMatrix& matrix) {
        for (std::size_t r = 0; r < matrix.rows.size(); ++r)
          if (!matrix.rows[r].empty())
            heads.rows.push_back({fmt::format("{}.{}", l, h), std::string(to_string(head.mask)),
                                  std::string(to_string(head.temperature)), head.claim.lemma.text(), name,
                                  std::to_string(r), row_text(matrix.rows[r]), head.name});
      };
      add("q", head.q), add("k", head.k), add("v", head.v), add("o", head.o);
    }
    std::vector<std::string> targets(layer.ffn.b1.size());
    for (std::size_t r = 0; r < layer.ffn.w2.rows.size(); ++r)
      for (const SparseMatrix::Entry& entry : layer.ffn.w2.rows[r])
        targets[entry.column] += fmt::format("{}{}*x{}", targets[entry.column].empty() ? "" : " ", entry.value, r);
    for (std::size_t u = 0; u < layer.ffn.b1.size(); ++u)
      units.rows.push_back(
          {std::to_string(l), std::to_string(u), row_text(layer.ffn.w1.rows[u], layer.ffn.b1[u]), targets[u]});
    for (std::size_t r = 0; r < layer.ffn.b2.size(); ++r)
      if (layer.ffn.b2[r] != 0)
        units.rows.push_back({std::to_string(l), "bias", "", fmt::format("{}*x{}", layer.ffn.b2[r], r)});
  }
  listing.tables = {embedding, positions, heads, units};
  return listing;
}

}  // namespace quench::driver
