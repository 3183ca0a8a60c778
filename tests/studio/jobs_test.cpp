// Long work: certificates, verification, failures, long words; how it is told, and how it ends early.
#include <quench/quench.h>

#include <algorithm>
#include <thread>

#include "studio/asking.h"

namespace quench::studio {
namespace {

TEST(Certify, TellsEveryFormatAndIsRemembered) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  EXPECT_EQ(studio.get("/api/models/" + model + "/certificate.json").status, 404);
  const std::vector<Json> lines = studio.lines("/api/certify", {{"model", model}, {"formats", {"f32", "bf16"}}});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["type"], "start");
  EXPECT_EQ(lines[0]["total"], 2);
  EXPECT_EQ(lines[3]["type"], "done");
  const Certificate expected = quench::certify(compile(parse_formula("Q_a S Q_b"), {.certify = false}), {Format::f32});
  const std::vector<CertificateEntry> entries = expected.entries();
  ASSERT_EQ(lines[1]["entries"].size(), entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) {
    EXPECT_EQ(lines[1]["entries"][k]["length"], entries[k].length);
    EXPECT_EQ(lines[1]["entries"][k]["reason"], entries[k].reason);
  }
  const Json seen = studio.ask("/api/word", {{"model", model}, {"word", "ab"}, {"format", "f32"}});
  EXPECT_EQ(seen["certified"], *expected.length(Format::f32));
  EXPECT_TRUE(studio.ask("/api/word", {{"model", model}, {"word", "ab"}, {"format", "f32"}, {"warmth", 2}})["certified"]
                  .is_null());
  const Reply certificate = studio.get("/api/models/" + model + "/certificate.json");
  EXPECT_EQ(read_certificate(certificate.body).entries().size(), 2 * entries.size());
}

TEST(Download, IsAModelFileThatChecks) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  EXPECT_FALSE(load_bytes(studio.get("/api/models/" + model + "/model.safetensors").body).has_certificate());
  studio.lines("/api/certify", {{"model", model}, {"formats", {"f32"}}});
  const Reply file = studio.get("/api/models/" + model + "/model.safetensors");
  EXPECT_EQ(file.type, "application/octet-stream");
  const Model loaded = load_bytes(file.body);
  EXPECT_TRUE(check(loaded).computes_rule);
  EXPECT_EQ(studio.get("/api/models/" + model + "/passwd").status, 404);
  EXPECT_EQ(studio.get("/api/models/nobody/model.safetensors").status, 404);
  EXPECT_EQ(studio.get("/api/models/../../etc/passwd").status, 404);
}

TEST(Verify, FindsNoDifference) {
  Asking studio;
  const std::vector<Json> lines =
      studio.lines("/api/verify", {{"model", studio.model("Q_a S Q_b")}, {"exhaustive", 6}, {"random_count", 10}});
  ASSERT_GE(lines.size(), 2u);
  EXPECT_EQ(lines.back()["type"], "done");
  EXPECT_EQ(lines.back()["differences"], 0);
  EXPECT_TRUE(lines.back()["counterexample"].is_null());
  EXPECT_EQ(lines.back()["exhaustive"], 6);
}

TEST(Verify, FindsTheWordWhereAFormatGivesOut) {
  Asking studio;
  const std::string model = studio.model("#<[Q_a] >= #<[Q_b]");
  const std::vector<Json> lines = studio.lines(
      "/api/verify", {{"model", model}, {"format", "f8e5m2"}, {"random_count", 50}, {"random_length", 200}});
  EXPECT_GT(lines.back()["differences"], 0) << lines.back();
  EXPECT_TRUE(lines.back()["counterexample"].contains("word"));
}

TEST(Verify, RefusesTooManyWords) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  EXPECT_EQ(studio.refused("/api/verify", {{"model", model}, {"exhaustive", 40}}, 422, "limit")["limit"],
            "verify_words");
  studio.refused("/api/verify", {{"model", model}, {"exhaustive", -1}}, 400, "bad-request");
}

TEST(Failure, IsFoundInACoarseFormat) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  const std::vector<Json> lines =
      studio.lines("/api/failure", {{"model", model}, {"format", "f8e4m3"}, {"longest", 512}});
  EXPECT_EQ(lines.back()["type"], "done");
  EXPECT_TRUE(lines.back()["failure"].is_object()) << lines.back();
}

