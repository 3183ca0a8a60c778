// The command line as a contract: exit codes, JSON fields, and what happens to bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Cli : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  void expect_exit(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  void write(const std::string& name, const std::string& content) {
    std::ofstream(directory_.path() / name, std::ios::binary) << content;
  }
  std::string read(const std::string& name) { return test::read_text(directory_.path() / name); }
  std::vector<std::string> files() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      if (entry.path().filename() != "examples") names.push_back(entry.path().filename().string());
    return names;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Cli, CompileSummarises) {
  const test::Finished finished = run("compile -e 'odd(#<[Q_1])' --recipe 22a --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json summary = json::parse(finished.out);
  EXPECT_EQ(summary["logic"], "TL[#←, +, Mon]");
  EXPECT_EQ(summary["recipe"], "22a");
  EXPECT_EQ(summary["kind"], "τ-SMAT");
  EXPECT_EQ(summary["layers"], 3);
  EXPECT_EQ(summary["heads"], 4);
  EXPECT_EQ(summary["temperature"], json({"1/n", "1/n", "1/n", "1/n"}));
  EXPECT_EQ(summary["position_encodings"], json({"odd(i)", "(-1)^i", "i", "i^2"}));
  for (const char* field : {"width", "parameters", "certified"}) EXPECT_TRUE(summary.contains(field)) << field;
}

TEST_F(Cli, RunAndEvalAgreeAndExitZeroWhateverTheAnswer) {
  for (const char* command : {"run --uncertified", "eval"}) {
    const test::Finished finished = run(std::string(command) + " -e 'odd(#<[Q_1])' --json 0111 0110");
    EXPECT_EQ(finished.exit_code, 0);
    EXPECT_THAT(finished.err, IsEmpty());
    EXPECT_EQ(finished.out,
              "{\"word\":\"0111\",\"n\":4,\"values\":[0,1,0,1],\"accept\":true}\n"
              "{\"word\":\"0110\",\"n\":4,\"values\":[0,1,0,0],\"accept\":false}\n");
  }
}

TEST_F(Cli, ARuleIsCertifiedBeforeItRuns) {
  EXPECT_THAT(run("run -e 'odd(#<[Q_1])' 0111 0110").err, IsEmpty());
  const json certified = json::parse(run("compile -e 'odd(#<[Q_1])' --certify --json").out)["certified_by_summation"];
  const auto longest = certified["bf16"]["normalise-last"].get<std::size_t>();
  const std::string run_in_bf16 = "run -e 'odd(#<[Q_1])' --dtype bf16 ";
  EXPECT_EQ(run(run_in_bf16 + std::string(longest, '1')).exit_code, 0);
  expect_exit(1, run_in_bf16 + std::string(longest + 1, '1'), "refused");
}

TEST_F(Cli, WhereNothingIsCertifiedThereIsOneWarning) {
  const test::Finished finished = run("run -e '#<[Q_a] > #<[Q_b]' --dtype f8e5m2 a ba");
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_EQ(finished.err.find("warning"), finished.err.rfind("warning"));
  EXPECT_THAT(finished.err, HasSubstr("in f8e5m2 no length is certified: "));
  EXPECT_THAT(run("run -e '#<[Q_a] > #<[Q_b]' --dtype f8e5m2 a --uncertified").err, IsEmpty());
}

TEST_F(Cli, RulesThatLookMistakenAreWarnedOfWhereverTheyAreTyped) {
  for (const std::string command : {"compile -e 'Q_a since Q_b'", "run -e 'Q_a since Q_b' ab",
                                    "eval -e 'Q_a since Q_b' ab", "trace -e 'Q_a since Q_b' ab"}) {
    const test::Finished linted = run(command), quiet = run(command + " --no-lint");
    EXPECT_EQ(linted.exit_code, 0) << command;
    EXPECT_THAT(linted.err, HasSubstr("W001")) << command;
    EXPECT_EQ(linted.out, quiet.out) << command;
    EXPECT_THAT(quiet.err, IsEmpty()) << command;
  }
}

TEST_F(Cli, SavedModelsRunLikeTheirSource) {
  ASSERT_EQ(run("compile examples/formulas/dyck_1.tl -o dyck.safetensors").exit_code, 0);
  const std::string words = " '(()())' '())(' '(' '(())' --json --uncertified";
  EXPECT_EQ(run("run dyck.safetensors" + words).out, run("run examples/formulas/dyck_1.tl" + words).out);
  EXPECT_EQ(run("verify dyck.safetensors examples/formulas/dyck_1.tl --exhaustive 6").exit_code, 0);
}

TEST_F(Cli, ModelsAreKnownByTheirContent) {
  ASSERT_EQ(run("compile -e 'Q_a S Q_b' -o rule").exit_code, 0);
  EXPECT_EQ(run("run --uncertified rule ba --json").out, run("run --uncertified -e 'Q_a S Q_b' ba --json").out);
  expect_exit(2, "show rule", "rule is a compiled model; give the rule it came from");
  expect_exit(2, "compile rule", "rule is a compiled model");
}

TEST_F(Cli, WordsFromAFileAndFromStandardInput) {
  write("words.txt", "ab\nba\r\nb\n");
  const std::string expected = run("eval -e 'Q_a' ab ba b").out;
  EXPECT_EQ(run("eval -e 'Q_a' --input words.txt").out, expected);
  EXPECT_EQ(test::shell("printf 'ab\\nba\\nb\\n' | quench eval -e 'Q_a' --input -", directory_.path()).out, expected);
}

TEST_F(Cli, VerifyFindsTheSmallestCounterexampleAndExitsOne) {
  ASSERT_EQ(run("compile -e 'O Q_a' -o once.safetensors").exit_code, 0);
  const test::Finished finished = run("verify once.safetensors -e 'O (Q_a & prev prev Q_b)' --random 100x50 --json");
  EXPECT_EQ(finished.exit_code, 1);
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["words"], 100);
  EXPECT_GT(report["differences"], 0);
  EXPECT_EQ(report["counterexample"], json({{"word", "a"}, {"position", 1}, {"expected", 0}, {"got", 1}}));
}

