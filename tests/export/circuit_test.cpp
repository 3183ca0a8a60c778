#include "export/circuit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "driver/compile.h"
#include "support/example_model.h"

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