TEST(Length, RunsLongWordsRight) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  for (const char* words : {"random", "runs", "repeat", "stretch"}) {
    const std::vector<Json> lines = studio.lines(
        "/api/length", {{"model", model}, {"length", 20000}, {"format", "f32"}, {"words", words}, {"word", "baab"}});
    ASSERT_EQ(lines.size(), 5u) << words;
    EXPECT_EQ(lines[0]["lengths"], Json({4096, 16384, 20000}));
    for (int k = 1; k <= 3; ++k) {
      EXPECT_EQ(lines[k]["wrong"], 0) << words;
      EXPECT_TRUE(lines[k]["first_wrong"].is_null());
    }
  }
}

TEST(Length, ShowsTheCollapseAtAFixedTemperature) {
  Asking studio;
  const std::string model = studio.model("Q_a S Q_b");
  const std::vector<Json> lines = studio.lines(
      "/api/length", {{"model", model}, {"length", 4000}, {"fixed_at", 16}, {"words", "stretch"}, {"word", "bxa"}});
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_GT(lines[1]["wrong"], 0) << lines[1];
  const Json& around = lines[1]["around"];
  const std::size_t at = lines[1]["first_wrong"].get<std::size_t>() - around["from"].get<std::size_t>();
  EXPECT_NE(around["expected"][at], around["got"][at]);
}

TEST(Length, HasLimits) {
  Asking studio;
  const std::string model = studio.model("O Q_a");
  EXPECT_EQ(studio.refused("/api/length", {{"model", model}, {"length", 2000000}}, 422, "limit")["limit"], "length");
  EXPECT_EQ(
      studio.refused("/api/length", {{"model", model}, {"length", 100000}, {"format", "bf16"}}, 422, "limit")["limit"],
      "slow_length");
  studio.refused("/api/length", {{"model", model}}, 400, "bad-request");
  studio.refused("/api/length", {{"model", model}, {"length", 10}, {"words", "long"}}, 400, "bad-request");
  studio.refused("/api/length", {{"model", model}, {"length", 10}, {"words", "repeat"}}, 422, "refused");
}

TEST(Jobs, EndWhenSomebodySaysSo) {
  Asking studio;
  const std::string model = studio.model("H (Q_a -> O Q_b) & Q_c S Q_d");
  bool cancelled = false;
  const std::vector<Json> lines =
      studio.lines("/api/verify", {{"model", model}, {"exhaustive", 10}}, [&](const Json& line) {
        if (line["type"] == "start")
          cancelled = studio.ask("/api/cancel", {{"job", line["job"]}})["cancelled"].get<bool>();
        return false;
      });
  EXPECT_TRUE(cancelled);
  EXPECT_EQ(lines.back()["type"], "cancelled");
  EXPECT_EQ(studio.ask("/api/cancel", {{"job", lines[0]["job"]}})["cancelled"], false);
}

TEST(Jobs, EndWhenNobodyListens) {
  Asking studio;
  const std::string model = studio.model("H (Q_a -> O Q_b) & Q_c S Q_d");
  const std::vector<Json> lines = studio.lines("/api/verify", {{"model", model}, {"exhaustive", 10}},
                                               [](const Json& line) { return line["type"] == "start"; });
  EXPECT_EQ(lines.back()["type"], "cancelled");
}

TEST(Jobs, EndWhenTheirTimeIsOver) {
  Limits limits;
  limits.job_seconds = 0.05;
  Asking studio(limits);
  const std::string model = studio.model("H (Q_a -> O Q_b) & Q_c S Q_d");
  const std::vector<Json> lines = studio.lines("/api/verify", {{"model", model}, {"exhaustive", 10}});
  EXPECT_EQ(lines.back()["type"], "cancelled");
  EXPECT_EQ(lines.back()["reason"], "seconds");
}

TEST(Jobs, AreNotTooMany) {
  Limits limits;
  limits.jobs = 1;
  Asking studio(limits);
  const std::string model = studio.model("O Q_a");
  const Reply waiting = studio.post("/api/verify", {{"model", model}});  // not read yet
  studio.refused("/api/verify", {{"model", model}}, 503, "busy");
}

}  // namespace
}  // namespace quench::studio
