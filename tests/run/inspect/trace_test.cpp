// Traces, ablation and patching, and how they are asked for.
#include "run/inspect/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench::run {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const TracedCoordinate* find(const TraceStep& step, const std::string& name) {
  for (const TracedCoordinate& traced : step.coordinates)
    if (traced.name == name) return &traced;
  return nullptr;
}

TEST(Trace, ShowsEveryTenantWhileItLives) {
  const Trace result = trace(test::once_model(), {1, 0, 1});
  ASSERT_EQ(result.steps.size(), 3u);
  EXPECT_EQ(result.steps[0].title, "embedding");
  EXPECT_EQ(result.steps[1].title, "layer 0 attention");
  EXPECT_EQ(result.steps[2].title, "layer 0 feed-forward");
  EXPECT_EQ(find(result.steps[0], "O Q_a"), nullptr);
  EXPECT_EQ(find(result.steps[1], "O Q_a"), nullptr);
  const TracedCoordinate* answer = find(result.steps[2], "O Q_a");
  ASSERT_NE(answer, nullptr);
  EXPECT_THAT(answer->raw, ElementsAre(0, 1, 1));
  EXPECT_THAT(answer->rounded, ElementsAre(0, 1, 1));
  EXPECT_EQ(answer->distance, 0);
  EXPECT_THAT(result.outputs, ElementsAre(0, 1, 1));
  EXPECT_THAT(result.symbols, ElementsAre("b", "a", "b"));
}

TEST(Trace, ReusedCoordinatesShowTheTenantOfTheTime) {
  model::Transformer model = test::once_model();
  model.tenants[2].to = 1;                                      // "~O Q_a" moves out of coordinate 2 …
  model.tenants.push_back({2, "garbage", 2, 2, true, {}, {}});  // … and another moves in
  const Trace result = trace(model, {0, 1});
  EXPECT_NE(find(result.steps[1], "~O Q_a"), nullptr);
  EXPECT_EQ(find(result.steps[1], "garbage"), nullptr);
  EXPECT_EQ(find(result.steps[2], "~O Q_a"), nullptr);
  const TracedCoordinate* garbage = find(result.steps[2], "garbage");
  ASSERT_NE(garbage, nullptr);
  EXPECT_GT(garbage->distance, 1e-8);  // not quite 1: one of two keys is no a
  EXPECT_LT(garbage->distance, 1e-6);
}

TEST(Trace, AblationRemovesTheHead) {
  const Trace result = trace(test::once_model(), {0, 1}, {.run = {}, .ablated = {{0, 0}}, .patches = {}});
  EXPECT_THAT(result.outputs, ElementsAre(0, 0));
}

TEST(Trace, PatchesApplyWhereTheNameIsBorn) {
  const model::Transformer model = test::once_model();
  const auto outputs_with = [&](const std::string& patch) {
    return trace(model, {1, 1, 1}, {.run = {}, .ablated = {}, .patches = {parse_patch(patch, model)}}).outputs;
  };
  EXPECT_THAT(outputs_with("Q_a=1@2"), ElementsAre(0, 1, 1));     // born in the embedding: the head sees it
  EXPECT_THAT(outputs_with("~O Q_a=1@2"), ElementsAre(0, 1, 0));  // born in the attention: only the rounding sees it
  EXPECT_THAT(outputs_with("O Q_a=0.25@3"), ElementsAre(0, 0, 0.25));
}

TEST(Trace, AgreesWithTheExecutorOnRandomModels) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    const model::Transformer model = test::random_model(random, {.scale = 0.3});
    const Word word = test::word_over(random, model, 1 + random.below(7));
    const Trace result = trace(model, word);
    EXPECT_EQ(result.steps.size(), 2 * model.layers.size() + 1);
    const std::vector<double> expected = outputs(model, word);
    for (std::size_t i = 0; i < word.size(); ++i)
      EXPECT_TRUE(result.outputs[i] == expected[i] || std::isnan(expected[i]));
  }
}

TEST(Trace, JsonHasEveryField) {
  TraceOptions options{.run = {NumberFormat::bf16, true}, .ablated = {{0, 0}}, .patches = {{"Q_a", 0.5, 2}}};
  const auto json = nlohmann::json::parse(to_json(trace(test::once_model(), {1, kUnmentioned}, options)));
  EXPECT_EQ(json["word"], "b·");
  EXPECT_EQ(json["symbols"], (nlohmann::json{"b", "·"}));
  EXPECT_EQ(json["dtype"], "bf16");
  EXPECT_EQ(json["hard"], true);
  EXPECT_EQ(json["ablated"], nlohmann::json::parse(R"([{"layer":0,"head":0}])"));
  EXPECT_EQ(json["patched"][0]["coordinate"], "Q_a");
  EXPECT_EQ(json["steps"][0]["coordinates"][1]["raw"], (nlohmann::json{0.0, 0.5}));
  EXPECT_EQ(json["steps"][0]["coordinates"][1]["rounded"], (nlohmann::json{0, 1}));
  EXPECT_EQ(json["steps"][0]["coordinates"][1]["distance"], 0.5);
  EXPECT_TRUE(json["steps"][0]["coordinates"][0]["rounded"].is_null());
  EXPECT_EQ(json["outputs"].size(), 2u);
}

