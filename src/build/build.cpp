#include "build/build.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/error.h"
#include "build/feed_forward.h"
#include "build/head.h"
#include "build/row.h"
#include "ir/describe.h"

namespace quench::build {
namespace {

/// Word and position embeddings: coordinate 0 is constantly 1, tests of the symbol come from the word embedding.
void build_embedding(const Place& place, model::Transformer& result) {
  const std::size_t symbols = result.alphabet.size();
  result.embedding = SparseMatrix(symbols + 1, result.width);
  for (std::size_t row = 0; row <= symbols; ++row) result.embedding.add(row, 0, 1);
  for (const opt::Placement& placement : place.layout.placements) {
    const auto coordinate = static_cast<std::uint32_t>(placement.coordinate);
    if (const auto* in = std::get_if<ir::SymbolIn>(&place.graph[placement.node])) {
      for (const Symbol symbol : in->symbols) result.embedding.add(static_cast<std::size_t>(symbol), coordinate, 1);
    } else if (const auto* position = std::get_if<ir::Position>(&place.graph[placement.node])) {
      result.position_encodings.push_back({coordinate, position->formula});
    }
  }
}

/// The name, or where it is taken, "name (2)", "name (3)" …: a patch has to mean one coordinate.
/// `taken` has every name in use, and the last number that was tried after it.
std::string unused_name(const std::string& name, std::unordered_map<std::string, int>& taken) {
  const auto [entry, unused] = taken.try_emplace(name, 1);
  if (unused) return name;
  int& last = entry->second;
  while (true) {
    std::string numbered = name + " (" + std::to_string(++last) + ")";
    if (taken.try_emplace(numbered, 1).second) return numbered;
  }
}

/// Names for people: every placement, with what is proven about its range.
void name_tenants(const Place& place, int sublayers, model::Transformer& result) {
  model::Tenant one{0, "1", 0, sublayers, true, 1.0, 1.0};
  result.tenants.push_back(one);
  std::unordered_map<std::string, int> taken{{one.name, 1}};
  const std::vector<std::string> names = ir::names(place.graph);
  for (const opt::Placement& placement : place.layout.placements) {
    const ir::Range range = place.graph.range(place.layout.content(placement.node));
    model::Tenant tenant;
    tenant.coordinate = static_cast<std::uint32_t>(placement.coordinate);
    tenant.name = unused_name(names[placement.node.index], taken);
    tenant.from = placement.born;
    tenant.to = std::min(placement.last_read, sublayers);
    tenant.boolean = place.graph.boolean(placement.node);
    if (range.bounded()) tenant.low = range.low, tenant.high = range.high;
    result.tenants.push_back(tenant);
  }
}

}  // namespace

model::Transformer build(const ir::Graph& graph, const opt::Schedule& schedule, const opt::Layout& layout) {
  const Place place{graph, layout};
  model::Transformer result;
  result.alphabet = graph.alphabet;
  result.width = static_cast<std::size_t>(layout.width);
  build_embedding(place, result);
  for (std::size_t l = 1; l <= schedule.layers.size(); ++l) {
    model::Layer layer;
    for (const opt::ScheduledHead& head : schedule.layers[l - 1].heads) layer.heads.push_back(build_head(place, head));
    layer.ffn = build_feed_forward(place, schedule, static_cast<int>(l));
    result.layers.push_back(std::move(layer));
  }
  result.output.coordinate = static_cast<std::uint32_t>(place.coordinate(graph.output.node));
  for (const ir::OutputCase& one : graph.cases)
    result.output.cases.push_back({static_cast<std::uint32_t>(place.coordinate(one.holds.node)), one.symbols});
  result.output.kind = graph.ratios()        ? model::OutputKind::ratios
                       : graph.whole         ? model::OutputKind::whole
                       : graph.number        ? model::OutputKind::integer
                       : graph.scores        ? model::OutputKind::scores
                       : graph.cases.empty() ? model::OutputKind::boolean
                                             : model::OutputKind::string;
  name_tenants(place, static_cast<int>(2 * schedule.layers.size()), result);
  return result;
}

}  // namespace quench::build
