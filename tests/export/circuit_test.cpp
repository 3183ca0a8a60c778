#include "export/circuit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "driver/compile.h"
#include "support/example_model.h"
#include "support/examples.h"

namespace quench::exports {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

std::set<std::string> edges(const Circuit& circuit) {
  std::set<std::string> texts;
  for (const CircuitEdge& edge : circuit.edges)
    texts.insert(edge.from + " -> " + edge.to + " " + edge.input + ": " + edge.meaning);
  return texts;
}

TEST(Circuit, HasTheEdgesOfTheWorkedExample) {
  EXPECT_THAT(
      edges(circuit_of(test::once_model())),
      UnorderedElementsAre("embedding -> layers.0.heads.0 q: 1", "embedding -> layers.0.heads.0 k: Q_a",
                           "embedding -> layers.0.heads.0 v: Q_a", "layers.0.heads.0 -> layers.0.units.0 in: ~O Q_a",
                           "layers.0.heads.0 -> layers.0.units.1 in: ~O Q_a", "layers.0.units.0 -> output in: O Q_a",
                           "layers.0.units.1 -> output in: O Q_a"));
}

/// The coordinate of the answer held something else before, and was cleared: its writers are not part of the answer.
TEST(Circuit, LeavesOutWhoWasCleared) {
  model::Transformer model = test::once_model();
  model.embedding.add(1, 3, 1);
  model.tenants.push_back({3, "Q_b", 0, 1, true, 0.0, 1.0});
  for (const std::string& edge : edges(circuit_of(model))) EXPECT_NE(edge, "embedding -> output in: O Q_a");
}

/// As much of JSON Schema as docs/circuit.schema.json uses. Empty if the value is as the schema wants it.
std::string schema_error(const nlohmann::json& schema, const nlohmann::json& value, const std::string& where) {
  const std::string type = schema.value("type", "");
  const bool right = type.empty() || (type == "object" && value.is_object()) || (type == "array" && value.is_array()) ||
                     (type == "string" && value.is_string()) || (type == "boolean" && value.is_boolean()) ||
                     (type == "integer" && value.is_number_integer());
  if (!right) return where + " is no " + type;
  if (schema.contains("const") && schema["const"] != value) return where + " is not the constant";
  if (schema.contains("enum") && std::count(schema["enum"].begin(), schema["enum"].end(), value) == 0)
    return where + " is none of its values";
  if (schema.contains("minimum") && value < schema["minimum"]) return where + " is too small";
  if (schema.contains("pattern") && !std::regex_match(value.get<std::string>(), std::regex(schema["pattern"])))
    return where + " does not match";
  for (const auto& name : schema.value("required", nlohmann::json::array()))
    if (!value.contains(name)) return where + " lacks " + name.dump();
  if (type == "object")
    for (const auto& item : value.items()) {
      if (!schema["properties"].contains(item.key())) return where + " has a field " + item.key();
      const std::string error = schema_error(schema["properties"][item.key()], item.value(), where + "." + item.key());
      if (!error.empty()) return error;
    }
  if (type == "array")
    for (const auto& item : value)
      if (const std::string error = schema_error(schema["items"], item, where + "[]"); !error.empty()) return error;
  return "";
}

TEST(Circuit, IsAsItsSchemaSays) {
  const auto schema = nlohmann::json::parse(test::read_text(test::source_path("docs/circuit.schema.json")));
  for (const char* rule : {"Q_a", "let x = Q_a S Q_b\n#<[x] > #<[prev x]", "odd(#<[Q_a])"}) {
    auto circuit = nlohmann::json::parse(circuit_json(driver::compile(driver::parse(rule)).model));
    EXPECT_EQ(schema_error(schema, circuit, "circuit"), "") << rule;
    circuit["nodes"][0]["kind"] = "neuron";
    EXPECT_NE(schema_error(schema, circuit, "circuit"), "");
  }
}

TEST(Circuit, EveryEdgeJoinsNodes) {
  const model::Transformer model = driver::compile(driver::parse("let x = Q_a S Q_b\n#<[x] > #<[prev x]")).model;
  const nlohmann::json circuit = nlohmann::json::parse(circuit_json(model));
  std::set<std::string> ids;
  for (const auto& node : circuit["nodes"]) EXPECT_TRUE(ids.insert(node["id"]).second);
  EXPECT_GT(circuit["edges"].size(), 5u);
  for (const auto& edge : circuit["edges"]) EXPECT_TRUE(ids.contains(edge["from"]) && ids.contains(edge["to"])) << edge;
  EXPECT_THAT(circuit_dot(model), HasSubstr("-> \"output\""));
}

}  // namespace
}  // namespace quench::exports
