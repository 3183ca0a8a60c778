// JSON means the same everywhere: words, positions, heads, and what null stands for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;

class JsonOutput : public ::testing::Test {
 protected:
  json of(const std::string& arguments) {
    const test::Finished finished = test::shell("quench " + arguments, directory_.path());
    EXPECT_LE(finished.exit_code, 1) << arguments << "\n" << finished.err;
    return json::parse(finished.out, nullptr, false);
  }
  test::TemporaryDirectory directory_;
};

TEST_F(JsonOutput, AWordIsATextAsItIsTyped) {
  EXPECT_EQ(of("eval -e 'Q_a' --json ab")["word"], "ab");
  EXPECT_EQ(of("run --uncertified -e 'Q_a' --json ab")["word"], "ab");
  EXPECT_EQ(of("trace -e 'Q_a' --json ab")["word"], "ab");
  EXPECT_EQ(of("trace -e 'Q_a' --json ab")["symbols"], json({"a", "b"}));
  EXPECT_EQ(of("trace -e 'Q_ab' --json 'ab c'")["word"], "ab c");
  EXPECT_EQ(of("diff -e 'Q_a' -e 'Q_b' --json")["difference"]["word"], "a");
  EXPECT_TRUE(of("words -e 'Q_a' --count 1 --jsonl")["word"].is_string());
}

TEST_F(JsonOutput, LayersAndHeadsCountFromZero) {
  const json hardened = of("harden -e 'prev Q_a' --json");
  EXPECT_EQ(hardened["heads"][0]["layer"], 0);
  EXPECT_EQ(hardened["heads"][0]["head"], 0);
  EXPECT_EQ(of("verify -e 'prev Q_a' --exhaustive 2 --gap --json")["gaps"][0]["head"], 0);
  EXPECT_EQ(of("verify -e 'prev Q_a' --exhaustive 2 --gap --json")["gaps"][0]["layer"], 0);
  EXPECT_EQ(of("trace -e 'prev Q_a' --ablate 0.0 --json ab")["ablated"], json::parse(R"([{"layer":0,"head":0}])"));
}

/// Not asked for is null; asked for in vain is 0; no limit is null within.
TEST_F(JsonOutput, CertifiedIsNullOnlyIfItWasNotAskedFor) {
  EXPECT_TRUE(of("compile -e 'prev Q_a' --json")["certified"].is_null());
  EXPECT_GT(of("compile -e 'prev Q_a' --json --certify")["certified"]["f64"], 0);
  EXPECT_TRUE(of("compile -e 'Q_a' --json --certify")["certified"]["f64"].is_null()) << "no head, no limit";
}

/// No limit is null in every command that tells lengths.
TEST_F(JsonOutput, NoLimitIsNullEverywhere) {
  EXPECT_TRUE(of("compile -e Q_a --certify --json")["certified"]["f32"].is_null());
  EXPECT_TRUE(of("certify -e Q_a --dtype f32 --json")["entries"][0]["length"].is_null());
  EXPECT_TRUE(of("compare -e Q_a --dtype f32 --recipes tight --json")["recipes"][0]["certified"]["f32"].is_null());
  const json decided = of("decide -e Q_a --json");
  bool network = false;
  for (const json& row : decided["architectures"]) {
    if (row["network"].is_null()) continue;
    network = true;
    EXPECT_TRUE(row["network"]["certified"].is_null()) << row;
  }
  EXPECT_TRUE(network);
}

TEST_F(JsonOutput, CheckSaysWhatHolds) {
  ASSERT_EQ(test::shell("quench compile -e 'prev Q_a' -o m.safetensors; quench compile -e 'prev Q_b' -o n.safetensors",
                        directory_.path())
                .exit_code,
            0);
  const json right = of("check m.certificate.json m.safetensors --json");
  EXPECT_EQ(right["accepted"], true);
  EXPECT_EQ(right["computes_rule"], true);
  EXPECT_GT(right["entries"], 0);
  EXPECT_TRUE(right["lengths"].is_string());
  EXPECT_TRUE(right["reason"].is_null());
  std::ofstream(directory_.path() / "bad.json") << "{}";
  const json wrong = of("check bad.json m.safetensors --json");
  EXPECT_EQ(wrong["accepted"], false);
  EXPECT_TRUE(wrong["lengths"].is_null());
  EXPECT_TRUE(wrong["reason"].is_string());
}

