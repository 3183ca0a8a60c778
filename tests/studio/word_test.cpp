// A word through the rule and the network, as the page sees it.
#include <quench/quench.h>

#include <cmath>
#include <cstring>
#include <random>

#include "studio/asking.h"

namespace quench::studio {
namespace {

std::vector<float> floats(const std::string& base64) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : base64) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  std::vector<float> result(bytes.size() / 4);
  std::memcpy(result.data(), bytes.data(), 4 * result.size());
  return result;
}

TEST(Word, AnswersAsTheRuleDoesOnRandomWords) {
  Asking studio;
  std::mt19937 random(1);
  for (const char* text : {"Q_a S Q_b", "H (Q_a -> O Q_b)", "#<[Q_a] >= #<[Q_b]", "prev (Q_a | Q_c)"}) {
    const Rule rule = parse_formula(text);
    const std::string model = studio.model(text);
    for (int k = 0; k < 20; ++k) {
      std::string word(1 + random() % 40, ' ');
      for (char& c : word) c = "abcx"[random() % 4];
      const Json seen = studio.ask("/api/word", {{"model", model}, {"word", word}});
      EXPECT_EQ(seen["expected"]["values"], Json(evaluate(rule, word).truth)) << text << " " << word;
      EXPECT_EQ(seen["got"], seen["expected"]) << text << " " << word;
      EXPECT_TRUE(seen["wrong"].empty());
      EXPECT_EQ(seen["n"], word.size());
      EXPECT_EQ(seen["accepted"]["got"], evaluate(rule, word).accepted());
    }
  }
}

TEST(Word, AttentionIsTheHeads) {
  Asking studio;
  const std::string model = studio.model("prev Q_a");
  const Json seen = studio.ask("/api/word", {{"model", model}, {"word", "abca"}});
  const Matrix<double> weights = head_attention(compile(parse_formula("prev Q_a")), "abca", 0, 0);
  const std::vector<float> shown = floats(seen["heads"][0]["weights"].get<std::string>());
  ASSERT_EQ(shown.size(), 16u);
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j)
      EXPECT_EQ(shown[4 * i + j], j <= i ? static_cast<float>(weights(i, j)) : -1.0F) << i << " " << j;
}

double entropy(const Json& seen) {
  double sum = 0;
  for (const Json& head : seen["heads"]) sum += head["mean_entropy"].get<double>();
  return sum;
}

TEST(Word, CoolingSharpensAndWarmingBlurs) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b"), word = "baaabxaaba";
  double last = -1;
  for (const Json& warmth : {Json(0), Json(0.1), Json(1), Json(8), Json(1000), Json("uniform")}) {
    const double now = entropy(studio.ask("/api/word", {{"model", model}, {"word", word}, {"warmth", warmth}}));
    EXPECT_GE(now, last) << warmth;
    last = now;
  }
  EXPECT_GT(last, 1);
  EXPECT_FALSE(studio.ask("/api/word", {{"model", model}, {"word", word}, {"warmth", "uniform"}})["wrong"].empty());
  EXPECT_TRUE(studio.ask("/api/word", {{"model", model}, {"word", word}, {"hard", true}})["wrong"].empty());
  for (const Json& bad : {Json(-1), Json("warm"), Json(1e30), Json(true)})
    studio.refused("/api/word", {{"model", model}, {"word", word}, {"warmth", bad}}, 400, "bad-request");
}

