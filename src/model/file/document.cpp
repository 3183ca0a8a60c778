#include "model/file/document.h"

#include <cmath>
#include <limits>
#include <unordered_set>

#include "model/file.h"
#include "model/file/json_fields.h"
#include "model/file/predicate_json.h"

namespace quench::model {

namespace {

using OrderedJson = nlohmann::ordered_json;  // keeps the order below, which is the order of the documentation

constexpr auto kGreatestCoordinate = std::numeric_limits<std::uint32_t>::max();
constexpr auto kGreatestSublayer = std::numeric_limits<int>::max();

OrderedJson bound_to_json(const std::optional<double>& bound) {
  // JSON has no infinity; an infinite end of a range says no more than a missing one.
  return bound && std::isfinite(*bound) ? OrderedJson(*bound) : OrderedJson(nullptr);
}

OrderedJson position_encoding_to_json(const PositionEncoding& encoding) {
  OrderedJson json{{"coordinate", encoding.coordinate}, {"formula", to_string(encoding.formula.kind)}};
  if (!encoding.formula.table.empty()) json["values"] = encoding.formula.table;
  if (encoding.formula.predicate) json["predicate"] = predicate_to_json(*encoding.formula.predicate);
  return json;
}

OrderedJson head_to_json(const Head& head) {
  return {
      {"name", head.name},
      {"mask", to_string(head.mask)},
      {"temperature", to_string(head.temperature)},
      {"weighting", to_string(head.weighting)},
      {"intended", to_string(head.intended)},
      {"claim",
       {{"structure", head.claim.structure.text()}, {"lemma", head.claim.lemma.text()}, {"gamma", head.claim.gamma}}}};
}

OrderedJson tenant_to_json(const Tenant& tenant) {
  return {{"coordinate", tenant.coordinate},
          {"name", tenant.name},
          {"from", tenant.from},
          {"to", tenant.to},
          {"boolean", tenant.boolean},
          {"low", bound_to_json(tenant.low)},
          {"high", bound_to_json(tenant.high)}};
}

OrderedJson output_to_json(const Output& output) {
  OrderedJson json{{"kind", name_of(output.kind)}, {"coordinate", output.coordinate}};
  for (const Output::Case& one : output.cases)
    json["cases"].push_back({{"coordinate", one.coordinate}, {"symbols", one.symbols}});
  return json;
}

OutputKind output_kind_from(const Field& field) {
  if (const auto kind = from_name<OutputKind>(field.text())) return *kind;
  std::string known;
  for (const std::string_view name : names<OutputKind>())
    known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", name);
  throw IoError(fmt::format("the output kind is not known (this version reads {})", known));
}

Output output_from(const Field& field) {
  Output output;
  output.kind = output_kind_from(field["kind"]);
  output.coordinate = static_cast<std::uint32_t>(field["coordinate"].natural(kGreatestCoordinate));
  if (!has_cases(output.kind)) return output;
  field["cases"].for_each([&](const Field& one) {
    Output::Case& read = output.cases.emplace_back();
    read.coordinate = static_cast<std::uint32_t>(one["coordinate"].natural(kGreatestCoordinate));
    one["symbols"].for_each([&](const Field& symbol) { read.symbols.push_back(symbol.text()); });
  });
  return output;
}

template <class Items, class ToJson>
OrderedJson list(const Items& items, ToJson to_json) {
  OrderedJson json = OrderedJson::array();
  for (const auto& item : items) json.push_back(to_json(item));
  return json;
}

PositionEncoding position_encoding_from(const Field& field) {
  PositionEncoding encoding;
  encoding.coordinate = static_cast<std::uint32_t>(field["coordinate"].natural(kGreatestCoordinate));
  encoding.formula.kind = field["formula"].spelled(position_kind_from, "a position formula");
  if (encoding.formula.kind == PositionFormula::Kind::table)
    field["values"].for_each([&](const Field& value) { encoding.formula.table.push_back(value.number()); });
  if (encoding.formula.kind >= PositionFormula::Kind::predicate) {
    const Field predicate = field["predicate"];
    encoding.formula.predicate = predicate_from_json(predicate.json(), predicate.where());
  }
  return encoding;
}

Head head_from(const Field& field) {
  Head head;
  head.name = field["name"].text();
  head.mask = field["mask"].spelled(mask_from, "a mask");
  head.temperature = field["temperature"].spelled(temperature_from, "a temperature");
  head.weighting = field["weighting"].spelled(weighting_from, "a weighting");
  head.intended = field["intended"].spelled(weighting_from, "a weighting");
  const Field claim = field["claim"];
  head.claim = {Claimed<HeadStructure>(claim["structure"].text()), Claimed<Lemma>(claim["lemma"].text()),
                claim["gamma"].number()};
  return head;
}

Tenant tenant_from(const Field& field) {
  Tenant tenant;
  tenant.coordinate = static_cast<std::uint32_t>(field["coordinate"].natural(kGreatestCoordinate));
  tenant.name = field["name"].text();
  tenant.from = static_cast<int>(field["from"].natural(kGreatestSublayer));
  tenant.to = static_cast<int>(field["to"].natural(kGreatestSublayer));
  tenant.boolean = field["boolean"].boolean();
  tenant.low = field["low"].number_or_null();
  tenant.high = field["high"].number_or_null();
  return tenant;
}

Alphabet alphabet_from(const Field& field) {
  std::vector<std::string> symbols;
  std::unordered_set<std::string> seen;  // an Alphabet may rely on distinct symbols, so duplicates stop here
  field.for_each([&](const Field& symbol) {
    symbols.push_back(symbol.text());
    if (!seen.insert(symbols.back()).second)
      throw IoError(fmt::format("the symbol {} occurs twice", in_quotes(symbols.back())));
  });
  return Alphabet(std::move(symbols));
}

void check_version(const Field& document) {
  const std::uint64_t version = document["version"].natural(std::numeric_limits<std::uint64_t>::max());
  if (version != kFormatVersion)
    throw IoError(fmt::format("the model has format version {}; this program reads version {}{}", version,
                              kFormatVersion, version > kFormatVersion ? " (a newer quench wrote it)" : ""));
}

}  // namespace

std::string write_document(const Transformer& transformer) {
  const OrderedJson document{
      {"version", kFormatVersion},
      {"symbols", transformer.alphabet.symbols()},
      {"width", transformer.width},
      {"position_encodings", list(transformer.position_encodings, position_encoding_to_json)},
      {"layers", list(transformer.layers,
                      [](const Layer& layer) {
                        return OrderedJson{{"heads", list(layer.heads, head_to_json)}};
                      })},
      {"output", output_to_json(transformer.output)},
      {"tenants", list(transformer.tenants, tenant_to_json)},
      {"source", transformer.source},
      {"recipe", transformer.recipe},
      {"logic", transformer.logic},
      {"certificate", transformer.certificate.empty() ? OrderedJson(nullptr) : OrderedJson::parse(transformer.certificate)},
  };
  return document.dump();
}

Transformer read_document(const std::string& text) {
  const nlohmann::json json = parse_strict_json(text, "the metadata document");
  const Field document(json, "");
  check_version(document);
  Transformer transformer;
  transformer.alphabet = alphabet_from(document["symbols"]);
  transformer.width = document["width"].natural(kGreatestCoordinate);
  document["position_encodings"].for_each(
      [&](const Field& field) { transformer.position_encodings.push_back(position_encoding_from(field)); });
  document["layers"].for_each([&](const Field& field) {
    Layer& layer = transformer.layers.emplace_back();
    field["heads"].for_each([&](const Field& head) { layer.heads.push_back(head_from(head)); });
  });
  transformer.output = output_from(document["output"]);
  document["tenants"].for_each([&](const Field& field) { transformer.tenants.push_back(tenant_from(field)); });
  transformer.source = document["source"].text();
  transformer.recipe = document["recipe"].text();
  transformer.logic = document["logic"].text();
  const Field certificate = document["certificate"];
  if (!certificate.json().is_null()) {
    if (!certificate.json().is_object()) certificate.wrong("an object or null");
    transformer.certificate = certificate.json().dump();
  }
  return transformer;
}

}  // namespace quench::model
