#include <quench/inspect.h>

#include <algorithm>

#include "api/compile_options.h"
#include "api/convert.h"
#include "api/inside.h"
#include "base/position_formula.h"
#include "driver/parts.h"
#include "driver/show.h"
#include "lang/print/print_rule.h"
#include "model/wiring.h"
#include "run/inspect/trace.h"

namespace quench::api {
namespace {

WeightRow outside(const SparseMatrix::Row& row) {
  WeightRow result;
  for (const SparseMatrix::Entry& entry : row) result.push_back({entry.column, entry.value});
  return result;
}

std::vector<WeightRow> outside(const SparseMatrix& matrix) {
  std::vector<WeightRow> rows;
  for (const SparseMatrix::Row& row : matrix.rows) rows.push_back(outside(row));
  return rows;
}

std::vector<Access> outside(const std::vector<model::Access>& accesses) {
  std::vector<Access> result;
  for (const model::Access& one : accesses) result.push_back({one.coordinate, one.tenant});
  return result;
}

std::vector<Part> outside(const std::vector<driver::Part>& parts, bool in_text) {
  std::vector<Part> result;
  for (const driver::Part& part : parts) {
    const Span span = in_text ? part.span : Span{};
    result.push_back({part.operation, part.text, part.name, span.begin, span.end, part.operands});
  }
  return result;
}

NetworkHead head_of(const model::Head& head, const model::HeadWiring& wiring) {
  return {.name = head.name,
          .mask = std::string(to_string(head.mask)),
          .temperature = std::string(to_string(head.temperature)),
          .weighting = std::string(to_string(head.weighting)),
          .intended = std::string(to_string(head.intended)),
          .structure = head.claim.structure.text(),
          .lemma = head.claim.lemma.text(),
          .gamma = head.claim.gamma,
          .key_width = head.k.rows.size(),
          .value_width = head.v.rows.size(),
          .queries = outside(wiring.queries),
          .keys = outside(wiring.keys),
          .values = outside(wiring.values),
          .writes = outside(wiring.writes),
          .parts = {}};
}

NetworkLayer layer_of(const model::Layer& layer, const model::LayerWiring& wiring) {
  NetworkLayer result;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) result.heads.push_back(head_of(layer.heads[h], wiring.heads[h]));
  for (std::size_t u = 0; u < layer.ffn.b1.size(); ++u)
    result.units.push_back({layer.ffn.b1[u], outside(wiring.units[u].reads), outside(wiring.units[u].writes), {}});
  for (std::size_t row = 0; row < layer.ffn.b2.size(); ++row)
    if (layer.ffn.b2[row] != 0) result.biases.push_back({static_cast<std::uint32_t>(row), layer.ffn.b2[row]});
  return result;
}

Network network_of(const model::Transformer& model, const std::vector<model::LayerWiring>& wiring) {
  Network result;
  result.width = model.width;
  result.sublayers = 2 * model.layers.size() + 1;
  result.symbols = model.alphabet.symbols();
  result.embedding = outside(model.embedding);
  for (const model::PositionEncoding& one : model.position_encodings)
    result.position_encodings.push_back({one.coordinate, to_string(one.formula)});
  for (const model::Tenant& one : model.tenants)
    result.tenants.push_back({one.coordinate, one.name, one.from, one.to, one.boolean, one.low, one.high, {}});
  for (std::size_t l = 0; l < model.layers.size(); ++l) result.layers.push_back(layer_of(model.layers[l], wiring[l]));
  result.output_kind = quench::name_of(model.output.kind);
  for (const model::Output::Case& one : model.output.cases) result.outputs.push_back(one.coordinate);
  if (!model::has_cases(model.output.kind)) result.outputs = {model.output.coordinate};
  if (model.output.kind == model::OutputKind::ratios) result.outputs.push_back(model.output.coordinate);
  return result;
}

/// Says of everything in the network what of the rule it stands for.
void mark(Network& network, const driver::Parts& parts, const model::Transformer& model,
          const std::vector<model::LayerWiring>& wiring) {
  const driver::TenantParts of_tenants = driver::parts_of_tenants(parts, model, wiring);
  for (std::size_t t = 0; t < network.tenants.size(); ++t) network.tenants[t].parts = of_tenants.parts[t];
  for (std::size_t l = 0; l < wiring.size(); ++l) {
    NetworkLayer& layer = network.layers[l];
    for (std::size_t h = 0; h < layer.heads.size(); ++h)
      layer.heads[h].parts = driver::parts_of(parts, of_tenants, wiring[l].heads[h].writes, layer.heads[h].name);
    for (std::size_t u = 0; u < layer.units.size(); ++u)
      layer.units[u].parts = driver::parts_of(parts, of_tenants, wiring[l].units[u].writes);
  }
}

/// Finds what a row of a listing is about: by the name in its last cell, or by the first value ("v12") that it lists.
class RowParts {
 public:
  RowParts(const driver::Parts& parts, const driver::Listing& ir) : parts_(parts) {
    for (const std::vector<std::string>& row : ir.tables.front().rows) values_.emplace(row.front(), name_in(row));
  }

