// What the studio says of rules and of the networks made from them.
#include <quench/quench.h>

#include "studio/asking.h"
#include "studio/examples.h"
#include "studio/endpoints/places.h"

namespace quench::studio {
namespace {

TEST(Places, CountAsJavaScriptDoes) {
  const std::string text = "aé\n😀b";
  const Places places(text);
  EXPECT_EQ(places.of_byte(places.byte_at(1, 1)), 0u);
  EXPECT_EQ(places.of_byte(places.byte_at(1, 2)), 1u);
  EXPECT_EQ(places.of_byte(places.byte_at(2, 1)), 3u);
  EXPECT_EQ(places.of_byte(places.byte_at(2, 2)), 5u);  // 😀 takes two code units
  EXPECT_EQ(places.of_byte(places.byte_at(2, 3)), 6u);
  EXPECT_EQ(places.of_byte(places.byte_at(9, 9)), 6u);
  EXPECT_EQ(places.of_byte(1000), 6u);
}

TEST(About, HasASentenceForEveryExample) {
  Asking studio;
  const Json about = Json::parse(studio.get("/api/about").body);
  EXPECT_EQ(about["version"], "0.0");
  EXPECT_EQ(about["examples"].size(), examples().size());
  EXPECT_GT(examples().size(), 80u);
  for (const Json& example : about["examples"]) {
    EXPECT_FALSE(example["sentence"].get<std::string>().empty()) << example["file"];
    const Json parsed = studio.ask("/api/parse", {{"text", example["text"]}, {"kind", example["kind"]}});
    EXPECT_TRUE(parsed["ok"].get<bool>()) << example["file"];
    EXPECT_FALSE(example["word"].get<std::string>().empty()) << example["file"];
  }
}

TEST(Parse, UnderlinesWhatIsWrong) {
  Asking studio;
  const std::string text = "let p = '😀'\np & (q | Q_b)";
  const Json parsed = studio.ask("/api/parse", {{"text", text}});
  EXPECT_FALSE(parsed["ok"].get<bool>());
  ASSERT_EQ(parsed["diagnostics"].size(), 1u);
  const Json& one = parsed["diagnostics"][0];
  EXPECT_EQ(one["code"], "E013");
  EXPECT_EQ(one["severity"], "error");
  EXPECT_EQ(one["line"], 2);
  EXPECT_EQ(one["column"], 6);
  EXPECT_EQ(one["from"], 18);  // in UTF-16: 13 units in the first line with its end, then 5
  EXPECT_EQ(one["to"], 19);
  EXPECT_FALSE(one["help"].empty());
  EXPECT_FALSE(one["explanation"].get<std::string>().empty());
}

TEST(Parse, WarnsOfWhatIsHardlyMeant) {
  Asking studio;
  const Json parsed = studio.ask("/api/parse", {{"text", "O (Q_a & Q_b)"}, {"kind", "formula"}});
  EXPECT_TRUE(parsed["ok"].get<bool>());
  ASSERT_FALSE(parsed["diagnostics"].empty());
  EXPECT_EQ(parsed["diagnostics"][0]["severity"], "warning");
}

TEST(Parse, KnowsEveryKind) {
  Asking studio;
  EXPECT_EQ(studio.ask("/api/parse", {{"text", "O Q_a"}})["kind"], "formula");
  EXPECT_EQ(studio.ask("/api/parse", {{"text", "out(i) = Q_a(i)"}})["kind"], "program");
  EXPECT_EQ(studio.ask("/api/parse", {{"text", "(ab)*"}, {"kind", "regex"}})["symbols"], Json({"a", "b"}));
  EXPECT_EQ(studio.ask("/api/parse", {{"text", "Q[long] & Q_b"}})["separated"], true);
  EXPECT_EQ(studio.ask("/api/parse", {{"text", "out(i) = #[j <= i] Q_a(j)"}})["answers"], "numbers");
  studio.refused("/api/parse", {{"text", "a"}, {"kind", "poem"}}, 400, "bad-request");
}

TEST(Compile, GivesTheNetworkTheStagesAndThePlaces) {
  Asking studio;
  const std::string text = "H (Q_r -> O Q_g)";
  const Json compiled = studio.compiled(text);
  EXPECT_FALSE(compiled["cached"].get<bool>());
  EXPECT_TRUE(studio.compiled(text)["cached"].get<bool>());
  const Json& network = compiled["network"];
  EXPECT_EQ(network["layers"].size(), compiled["summary"]["layers"]);
  EXPECT_EQ(network["sublayers"], 2 * network["layers"].size() + 1);
  ASSERT_EQ(compiled["stages"].size(), 5u);
  for (const Json& stage : compiled["stages"]) EXPECT_FALSE(stage["text"].get<std::string>().empty()) << stage["stage"];
  // Some head stands for `O Q_g`, and the text has it where it is written.
  bool found = false;
  for (const Json& layer : network["layers"])
    for (const Json& head : layer["heads"])
      for (const Json& part : head["parts"]) {
        const Json& one = compiled["rule"]["parts"][part.get<std::size_t>()];
        if (one["operator"] != "O") continue;
        found = true;
        EXPECT_EQ(text.substr(one["from"], one["to"].get<std::size_t>() - one["from"].get<std::size_t>()), "O Q_g");
      }
  EXPECT_TRUE(found);
  ASSERT_FALSE(network["output"]["tenants"].empty());
  EXPECT_TRUE(studio.ask("/api/compile", {{"text", text}, {"stages", false}})["stages"].empty());
}

TEST(Compile, SaysWhatIsWrong) {
  Asking studio;
  const Json error =
      studio.refused("/api/compile", {{"text", "prime(#<[Q_a])"}, {"options", {{"recipe", "12a"}}}}, 422, "rule");
  EXPECT_FALSE(error["diagnostics"].empty());
  studio.refused("/api/compile", {{"text", "("}}, 422, "rule");
  studio.refused("/api/compile", {{"text", "Q_a"}, {"options", {{"recipe", "soup"}}}}, 422, "rule");
  studio.refused("/api/compile", {{"text", "Q_a"}, {"options", {{"gamma", "much"}}}}, 400, "bad-request");
  studio.refused("/api/compile", {{"text", "Q_a"}, {"options", {{"spice", 1}}}}, 400, "bad-request");
  studio.refused("/api/compile", {{"text", std::string(20000, ' ')}}, 422, "limit");
}

TEST(Compile, TakesProgramsAndAutomata) {
  Asking studio;
  EXPECT_EQ(
      studio
          .compiled("seen(i) = rightmost j [j < i, Q_a(j)] true : false\nout(i) = seen(i) and Q_b(i)")["rule"]["parts"]
          .size(),
      2u);
  const Json regex = studio.ask("/api/compile", {{"text", "(ab)*"}, {"kind", "regex"}});
  ASSERT_FALSE(regex["rule"]["parts"].empty());
  EXPECT_TRUE(regex["rule"]["parts"][0]["from"].is_null());
}

TEST(Weights, AreTheHeadsOwn) {
  Asking studio;
  const Json compiled = studio.compiled("O Q_a");
  const Json weights = studio.ask("/api/weights", {{"model", compiled["model"]}, {"layer", 0}, {"head", 0}});
  EXPECT_EQ(weights["o"].size(), compiled["network"]["width"]);
  EXPECT_TRUE(studio.ask("/api/weights", {{"model", compiled["model"]}, {"layer", 0}}).contains("w1"));
  studio.refused("/api/weights", {{"model", compiled["model"]}, {"layer", 7}}, 422, "refused");
  studio.refused("/api/weights", {{"model", compiled["model"]}}, 400, "bad-request");
  studio.refused("/api/weights", {{"model", "m"}, {"layer", 0}}, 404, "unknown-model");
}

TEST(Models, TheLeastUsedGoesFirst) {
  Limits limits;
  limits.models = 2;
  Asking studio(limits);
  const std::string a = studio.model("Q_a"), b = studio.model("Q_b");
  studio.ask("/api/word", {{"model", a}, {"word", "a"}});  // used again
  const std::string c = studio.model("Q_c");
  studio.refused("/api/word", {{"model", b}, {"word", "b"}}, 404, "unknown-model");
  studio.ask("/api/word", {{"model", a}, {"word", "a"}});
  studio.ask("/api/word", {{"model", c}, {"word", "c"}});
}

TEST(Models, AreBoundedInBytes) {
  Limits limits;
  limits.model_bytes = 1;
  Asking studio(limits);
  const std::string a = studio.model("Q_a"), b = studio.model("Q_b");
  studio.refused("/api/word", {{"model", a}, {"word", "a"}}, 404, "unknown-model");
  studio.ask("/api/word", {{"model", b}, {"word", "b"}});
}

TEST(Command, IsTheCommandLineOfWhatIsShown) {
  Asking studio;
  const Json shown = studio.ask("/api/command", {{"text", "O '('"},
                                                 {"options", {{"recipe", "tight"}, {"gamma", 20}}},
                                                 {"do", "trace"},
                                                 {"word", "-("},
                                                 {"format", "f32"},
                                                 {"ablated", {"0.0"}},
                                                 {"patches", {{{"name", "Q['(']"}, {"position", 2}, {"value", 1}}}}});
  EXPECT_EQ(shown["command"],
            "quench trace -e 'O '\\''('\\''' --recipe tight --gamma 20 --dtype f32 --ablate 0.0 --patch "
            "'Q['\\''('\\'']=1@2' -- '-('");
  EXPECT_TRUE(shown["notes"].empty());
  EXPECT_EQ(studio.ask("/api/command", {{"text", "(ab)*"}, {"kind", "regex"}, {"do", "compile"}})["command"],
            "quench compile --regex '(ab)*' -o model.safetensors");
  EXPECT_FALSE(
      studio.ask("/api/command", {{"text", "Q_a"}, {"do", "run"}, {"word", "a"}, {"warmth", 3}})["notes"].empty());
  studio.refused("/api/command", {{"text", "Q_a"}, {"do", "rm -rf"}}, 400, "bad-request");
}

}  // namespace
}  // namespace quench::studio
