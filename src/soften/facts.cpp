#include "soften/facts.h"

#include <fmt/format.h>

#include "base/text/utf8.h"
#include "base/tied_keys.h"

namespace quench::soften {
namespace {

constexpr Interval kEmpty{kInfinity, -kInfinity};

}  // namespace

Network::Network(const model::Transformer& transformer) : model(transformer) {
  for (const model::Layer& layer : model.layers) units.push_back(parallel_units(layer.ffn));
  if (model.output.cases.empty()) outputs.push_back(model.output.coordinate);
  for (const model::Output::Case& one : model.output.cases) outputs.push_back(one.coordinate);
}

LengthFacts no_facts(const Network& network, std::size_t n) {
  const std::size_t d = network.model.width;
  LengthFacts facts;
  facts.n = n;
  facts.out.assign(d, 0);
  for (std::size_t l = 0; l < network.model.layers.size(); ++l) {
    LayerFacts& layer = facts.layers.emplace_back();
    layer.in.assign(d, 0);
    layer.middle.assign(d, 0);
    for (const model::Head& head : network.model.layers[l].heads) {
      HeadFacts& known = layer.heads.emplace_back();
      known.uniform = is_uniform(head);
      known.q.assign(head.q.rows.size(), 0);
      known.k.assign(head.k.rows.size(), 0);
      known.v.assign(head.v.rows.size(), kEmpty);
    }
    for (const ParallelUnits& group : network.units[l]) layer.groups.emplace_back(group.cells(), kEmpty);
  }
  return facts;
}

bool is_uniform(const model::Head& head) {
  if (takes_one_key(head.weighting)) return false;
  for (std::size_t row = 0; row < head.q.rows.size(); ++row)
    if (!head.q.rows[row].empty() && !head.k.rows[row].empty()) return false;
  return true;
}

std::string head_name(const model::Transformer& model, std::size_t layer, std::size_t head) {
  return fmt::format("{}.{} {}", layer, head, printable(model.layers[layer].heads[head].name));
}

}  // namespace quench::soften