TEST_F(Cli, VerificationDoesNotDependOnTheThreads) {
  ASSERT_EQ(run("compile -e 'O Q_a' -o once.safetensors").exit_code, 0);
  const std::string arguments = "verify once.safetensors -e 'O Q_b' --exhaustive 5 --random 300x40 --json --threads ";
  EXPECT_EQ(run(arguments + "1").out, run(arguments + "3").out);
}

TEST_F(Cli, ShowPrintsEveryStageInEveryFormat) {
  for (const char* stage : {"ast", "ir", "schedule", "layout", "model"})
    for (const char* format : {"text", "dot", "latex", "json"}) {
      const test::Finished finished =
          run(std::string("show -e '#<[prev Q_a] >= 2*#>[Q_b] | Q_a S Q_b' --stage ") + stage + " --format " + format);
      EXPECT_EQ(finished.exit_code, 0) << stage << " " << format << finished.err;
      EXPECT_GT(finished.out.size(), 30u) << stage << " " << format;
      if (std::string(format) == "json") {
        EXPECT_TRUE(json::accept(finished.out)) << stage;
      }
      if (std::string(format) == "dot") {
        EXPECT_THAT(finished.out, HasSubstr("digraph"));
      }
    }
}

TEST_F(Cli, TraceAblatesAndPatches) {
  const std::string trace = "trace -e 'Q_c S Q_b' --recipe 15a ";
  const auto outputs = [&](const std::string& more) {
    const test::Finished finished = run(trace + more + " --json");
    EXPECT_EQ(finished.exit_code, 0) << finished.err;
    return finished.exit_code == 0 ? json::parse(finished.out)["outputs"] : json();
  };
  EXPECT_EQ(outputs("bcc"), json({1.0, 1.0, 1.0}));
  EXPECT_EQ(outputs("bcc --ablate 0.0"), json({0.0, 0.0, 0.0}));
  EXPECT_EQ(outputs("acc"), json({0.0, 0.0, 0.0}));
  EXPECT_EQ(outputs("acc --patch 'Q_b=1@1'"), json({1.0, 1.0, 1.0}));
  expect_exit(2, trace + "bcc --ablate 7.0", "layer");
  expect_exit(2, trace + "bcc --patch 'nothing=1@1'", "nothing");
  expect_exit(2, trace + "bcc --patch 'Q_b=1@9'", "position");
  ASSERT_EQ(run(trace + "bcc -o trace.json").exit_code, 0);
  EXPECT_TRUE(json::accept(read("trace.json")));
}