TEST_F(JsonOutput, AnswersOfVerifyAreNumbersForBooleansAndTextsForOthers) {
  ASSERT_EQ(test::shell("quench compile -e 'O Q_a' -o once.safetensors", directory_.path()).exit_code, 0);
  EXPECT_EQ(of("verify once.safetensors -e 'O Q_b' --exhaustive 2 --json")["counterexample"]["expected"], 1);
  EXPECT_TRUE(of("verify examples/programs/reverse.srasp --exhaustive 2 --json")["counterexample"].is_null());
}

std::string section_of(const std::string& reference, const std::string& command) {
  const std::size_t begin = reference.find("\n## quench " + command + "\n");
  return begin == std::string::npos ? "" : reference.substr(begin, reference.find("\n## ", begin + 1) - begin);
}

/// The sections of docs/cli.md name the fields; a field that a command prints at the top is among them.
TEST_F(JsonOutput, EveryFieldIsDescribed) {
  const std::string reference = test::read_text(test::source_path("docs/cli.md"));
  ASSERT_EQ(
      test::shell("quench compile -e 'Q_a since Q_b' --weighting hard -o h.safetensors", directory_.path()).exit_code,
      0);
  ASSERT_EQ(test::shell("quench compile -e 'prev Q_a' -o m.safetensors", directory_.path()).exit_code, 0);
  std::ofstream(directory_.path() / "small.json")
      << R"({"name": "small", "about": "one rule", "task": "verify", "seed": 1,
    "rules": [{"name": "r", "text": "prev Q_a"}], "recipes": ["tight"],
    "trials": [{"formats": ["f64"], "engines": ["reference"], "exhaustive": 10}]})";
  const std::vector<std::pair<std::string, std::string>> commands = {
      {"compile", "-e 'prev Q_a' --certify --json"},
      {"certify", "-e 'prev Q_a' --json"},
      {"certify", "-e 'prev Q_a' --length 100 --dtype f64 --json"},
      {"verify", "-e 'prev Q_a' --exhaustive 2 --gap --json"},
      {"verify", "-e 'prev Q_a' --find-failure --longest 10 --json"},
      {"verify", "--regex '.*a' --prove --json"},
      {"compile", "--regex '.*a' --json"},
      {"decide", "--regex '(ab)*' --json"},
      {"diff", "-e Q_a -e Q_b --json"},
      {"trace", "-e 'prev Q_a' ab --json"},
      {"harden", "-e 'prev Q_a' --json"},
      {"soften", "h.safetensors --json"},
      {"eval", "-e Q_a a --json"},
      {"train", "-e Q_a --steps 1 --test-words 2 --length 4 --json"},
      {"bench", "-e 'prev Q_a' --length 1 --dense-length 0 --reference-length 0 --repetitions 1 --json"},
      {"bench attention", "--entropy --score-length 4 --json"},
      {"bench zoo", "--json"},
      {"lab list", "--json"},
      {"compile", "-e 'prev Q_a' -o n.safetensors --json"},
      {"compare", "-e 'prev Q_a' --json"},
      {"export", "-e 'prev Q_a' --decoder --recipe tight --to hf -o folder --json"},
      {"circuits", "--only tomita_1 --pairs 4 -o set --json"},
      {"run", "m.safetensors ab --json"},
      {"show", "-e 'prev Q_a' --format json"},
      {"attend", "-e 'prev Q_a' ab --json"},
      {"verify", "--campaign small.json --json"},
      {"check", "m.certificate.json m.safetensors --json"},
      {"check", "h.safetensors m.safetensors --json"},
      {"eval", "-e Q_a --all 2 --json"},
      {"words", "-e Q_a --count 1 --jsonl"},
  };
  for (const auto& [command, arguments] : commands) {
    std::string section = section_of(reference, command);
    ASSERT_NE(section, "") << command;
    if (section.find("as `quench eval` prints it") != std::string::npos) section += section_of(reference, "eval");
    EXPECT_NE(section.find("\nJSON: "), std::string::npos) << command;
    json printed = of(command + " " + arguments);
    if (printed.is_array()) printed = printed[0];
    ASSERT_TRUE(printed.is_object()) << command;
    for (const auto& [field, value] : printed.items()) {
      if (command == "show" && field != "stage") continue;  // tables by their titles
      EXPECT_NE(section.find("\"" + field + "\""), std::string::npos) << command << " does not describe " << field;
      if (!value.is_array() || value.empty() || !value[0].is_object()) continue;
      for (const auto& item : value[0].items())
        EXPECT_NE(section.find("\"" + item.key() + "\""), std::string::npos)
            << command << ": " << field << "." << item.key();
    }
  }
}

}  // namespace
}  // namespace quench
