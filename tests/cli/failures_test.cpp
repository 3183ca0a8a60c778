// How failures are told: to people, and with --json to programs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Failures : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  /// The error on the last line of standard output.
  json error_of(const std::string& arguments, int exit) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, exit) << arguments << "\n" << finished.err;
    const std::string lines =
        finished.out.substr(0, finished.out.size() - std::min<std::size_t>(finished.out.size(), 1));
    const json told = json::parse(lines.substr(lines.rfind('\n') + 1), nullptr, false);
    if (told.is_discarded() || !told.contains("error")) {
      ADD_FAILURE() << arguments << " prints " << finished.out;
      return {};
    }
    EXPECT_EQ(told["error"]["exit"], exit) << arguments;
    const std::string message = told["error"]["message"];
    EXPECT_THAT(finished.err, HasSubstr(message)) << "people are told as well";
    return told["error"];
  }
  test::TemporaryDirectory directory_;
};

TEST_F(Failures, AreObjectsWithJson) {
  EXPECT_EQ(error_of("eval -e Q_a --json --nonsense a", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("eval -e Q_a --nonsense a --json", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("complie --json", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("run --uncertified -e Q_a --json --dtype f12 a", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("run --uncertified -e Q_a --json", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("words -e Q_a --jsonl --length 0", 2)["kind"], "arguments");
  EXPECT_EQ(error_of("run missing.safetensors a --json", 3)["kind"], "files");
  EXPECT_EQ(error_of("eval -e Q_a --json --input missing.txt", 3)["kind"], "files");
  EXPECT_FALSE(error_of("eval -e Q_a --json", 2).contains("diagnostics"));
}

TEST_F(Failures, OfTheTextHaveTheirPlaces) {
  const json error = error_of("compile --json -e 'let p = Q_a &\nlet q = prevv Q_b;\nfoo | Q_a'", 2);
  EXPECT_EQ(error["kind"], "text");
  ASSERT_GE(error["diagnostics"].size(), 2u);
  for (const json& one : error["diagnostics"]) {
    EXPECT_EQ(one["code"].get<std::string>()[0], 'E');
    for (const char* field : {"line", "column"}) EXPECT_GE(one[field], 1);
    for (const char* field : {"message", "help"}) EXPECT_TRUE(one[field].is_string()) << field;
  }
  EXPECT_EQ(error["diagnostics"].back()["line"], 3);
  EXPECT_EQ(error["message"], error["diagnostics"][0]["message"]);
}

TEST_F(Failures, OfOptionsDoNotBlameTheRule) {
  for (const char* arguments : {"compile -e 'prev Q_a' --recipe tigth", "compare -e 'prev Q_a' --recipes tight,papr",
                                "compile -e 'prev Q_a' --gamma 1", "compile -e 'prev Q_a' --gamma x",
                                "compile -e 'prev Q_a' --gamma 1e999", "compile -e 'prev Q_a' --gamma nan"}) {
    const json error = error_of(std::string(arguments) + " --json", 2);
    EXPECT_EQ(error["kind"], "arguments") << arguments;
    const std::string message = error["message"];
    EXPECT_EQ(message.rfind(message.find("gamma") < 3 ? "--gamma: \"" : "--recipe", 0), 0u) << message;
    EXPECT_THAT(run(arguments).err, ::testing::Not(HasSubstr("-e:1"))) << arguments;
  }
  EXPECT_THAT(run("compare -e 'prev Q_a' --recipes tight,papr").err, HasSubstr("\"papr\" is not one of"));
}

/// The option knows every recipe that a rule of some kind may have.
TEST_F(Failures, NoRecipeThereIsIsAMisspeltOne) {
  for (const char* rule : {"-e 'prev Q_a'", "--regex '(ab)*'", "examples/programs/dyck_1_depth_2.brasp",
                           "examples/programs/reverse.srasp"}) {
    const json compared = json::parse(run(std::string("compare --json --dtype f32 ") + rule).out);
    std::string all;
    for (const char* list : {"recipes", "uncovered"})
      for (const json& row : compared[list]) all += (all.empty() ? "" : ",") + row["recipe"].get<std::string>();
    EXPECT_LE(run("compare --json --dtype f32 " + std::string(rule) + " --recipes " + all).exit_code, 1) << all;
  }
}

TEST_F(Failures, OfAFormatThatIsJsonAreObjectsToo) {
  EXPECT_EQ(error_of("show --format json -e 'Q_a &'", 2)["kind"], "text");
  EXPECT_EQ(error_of("show -e 'Q_a' --format=json --stage nonsense", 2)["kind"], "arguments");
  EXPECT_EQ(run("show -e 'Q_a &' --format text").out, "");
}

TEST_F(Failures, OfWordsInAFileNameTheirLine) {
  std::ofstream(directory_.path() / "blank.txt") << "req\n   \n";
  std::ofstream(directory_.path() / "bytes.txt") << "a\na\xff\n";
  std::ofstream(directory_.path() / "other.txt") << "a\nab\n";
  for (const std::string command : {"eval", "run --uncertified"}) {
    EXPECT_THAT(run(command + " -e Q_req --input blank.txt").err, HasSubstr("blank.txt:2: the empty word")) << command;
    EXPECT_THAT(run(command + " -e Q_a --input bytes.txt").err, HasSubstr("bytes.txt:2: the word is not valid UTF-8"))
        << command;
    EXPECT_THAT(run(command + " -e Q_a --strict --input other.txt").err,
                HasSubstr("other.txt:2: the word 'ab' has 'b'"))
        << command;
    EXPECT_THAT(run(command + " -e Q_a --strict b").err, HasSubstr("error: the word 'b' has 'b'")) << command;
  }
}

TEST_F(Failures, RefusalsAreObjectsAndFindingsAreNot) {
  ASSERT_EQ(run("compile -e 'prev Q_a' -o m.safetensors").exit_code, 0);
  const json refused = error_of("run m.safetensors --json --dtype bf16 " + std::string(300, 'a'), 1);
  EXPECT_EQ(refused["kind"], "refused");
  EXPECT_THAT(refused["message"].get<std::string>(), HasSubstr("a word of length 300"));
  const test::Finished differs = run("diff -e Q_a -e Q_b --json");
  EXPECT_EQ(differs.exit_code, 1);
  EXPECT_FALSE(json::parse(differs.out).contains("error"));
}

TEST_F(Failures, ComeAfterTheAnswersThatWereGiven) {
  const test::Finished finished = run("eval -e Q_a --json ab ''");
  EXPECT_EQ(finished.exit_code, 2);
  const std::size_t end = finished.out.find('\n');
  EXPECT_EQ(json::parse(finished.out.substr(0, end))["word"], "ab");
  EXPECT_TRUE(json::parse(finished.out.substr(end)).contains("error"));
}

TEST_F(Failures, AreNoObjectsOtherwise) {
  EXPECT_EQ(run("eval -e Q_a --nonsense a").out, "");
  EXPECT_EQ(run("eval -e --json").out, "") << "--json is the rule here";
  EXPECT_EQ(run("eval -e 'Q_a &' -- --json").out, "") << "and a word here";
  EXPECT_THAT(run("verify -e 'Q_a' --exhaustive 2 --json").out, ::testing::Not(HasSubstr("error")));
}

TEST_F(Failures, OfBytesThatAreNoTextAreStillJson) {
  EXPECT_EQ(error_of("eval -e Q_a --json \"$(printf 'a\\377b')\"", 2)["kind"], "arguments");
  EXPECT_EQ(test::shell("quench eval -e Q_a --json --nonsense >/dev/full", directory_.path()).exit_code, 2);
}

}  // namespace
}  // namespace quench