TEST_F(Cli, AttendDrawsInTheTerminalAndAsSvg) {
  EXPECT_THAT(run("attend -e 'Q_c S Q_b' bcc").out, HasSubstr("head 0"));
  ASSERT_EQ(run("attend -e 'Q_c S Q_b' bcc --svg head.svg").exit_code, 0);
  EXPECT_THAT(read("head.svg"), HasSubstr("<svg"));
  const std::string rule = "-e '(Q_c S Q_b) & #<[Q_b] > 1 & prev Q_b'";
  const std::string model = run("compile " + rule + " --json").out;
  const auto heads = json::parse(model)["heads"].get<std::size_t>();
  ASSERT_GT(heads, 1u);
  const std::string all = run("attend " + rule + " bcc").out;
  const auto occurrences = [](const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
    return count;
  };
  EXPECT_EQ(occurrences(all, "layer "), heads);
  EXPECT_EQ(occurrences(all, "rows: queries"), 1u);
  ASSERT_EQ(run("attend " + rule + " bcc --svg all.svg").exit_code, 0);
  EXPECT_EQ(occurrences(read("all.svg"), "key position"), heads);
  const json numbers = json::parse(run("attend " + rule + " bcc --json").out);
  EXPECT_EQ(numbers["word"], "bcc");
  EXPECT_EQ(numbers["symbols"], json({"b", "c", "c"}));
  ASSERT_EQ(numbers["heads"].size(), heads);
  EXPECT_EQ(numbers["heads"][0]["layer"], 0);
  EXPECT_EQ(numbers["heads"][0]["head"], 0);
  ASSERT_EQ(numbers["heads"][0]["weights"].size(), 3u);
  EXPECT_EQ(json::parse(run("attend " + rule + " bcc --layer 0 --head 0 --json").out)["heads"].size(), 1u);
  expect_exit(2, "attend -e 'Q_c S Q_b' bcc --layer 4", "layer");
  expect_exit(2, "attend -e 'Q_a' a", "no attention heads");
}

TEST_F(Cli, WordsAreLabelledAndBalancedAndReproducible) {
  const test::Finished finished = run("words -e '#<[Q_1] > #<[Q_0]' --count 40 --length 1-20 --balanced --jsonl");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  std::istringstream lines(finished.out);
  int accepted = 0, all = 0;
  for (std::string line; std::getline(lines, line); ++all) accepted += json::parse(line)["accept"].get<bool>();
  EXPECT_EQ(all, 40);
  EXPECT_EQ(accepted, 20);
  EXPECT_EQ(run("words -e 'Q_a' --seed 3").out, run("words -e 'Q_a' --seed 3").out);
  expect_exit(2, "words -e 'true' --balanced --count 2", "found only");
  expect_exit(2, "words -e 'true' --length 0", "--length");
  expect_exit(2, "words -e 'true' --length 5-3", "--length");
}

TEST_F(Cli, ErrorsInTheTextExitTwoAllAtOnce) {
  write("bad.tl", "let p = Q_a &\nlet q = prevv Q_b;\nfoo | Q_a");
  const test::Finished finished = run("compile bad.tl");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("bad.tl:2"));
  EXPECT_THAT(finished.err, HasSubstr("bad.tl:3"));
  EXPECT_THAT(finished.err, HasSubstr("^"));
  expect_exit(2, "compile -e 'Q_a <= 3'", "E0");
  expect_exit(2, "eval -e '#<[Q_a]' a", "E0");
}

TEST_F(Cli, RecipeErrorsNameTheSubformulaAndTheWayOut) {
  expect_exit(2, "compile -e 'Q_a & next Q_b' --recipe 16a", "next Q_b");
  expect_exit(2, "compile -e 'Q_a & next Q_b' --recipe 16a", "12a 12b 17a 17b 22a 22b");
  expect_exit(2, "compile -e 'Q_a & F Q_b' --decoder", "F Q_b");
  expect_exit(2, "compile -e '#<[Q_a] > 1' --recipe paper --sharpen position", "E102");
  expect_exit(2, "compile -e 'prev Q_a' --recipe 12a --sharpen position", "E102");
  expect_exit(2, "compile -e 'prev Q_a' --recipe 12a --decoder", "E102");
  expect_exit(2, "compile -e 'prev Q_a' --recipe 99z", "--recipe: \"99z\" is not one of auto, paper");
  expect_exit(2, "compile -e 'prev Q_a' --gamma 2.7", "--gamma: \"2.7\" is not a number from ln 16 = 2.7726");
  expect_exit(2, "compile -e 'prev Q_a' --gamma nan", "gamma");
  expect_exit(2, "compile -e '9007199254740993*#<[Q_a] > #<[Q_b]'", "E106");
}