TEST(Trace, NullInJsonIsThatTheCoordinateIsNotBooleanAndNothingElse) {
  Trace result = trace(test::once_model(), {1, kUnmentioned}, {});
  TracedCoordinate& traced = result.steps[0].coordinates[1];
  ASSERT_TRUE(traced.boolean);
  traced.raw = {std::nan(""), -INFINITY};
  traced.distance = INFINITY;
  result.outputs = {1, std::nan("")};
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["steps"][0]["coordinates"][1]["raw"], (nlohmann::json{"NaN", "-Infinity"}));
  EXPECT_EQ(json["steps"][0]["coordinates"][1]["distance"], "Infinity");
  EXPECT_EQ(json["outputs"], (nlohmann::json{1.0, "NaN"}));
}

TEST(Trace, ValuesThatAreNotNumbersAreNullInJson) {
  model::Transformer model = test::once_model();
  model.embedding.add(0, 1, 1e308);
  model.layers[0].heads[0].q.add(0, 0, 1e308);  // scores overflow, softmax of ∞ is NaN
  const std::string text = to_json(trace(model, {0, 0}));
  EXPECT_THAT(text, HasSubstr("null"));
  EXPECT_TRUE(nlohmann::json::accept(text));
}

TEST(Trace, TextShowsNearBooleansAsNotQuiteThere) {
  const std::string text = to_text(trace(test::once_model(), {0, 1}));
  EXPECT_THAT(text, AllOf(HasSubstr("layer 0 attention"), HasSubstr("1 a"), HasSubstr("2 b"), HasSubstr("1-1.1e-07")));
  for (std::size_t at = 0, end = 0; end != std::string::npos; at = end + 1) {
    end = text.find('\n', at);
    EXPECT_LT(text.substr(at, end - at).size(), 140u);
  }
  const std::string wide = to_text(trace(test::once_model(), Word(500, 1)));
  EXPECT_THAT(wide, HasSubstr("500 b"));
}

template <class Action>
std::string user_error(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no UserError";
}

TEST(Trace, HeadsAreWrittenLayerDotHead) {
  const model::Transformer model = test::once_model();
  EXPECT_EQ(parse_head("0.0", model), (HeadIndex{0, 0}));
  for (const char* text : {"", ".", "0", "0.", ".0", "a.b", "0.0.0", "-1.0", " 0.0", "0.0 ", "99999999999999999999.0"})
    EXPECT_THAT(user_error([&] { parse_head(text, model); }), HasSubstr("layer.head")) << text;
  EXPECT_THAT(user_error([&] { parse_head("1.0", model); }), HasSubstr("layers are 0 to 0"));
  EXPECT_THAT(user_error([&] { parse_head("0.1", model); }), AllOf(HasSubstr("no head 1"), HasSubstr("0.0 (once a)")));
}

TEST(Trace, PatchesAreWrittenNameValuePosition) {
  model::Transformer model = test::once_model();
  model.tenants.push_back({0, "#<[a] = b@c", 0, 2, false, {}, {}});
  const Patch patch = parse_patch("#<[a] = b@c=-2.5e-1@12", model);
  EXPECT_EQ(patch.coordinate, "#<[a] = b@c");
  EXPECT_EQ(patch.value, -0.25);
  EXPECT_EQ(patch.position, 12u);
  for (const char* text : {"", "Q_a", "Q_a=1", "Q_a@1", "Q_a=@1", "Q_a=x@1", "Q_a=1@", "Q_a=1@0", "Q_a=1@-1", "=1@1",
                           "Q_a=inf@1", "Q_a=nan@1", "Q_a=1@1.5"})
    EXPECT_THAT(user_error([&] { parse_patch(text, model); }), HasSubstr("coordinate=value@position")) << text;
  EXPECT_THAT(user_error([&] { parse_patch("Q_z=1@1", model); }), AllOf(HasSubstr("'Q_z'"), HasSubstr("~O Q_a")));
  EXPECT_THAT(user_error([&] {
                trace(model, {0}, {.run = {}, .ablated = {}, .patches = {{"Q_a", 1, 2}}});
              }),
              HasSubstr("positions 1 to 1"));
}

}  // namespace
}  // namespace quench::run