  std::vector<std::size_t> of(const std::vector<std::string>& row) const {
    if (const auto part = parts_.named(name_in(row))) return {*part};
    for (const std::string& cell : row)
      if (const auto value = values_.find(cell.substr(0, cell.find(' '))); value != values_.end())
        if (const auto part = parts_.named(value->second)) return {*part};
    return {};
  }

 private:
  static std::string name_in(const std::vector<std::string>& row) {
    const std::string& last = row.back();
    if (last.starts_with('h') && last.size() > 1 && std::isdigit(static_cast<unsigned char>(last[1])))
      return last.find(' ') == std::string::npos ? "" : last.substr(last.find(' ') + 1);  // "h3 stored_1"
    return last.substr(0, last.find("   <- output"));
  }

  const driver::Parts& parts_;
  std::unordered_map<std::string, std::string> values_;
};

Stage stage_of(const driver::Listing& listing, const RowParts& row_parts) {
  Stage stage{listing.stage, to_text(listing), {}};
  for (const driver::Table& table : listing.tables) {
    Stage::Table& result = stage.tables.emplace_back(Stage::Table{table.title, table.columns, table.rows, {}});
    for (const std::vector<std::string>& row : table.rows) result.parts.push_back(row_parts.of(row));
  }
  return stage;
}

std::vector<Stage> stages_of(const driver::Compilation& compilation, const lang::Rule& rule,
                             const driver::Parts& parts) {
  const driver::Listing ir = show_ir(compilation);
  const RowParts row_parts(parts, ir);
  std::vector<Stage> stages{{"ast", lang::print(rule), {}}, stage_of(ir, row_parts)};
  stages.push_back(stage_of(show_schedule(compilation), row_parts));
  stages.push_back(stage_of(show_layout(compilation), row_parts));
  stages.push_back(stage_of(driver::show_model(compilation.model), row_parts));
  return stages;
}

/// The rule that the network was made from: of an automaton, the formula that was found.
lang::Rule compiled_rule(const lang::Rule& rule, const driver::Compilation& compilation) {
  if (compilation.formula.empty()) return rule;
  return driver::parse(compilation.formula);
}

}  // namespace

std::vector<Part> parts(const Rule& rule) { return outside(driver::Parts(rule.inside().rule).list(), true); }

Network network(const Model& model) {
  const model::Transformer& inside = model.inside().model;
  return network_of(inside, model::wiring(inside));
}

HeadWeights head_weights(const Model& model, std::size_t layer, std::size_t head) {
  return translated([&] {
    const model::Transformer& inside = model.inside().model;
    run::require_head({layer, head}, inside);
    const model::Head& one = inside.layers[layer].heads[head];
    return HeadWeights{outside(one.q), outside(one.k), outside(one.v), outside(one.o)};
  });
}

FeedForwardWeights feed_forward_weights(const Model& model, std::size_t layer) {
  const std::vector<model::Layer>& layers = model.inside().model.layers;
  if (layer >= layers.size()) throw UserError("the model has no such layer");
  const model::FeedForward& ffn = layers[layer].ffn;
  return {outside(ffn.w1), outside(ffn.w2), ffn.b1, ffn.b2};
}

Inspection inspect(const Rule& rule, const CompileOptions& options) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&] {
    driver::Compilation compilation = driver::compile(source.rule, recipe_options(options));
    const lang::Rule compiled = compiled_rule(source.rule, compilation);
    const driver::Parts parts(compiled);
    const std::vector<model::LayerWiring> wiring = model::wiring(compilation.model);
    Network network = network_of(compilation.model, wiring);
    mark(network, parts, compilation.model, wiring);
    std::vector<Stage> stages = stages_of(compilation, compiled, parts);
    if (options.certify) attach_certificate(compilation.model);
    return Inspection{wrapped(std::move(compilation.model), source.rule),
                      outside(parts.list(), compilation.formula.empty()), std::move(network), std::move(stages)};
  });
}

}  // namespace quench::api