TEST_F(Cli, RecipeChoiceFollowsTheTable) {
  const auto recipe = [&](const std::string& arguments) {
    return json::parse(run("compile --recipe paper --json " + arguments).out)["recipe"].get<std::string>();
  };
  EXPECT_EQ(recipe("-e 'prev Q_a'"), "13a");
  EXPECT_EQ(recipe("-e 'prev Q_a' --sharpen position"), "13b");
  EXPECT_EQ(recipe("-e 'O Q_a'"), "16a");
  EXPECT_EQ(recipe("-e 'O prev Q_a'"), "18a");
  EXPECT_EQ(recipe("-e 'next Q_a'"), "12a");
  EXPECT_EQ(recipe("-e 'F Q_a' --sharpen position"), "15b");
  EXPECT_EQ(recipe("-e 'F prev Q_a'"), "17a");
  EXPECT_EQ(recipe("-e '#<[Q_a] > 1'"), "21");
  EXPECT_EQ(recipe("-e '#<[prev Q_a] > 1'"), "23");
  EXPECT_EQ(recipe("-e '#<[prev Q_a] > 1' --decoder"), "23");
  EXPECT_EQ(recipe("-e '#>[Q_a] > 1'"), "20a");
  EXPECT_EQ(recipe("-e '#[Q_a] > 1' --sharpen position"), "20b");
  EXPECT_EQ(recipe("-e '#>[prev Q_a] > 1'"), "22a");
}

TEST_F(Cli, BadWords) {
  expect_exit(2, "eval -e Q_a ''", "empty");
  expect_exit(2, "run -e Q_a ''", "empty");
  expect_exit(2, "eval -e Q_a \"$(printf 'a\\377b')\"", "UTF-8");
  expect_exit(2, "run -e Q_a \"$(printf 'a\\377b')\"", "UTF-8");
  expect_exit(2, "run -e Q_a", "no word");
  expect_exit(2, "eval -e 'pred p(i) = 1/(i-2) > 0; p' aaa", "p");
  expect_exit(2, "run -e 'pred p(i) = 1/(i-2) > 0; p' aaa", "p");
}

TEST_F(Cli, BadFilesExitThree) {
  expect_exit(3, "compile missing.tl", "missing.tl");
  expect_exit(3, "compile examples", "directory");
  expect_exit(3, "run missing.safetensors a", "missing.safetensors");
  expect_exit(3, "eval -e Q_a --input missing.txt", "missing.txt");
  write("empty.safetensors", "");
  expect_exit(3, "run empty.safetensors a", "empty.safetensors");
  write("noise.safetensors", std::string(100, '\xff'));
  expect_exit(3, "run noise.safetensors a", "noise.safetensors");
  ASSERT_EQ(run("compile -e 'prev Q_a' -o good.safetensors").exit_code, 0);
  const std::string good = read("good.safetensors");
  write("cut.safetensors", good.substr(0, good.size() - 8));
  expect_exit(3, "run cut.safetensors a", "cut.safetensors");
  expect_exit(2, "run good.safetensors --recipe 12a a", "compiled already");
}

TEST_F(Cli, NothingHalfWrittenStaysBehind) {
  expect_exit(3, "compile -e 'prev Q_a' -o nowhere/model.safetensors", "nowhere");
  expect_exit(3, "trace -e 'prev Q_a' ab -o nowhere/trace.json", "nowhere");
  expect_exit(3, "attend -e 'prev Q_a' ab --svg nowhere/head.svg", "nowhere");
  EXPECT_THAT(files(), IsEmpty());
  EXPECT_EQ(test::shell("quench eval -e Q_a a >/dev/full", directory_.path()).exit_code, 3);
}

TEST_F(Cli, BadArgumentsExitTwo) {
  for (const char* arguments : {"", "frobnicate", "compile", "compile --recipe", "run -e Q_a --dtype f12 a",
                                "run -e Q_a --engine warp a", "show -e Q_a --stage soup", "verify -e Q_a --random 5",
                                "verify -e Q_a --random 0x9", "verify -e Q_a --exhaustive 60", "explain E999"})
    EXPECT_EQ(run(arguments).exit_code, 2) << arguments;
  EXPECT_EQ(run("--version").exit_code, 0);
  EXPECT_EQ(run("--help").exit_code, 0);
}

TEST_F(Cli, EveryNumberFormatRuns) {
  for (const char* dtype : {"f64", "f32", "bf16", "f16", "bf16-pure", "f16-pure", "f8e4m3", "f8e5m2"}) {
    const test::Finished finished = run(std::string("run --uncertified -e 'O Q_a' ba ab --dtype ") + dtype);
    EXPECT_EQ(finished.exit_code, 0) << dtype << finished.err;
    EXPECT_EQ(finished.out, "ba   01   accept\nab   11   accept\n") << dtype;
  }
}

}  // namespace
}  // namespace quench