TEST(Word, AblationAndPatchesShowWhatTheyBreak) {
  Asking studio;
  const Json compiled = studio.compiled("O Q_a");
  const Json& model = compiled["model"];
  const Json ablated = studio.ask("/api/word", {{"model", model}, {"word", "ab"}, {"ablated", {"0.0"}}});
  EXPECT_EQ(ablated["wrong"], Json({1, 2}));
  std::size_t symbol = 0;
  for (const Json& tenant : compiled["network"]["tenants"])
    if (tenant["name"] == "Q_a") symbol = tenant["id"];
  const Json patch{{"tenant", symbol}, {"position", 2}, {"value", 1}};
  const Json patched = studio.ask("/api/word", {{"model", model}, {"word", "bbb"}, {"patches", {patch}}});
  EXPECT_EQ(patched["wrong"], Json({2, 3}));
  studio.refused("/api/word", {{"model", model}, {"word", "ab"}, {"ablated", {"9.0"}}}, 422, "refused");
  studio.refused("/api/word", {{"model", model}, {"word", "ab"}, {"ablated", {"nine"}}}, 400, "bad-request");
  studio.refused("/api/word",
                 {{"model", model}, {"word", "ab"}, {"patches", {{{"tenant", 999}, {"position", 1}, {"value", 0}}}}},
                 400, "bad-request");
  studio.refused("/api/word",
                 {{"model", model}, {"word", "ab"}, {"patches", {{{"tenant", 1}, {"position", 3}, {"value", 0}}}}}, 422,
                 "refused");
}

TEST(Word, HasLimits) {
  Asking studio;
  const std::string model = studio.model("O Q_a");
  EXPECT_EQ(studio.refused("/api/word", {{"model", model}, {"word", std::string(513, 'a')}}, 422, "limit")["limit"],
            "word");
  studio.ask("/api/word", {{"model", model}, {"word", std::string(512, 'a')}});
  studio.refused("/api/word", {{"model", model}, {"word", ""}}, 422, "refused");
  studio.refused("/api/word", {{"model", model}, {"word", "a"}, {"format", "f7"}}, 400, "bad-request");
  studio.refused("/api/word", {{"model", model}}, 400, "bad-request");
  Limits limits;
  limits.view_cells = 10;
  Asking narrow(limits);
  const std::string same = narrow.model("O Q_a");
  EXPECT_EQ(narrow.refused("/api/word", {{"model", same}, {"word", "aaaa"}}, 422, "limit")["limit"], "view_cells");
  EXPECT_TRUE(narrow.ask("/api/word", {{"model", same}, {"word", "aaaa"}, {"heads", false}})["heads"].empty());
}

TEST(Word, ValuesComeAtBirthAndWhenTheyChange) {
  Asking studio;
  const Json compiled = studio.compiled("H (Q_r -> O Q_g)");
  const Json seen = studio.ask("/api/word", {{"model", compiled["model"]}, {"word", "grr"}});
  std::vector<bool> born(compiled["network"]["tenants"].size());
  for (const Json& one : seen["coordinates"]) {
    const std::size_t tenant = one["tenant"];
    const Json& known = compiled["network"]["tenants"][tenant];
    if (!born[tenant]) {
      EXPECT_EQ(one["sublayer"], known["from"]) << known["name"];
    }
    born[tenant] = true;
    EXPECT_EQ(one["values"].size(), 3u);
    EXPECT_LE(one["sublayer"].get<int>(), known["to"].get<int>());
  }
  for (const bool one : born) EXPECT_TRUE(one);
  EXPECT_TRUE(
      studio.ask("/api/word", {{"model", compiled["model"]}, {"word", "g"}, {"coordinates", false}})["coordinates"]
          .empty());
}

TEST(Word, AnswersOfEveryKind) {
  Asking studio;
  const Json numbers = studio.ask("/api/word", {{"model", studio.model("out(i) = #[j <= i] Q_a(j)")}, {"word", "aba"}});
  EXPECT_EQ(numbers["expected"]["values"], Json({1, 1, 2}));
  EXPECT_EQ(numbers["got"], numbers["expected"]);
  EXPECT_TRUE(numbers["accepted"].is_null());
  const Json symbols =
      studio.ask("/api/word", {{"model", studio.model("out(i) = Q_a(i) ? 'b' : in(i)")}, {"word", "abca"}});
  EXPECT_EQ(symbols["got"], symbols["expected"]);
}

TEST(AttentionSvg, IsADownload) {
  Asking studio;
  const Reply picture = studio.post("/api/attention.svg", {{"model", studio.model("O Q_a")}, {"word", "aab"}});
  EXPECT_EQ(picture.status, 200);
  EXPECT_TRUE(picture.type.starts_with("image/svg+xml"));
  EXPECT_NE(picture.body.find("<svg"), std::string::npos);
}

}  // namespace
}  // namespace quench::studio
