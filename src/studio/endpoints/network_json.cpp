// The diagram of a network as JSON.
#include <algorithm>
#include <charconv>

#include "studio/desk.h"

namespace quench::studio {
namespace {

Json or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); }

Json accesses_json(const std::vector<Access>& accesses) {
  Json result = Json::array();
  for (const Access& one : accesses)
    result.push_back({{"coordinate", one.coordinate}, {"tenant", one.tenant ? Json(*one.tenant) : Json(nullptr)}});
  return result;
}

Json tenant_json(std::size_t id, const Tenant& tenant) {
  return {{"id", id},
          {"coordinate", tenant.coordinate},
          {"name", tenant.name},
          {"from", tenant.from},
          {"to", tenant.to},
          {"boolean", tenant.boolean},
          {"low", or_null(tenant.low)},
          {"high", or_null(tenant.high)},
          {"parts", tenant.parts}};
}

Json head_json(const HeadIndex& index, const NetworkHead& head) {
  return {{"id", to_text(index)},
          {"layer", index.layer},
          {"head", index.head},
          {"name", head.name},
          {"mask", head.mask},
          {"temperature", head.temperature},
          {"weighting", head.weighting},
          {"intended", head.intended},
          {"structure", head.structure},
          {"lemma", head.lemma},
          {"gamma", head.gamma},
          {"key_width", head.key_width},
          {"value_width", head.value_width},
          {"parts", head.parts},
          {"queries", accesses_json(head.queries)},
          {"keys", accesses_json(head.keys)},
          {"values", accesses_json(head.values)},
          {"writes", accesses_json(head.writes)}};
}

Json layer_json(std::size_t index, const NetworkLayer& layer) {
  Json heads = Json::array(), units = Json::array();
  for (std::size_t h = 0; h < layer.heads.size(); ++h) heads.push_back(head_json({index, h}, layer.heads[h]));
  for (std::size_t u = 0; u < layer.units.size(); ++u) {
    const NetworkUnit& unit = layer.units[u];
    units.push_back({{"unit", u},
                     {"bias", unit.bias},
                     {"reads", accesses_json(unit.reads)},
                     {"writes", accesses_json(unit.writes)},
                     {"parts", unit.parts}});
  }
  return {{"heads", std::move(heads)},
          {"feed_forward", {{"units", std::move(units)}, {"biases", row_json(layer.biases)}}}};
}

/// The tenants that hold the answer at the end.
std::vector<std::size_t> output_tenants(const Network& network) {
  std::vector<std::size_t> result;
  for (std::size_t t = 0; t < network.tenants.size(); ++t) {
    const Tenant& tenant = network.tenants[t];
    const bool is_output =
        std::find(network.outputs.begin(), network.outputs.end(), tenant.coordinate) != network.outputs.end();
    if (is_output && tenant.to >= static_cast<int>(network.sublayers) - 1) result.push_back(t);
  }
  return result;
}

}  // namespace

std::string to_text(const HeadIndex& head) { return std::to_string(head.layer) + "." + std::to_string(head.head); }

HeadIndex head_index(const std::string& text) {
  HeadIndex index;
  const char* const end = text.data() + text.size();
  const auto layer = std::from_chars(text.data(), end, index.layer);
  const bool dotted = layer.ec == std::errc() && layer.ptr != end && *layer.ptr == '.';
  const auto head = std::from_chars(dotted ? layer.ptr + 1 : end, end, index.head);
  if (!dotted || head.ec != std::errc() || head.ptr != end)
    throw bad_request("'" + text + "' is not a head: write layer.head, both counted from 0");
  return index;
}

Json row_json(const WeightRow& row) {
  Json entries = Json::array();
  for (const Weight& entry : row) entries.push_back(Json::array({entry.index, entry.value}));
  return entries;
}

Json network_json(const Network& network) {
  Json embedding = Json::array(), encodings = Json::array(), tenants = Json::array(), layers = Json::array();
  for (std::size_t row = 0; row < network.embedding.size(); ++row)
    embedding.push_back({{"symbol", row < network.symbols.size() ? Json(network.symbols[row]) : Json(nullptr)},
                         {"entries", row_json(network.embedding[row])}});
  for (const NetworkEncoding& one : network.position_encodings)
    encodings.push_back({{"coordinate", one.coordinate}, {"formula", one.formula}});
  for (std::size_t t = 0; t < network.tenants.size(); ++t) tenants.push_back(tenant_json(t, network.tenants[t]));
  for (std::size_t l = 0; l < network.layers.size(); ++l) layers.push_back(layer_json(l, network.layers[l]));
  return {{"width", network.width},
          {"sublayers", network.sublayers},
          {"symbols", network.symbols},
          {"output",
           {{"kind", network.output_kind}, {"coordinates", network.outputs}, {"tenants", output_tenants(network)}}},
          {"embedding", std::move(embedding)},
          {"position_encodings", std::move(encodings)},
          {"tenants", std::move(tenants)},
          {"layers", std::move(layers)}};
}

}  // namespace quench::studio
