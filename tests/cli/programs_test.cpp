// Every command on programs, as on formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ProgramCli : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  std::string out(const std::string& arguments) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << arguments << "\n" << finished.err;
    return finished.out;
  }
  void expect_exit(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }

  test::TemporaryDirectory directory_;
  const std::string reverse_ = "examples/programs/reverse.srasp ";
  const std::string head_ = "examples/programs/induction_head.brasp ";
};

TEST_F(ProgramCli, ExportedProgramsAreMadeForTheContext) {
  const auto longest = [&](const std::string& options) {
    out("export " + head_ + "--decoder --to hf --context 64 -o folder " + options);
    return json::parse(out("certify folder/quench.safetensors --dtype f32 --json"))["entries"][0]["length"]
        .get<std::size_t>();
  };
  EXPECT_EQ(longest(""), 64u);
  EXPECT_EQ(longest("--length 100"), 128u);  // a power of two
}

TEST_F(ProgramCli, RunAndEvalAgreeForEverySortOfOutput) {
  for (const std::string arguments :
       {"examples/programs/dyck_2.srasp --json '([])' '(('", "examples/programs/reverse.srasp --json abc",
        "examples/programs/copy_first_half.srasp --json abca", "examples/programs/histogram.srasp --json abaa",
        "examples/programs/frac_prevs.srasp --json xaxx", "examples/programs/ngram_toy.brasp --json 'a b a'",
        "examples/programs/ngram_toy.brasp 'a b a'"}) {
    const std::string expected = out("eval " + arguments);
    for (const char* engine : {"auto", "reference", "dense", "structured"})
      EXPECT_EQ(out("run --uncertified --engine " + std::string(engine) + " " + arguments), expected) << engine;
    EXPECT_EQ(out("run --uncertified --weighting hard " + arguments), expected);
  }
}

/// One character per symbol only if every symbol of the rule is one, whichever of them are put out.
TEST_F(ProgramCli, AnAnswerLooksTheSameWhoeverGivesIt) {
  const std::string rule = "-e \"out(i) = in(i) = 'foo' ? 'b' : \\\"xy\\\"\" ";
  EXPECT_THAT(out("eval " + rule + "'foo b q'"), HasSubstr("   b x y x y\n"));
  for (const std::string how : {"", "--json ", "--engine reference "}) {
    const std::string format = how == "--json " ? how : "";
    EXPECT_EQ(out("run --uncertified " + how + rule + "'foo b q'"), out("eval " + format + rule + "'foo b q'"));
  }
  const std::string other = "-e \"out(i) = in(i) = 'foo' ? 'b' : \\\"yx\\\"\" ";
  EXPECT_THAT(run("diff " + rule + other).out, HasSubstr("x y"));
}

TEST_F(ProgramCli, ConstantsOfAnySizeAreCompiledRunVerifiedShownAndSoftened) {
  for (const std::string rule :
       {"out(i) = pos(i) > 4", "out(i) = pos(i) <= 7", "out(i) = pos(i) != 9", "out(i) = pos(i) > 100",
        "out(i) = pos(i) < 9007199254740992", "out(i) = leftmost j [4 = pos(j)] Q_a(j) : false"}) {
    const std::string source = "-e '" + rule + "' ";
    out("compile " + source + "-o m.safetensors");
    EXPECT_EQ(out("run --uncertified " + source + "aaaaaaaaaaaa"), out("eval " + source + "aaaaaaaaaaaa")) << rule;
    EXPECT_THAT(out("verify " + source + "--exhaustive 6"), HasSubstr(" 0 differences")) << rule;
    out("show " + source);
    out("compile --weighting hard " + source + "-o hard.safetensors");
    out("soften hard.safetensors --length 5 -o soft.safetensors");
  }
  expect_exit(2, "compile -e 'out(i) = psum j [j <= i] 5000000000'", "E126");
}

TEST_F(ProgramCli, OutputsInJson) {
  const auto output = [&](const std::string& arguments) {
    return json::parse(out("eval --json " + arguments))["output"];
  };
  EXPECT_EQ(output(reverse_ + "abc"), "cba");
  EXPECT_EQ(output("examples/programs/histogram.srasp abaa"), json({3, 1, 3, 3}));
  EXPECT_EQ(output("examples/programs/frac_prevs.srasp xa"), json({1.0, 0.5}));
  const json scores = output("examples/programs/ngram_toy.brasp a");
  ASSERT_EQ(scores.size(), 1u);
  EXPECT_EQ(scores[0], json({{"</s>", -0.875061}, {"a", -0.79588}, {"b", -0.154902}}));
}

TEST_F(ProgramCli, SavedModelsRunLikeTheirSource) {
  for (const std::string name :
       {"reverse.srasp", "dyck_1.srasp", "histogram.srasp", "ngram_toy.brasp", "frac_prevs.srasp"}) {
    const std::string source = "examples/programs/" + name;
    out("compile " + source + " -o model.safetensors");
    EXPECT_EQ(out("run model.safetensors --uncertified --json 'a'"),
              out("run " + source + " --uncertified --json 'a'"));
    EXPECT_THAT(out("verify model.safetensors " + source + " --exhaustive 4"), HasSubstr(" 0 differences"));
    EXPECT_THAT(out("verify model.safetensors " + source + " --exhaustive 3 --weighting hard"),
                HasSubstr(" 0 differences"));
  }
}

TEST_F(ProgramCli, TheHardAttentionNetworkItselfCanBeSaved) {
  const std::string source = "examples/programs/dyck_1.srasp";
  const json summary = json::parse(out("compile " + source + " --weighting hard -o ahat.safetensors --json"));
  EXPECT_EQ(summary["kind"], "AHAT");
  EXPECT_EQ(out("run ahat.safetensors --uncertified '(())' '())('"), out("eval " + source + " '(())' '())('"));
  EXPECT_THAT(out("verify ahat.safetensors " + source + " --exhaustive 7 --engine reference"),
              HasSubstr(" 0 differences"));
  EXPECT_EQ(json::parse(out("compile examples/programs/flip_flop.brasp --weighting hard --json"))["kind"], "UHAT");
}

TEST_F(ProgramCli, VerifyFindsAndShrinksACounterexampleWhateverTheThreads) {
  out("compile -e \"alphabet {'a','b','c'}; l(i) = rightmost j [true] pos(j) : 0; s(i) = l(i) + 1 - pos(i); out(i) = "
      "rightmost j [true, pos(j) = s(i)] in(j) : '?'\" -o model.safetensors");
  const std::string rule =
      " -e \"alphabet {'a','b','c'}; l(i) = rightmost j [true] in(j) : '?'; out(i) = rightmost j [j < i] "
      "in(j) : l(i)\" --random 40x30 --json";
  std::string first;
  for (const char* threads : {"1", "2", "3"}) {
    const test::Finished finished = run("verify model.safetensors" + rule + " --threads " + threads);
    EXPECT_EQ(finished.exit_code, 1) << finished.err;
    if (first.empty()) first = finished.out;
    EXPECT_EQ(finished.out, first);
  }
  const json report = json::parse(first);
  EXPECT_EQ(report["words"], 40);
  // Reversal and rotation agree on words of two symbols; on three they first differ in the middle.
  EXPECT_EQ(report["counterexample"]["word"].get<std::string>().size(), 3u);
}

TEST_F(ProgramCli, VerifyRefusesAModelOfAnotherKind) {
  out("compile " + reverse_ + "-o model.safetensors");
  expect_exit(2, "verify model.safetensors examples/programs/dyck_1.srasp", "of the kind \"string\"");
}

TEST_F(ProgramCli, VerifyLooksForFailuresOfPrograms) {
  EXPECT_THAT(out("verify " + reverse_ + "--find-failure --longest 12"),
              StartsWith("no failure found in f64 up to n = 12 "));
  const test::Finished found = run("verify examples/programs/dyck_2.srasp --find-failure --longest 64 --dtype bf16");
  EXPECT_EQ(found.exit_code, 1) << found.out << found.err;
}

TEST_F(ProgramCli, VerifyMeasuresTheGap) {
  const json report = json::parse(out("verify examples/programs/dyck_1.srasp --exhaustive 3 --gap --json"));
  ASSERT_FALSE(report["gaps"].empty());
  double smallest = 100;
  for (const json& head : report["gaps"]) {
    EXPECT_GE(head["gap_n3"].get<double>(), 0.5 - 1e-9) << head;
    smallest = std::min(smallest, head["gap_n3"].get<double>());
  }
  EXPECT_NEAR(smallest, 0.5, 1e-9);
}

TEST_F(ProgramCli, ShowHasEveryStageAndFormat) {
  for (const char* stage : {"ast", "ir", "schedule", "layout", "model"})
    for (const char* format : {"text", "dot", "latex", "json"}) {
      const std::string shown =
          out("show examples/programs/dyck_1.srasp --stage " + std::string(stage) + " --format " + format);
      EXPECT_FALSE(shown.empty());
      if (std::string(format) == "json") {
        EXPECT_TRUE(json::accept(shown)) << stage;
      }
      if (std::string(format) == "dot") {
        EXPECT_THAT(shown, StartsWith("digraph"));
      }
    }
  const std::string ast = out("show " + head_ + "--stage ast");
  EXPECT_EQ(ast,
            "alphabet {'a', 'b', 'c', '?'}\nbefore(i) = rightmost j [j < i] in(j) : '?'\n"
            "out(i) = rightmost j [j <= i, before(j) = in(i)] in(j) : '?'\n");
  EXPECT_EQ(out("show " + head_ + "--stage ast --format latex"),
            "\\begin{align*}\n  \\mathit{before}(i) &= \\blacktriangleright \\ j\\ [j\\ <\\ i]\\ \\mathit{in}(j)\\ :\\ "
            "\\texttt{?} \\\\\n  \\mathit{out}(i) &= \\blacktriangleright \\ j\\ [j\\ \\le \\ i,\\ "
            "\\mathit{before}(j)\\ =\\ \\mathit{in}(i)]\\ \\mathit{in}(j)\\ :\\ \\texttt{?} \\\\\n\\end{align*}\n");
  EXPECT_EQ(out("show " + head_ + "--stage ast --format dot"),
            "digraph program {\n  node [shape=box, fontname=\"monospace\"];\n"
            "  v0 [label=\"before(i) = rightmost j [j < i] in(j) : '?'\"];\n"
            "  v1 [label=\"out(i) = rightmost j [j <= i, before(j) = in(i)] in(j) : '?'\", peripheries=2];\n"
            "  v1 -> v0;\n}\n");
  const json tree = json::parse(out("show " + head_ + "--stage ast --format json"));
  EXPECT_EQ(tree["vectors"].size(), 2u);
  EXPECT_EQ(tree["vectors"][1]["kind"], "rightmost");
  EXPECT_EQ(tree["vectors"][1]["mask"], "j <= i");
  EXPECT_EQ(tree["outputs"], json({1}));
  for (const json& expression : tree["expressions"])
    for (const json& operand : expression["args"]) EXPECT_LT(operand, expression["id"]);
}

TEST_F(ProgramCli, TraceNamesTheVectors) {
  EXPECT_THAT(out("trace " + head_ + "aba"), HasSubstr("out = a"));
  const json trace = json::parse(out("trace " + reverse_ + "ab --json"));
  EXPECT_TRUE(trace.is_object());
  EXPECT_NE(out("trace " + head_ + "aba --json --ablate 0.0"), out("trace " + head_ + "aba --json"));
  expect_exit(2, "trace " + head_ + "aba --ablate 9.9", "");
}

TEST_F(ProgramCli, AttendDrawsTheHeadsOfAProgram) {
  EXPECT_THAT(out("attend " + head_ + "abab --layer 1 --head 0 --ascii"), HasSubstr("layer 1, head 0"));
  out("attend " + reverse_ + "abc --svg picture.svg");
  EXPECT_THAT(test::read_text(directory_.path() / "picture.svg"), HasSubstr("<svg"));
}

TEST_F(ProgramCli, WordsLabelsByWhatIsPutOut) {
  const std::string lines = out("words " + reverse_ + "--count 5 --length 4 --jsonl --mentioned");
  std::istringstream each(lines);
  int count = 0;
  for (std::string line; std::getline(each, line); ++count) {
    const json entry = json::parse(line);
    const std::string word = entry["word"];
    EXPECT_EQ(entry["output"], std::string(word.rbegin(), word.rend()));
  }
  EXPECT_EQ(count, 5);
  EXPECT_THAT(out("words examples/programs/dyck_1.srasp --count 4 --length 4 --balanced --mentioned"),
              HasSubstr("\t1"));
  expect_exit(2, "words " + reverse_ + "--count 5 --length 4 --balanced", "accept or reject");
}

TEST_F(ProgramCli, TranslateToLtlAndBack) {
  const std::string formula = out("translate examples/programs/detect_pattern.brasp --to ltl");
  std::ofstream(directory_.path() / "pattern.tl") << formula;
  EXPECT_THAT(out("diff pattern.tl examples/programs/detect_pattern.brasp"), HasSubstr("no difference"));
  std::ofstream(directory_.path() / "again.brasp") << out("translate pattern.tl --to brasp");
  EXPECT_THAT(out("diff again.brasp examples/programs/detect_pattern.brasp"), HasSubstr("no difference"));
  expect_exit(2, "translate " + reverse_ + "--to ltl", "E124");
  expect_exit(2, "translate -e \"score['a'](i) = 0.5\" --to ltl", "E124");
  expect_exit(2, "translate examples/programs/frac_prevs.srasp --to ltl", "E124");
  expect_exit(2, "translate -e '#<[Q_a] >= 2' --to brasp", "E124");
}

TEST_F(ProgramCli, DiffGivesTheSmallestWord) {
  const test::Finished finished = run("diff examples/programs/dyck_1.srasp examples/programs/dyck_1_depth_2.brasp");
  EXPECT_EQ(finished.exit_code, 1);
  EXPECT_THAT(finished.out, HasSubstr("'((()))'"));
  EXPECT_EQ(run("diff examples/programs/dyck_1.srasp examples/formulas/dyck_1.tl").exit_code, 0);
  expect_exit(2, "diff " + reverse_ + "examples/programs/dyck_1.srasp", "different sorts");
  EXPECT_EQ(run("diff -e 'out(i) = 0.5' examples/programs/frac_prevs.srasp").exit_code, 1);
}

TEST_F(ProgramCli, BenchZooComparesSizes) {
  const json zoo = json::parse(out("bench zoo --json"));
  std::size_t compared = 0;
  for (const json& row : zoo["programs"]) {
    if (row["tracr"].is_null()) continue;
    ++compared;
    EXPECT_LT(row["width"], row["tracr"]["width"]) << row;
    EXPECT_LT(row["parameters"], row["tracr"]["parameters"]) << row;
    EXPECT_EQ(row["not_smaller"] == "", row["layers"] < row["tracr"]["layers"]) << row;
  }
  EXPECT_EQ(compared, 6u);
  EXPECT_GE(zoo["programs"].size(), 38u);
  EXPECT_THAT(out("bench zoo"), HasSubstr("shuffle_dyck_2"));
}

TEST_F(ProgramCli, BadProgramsAreReportedWithTheirPlace) {
  expect_exit(2, "run -e 'out(i) = p(i)' a", "E202");
  expect_exit(2, "run -e 'p(i) = q(i); q(i) = p(i)' a", "E203");
  expect_exit(2, "run -e 'out(i) = in(i) and true' a", "E204");
  expect_exit(2, "run -e 'fun f(x, y) = x; out(i) = f(true)' a", "E206");
  expect_exit(2, "run -e 'out(i) = rightmost j [j < i] Q_a(j)' a", "E209");
  expect_exit(2, "compile -e 'out(i) = rightmost j [true, pos(j) < pos(i)] true : false'", "E125");
  expect_exit(2, "compile -e 'out(i) = pos(i) > 1' --recipe 12a", "E123");
  expect_exit(2, "compile -e 'out(i) = pos(i) > 1' --recipe sarsp", "did you mean srasp?");
  expect_exit(2, "compile -e 'out(i) = pos(i) > 1' --recipe sarsp", "did you mean srasp?");
  expect_exit(2, "compile -e 'out(i) = Q_a(i)' --recipe brsap-b", "did you mean brasp-b?");
}

TEST_F(ProgramCli, TheNgramScriptWritesTheExample) {
  if (std::system("python3 -c pass >/dev/null 2>&1") != 0) GTEST_SKIP() << "no python3";
  const auto script = [&](const std::string& arguments) {
    return test::shell("python3 '" + test::source_path("scripts/ngram_program.py") + "' " + arguments,
                       directory_.path());
  };
  EXPECT_EQ(script("examples/ngram/toy.arpa").out,
            test::read_text(test::source_path("examples/programs/ngram_toy.brasp")));
  std::ofstream(directory_.path() / "cut.arpa") << "\\data\\\nngram 1=1\n\\1-grams:\n-1 a\n";
  EXPECT_EQ(script("cut.arpa").exit_code, 2);
  std::ofstream(directory_.path() / "wrong.arpa") << "\\1-grams:\n-1 a b c d\n\\end\\\n";
  EXPECT_THAT(script("wrong.arpa").err, HasSubstr("line 2"));
  EXPECT_EQ(script("missing.arpa").exit_code, 3);
  for (const char* text : {"\\0-grams:\n\\end\\\n", "\\99999999999-grams:\n\\end\\\n", "\\x-grams:\n\\end\\\n",
                           "\\1-grams:\nnan a\n\\end\\\n", "\\1-grams:\n-1 a inf\n\\end\\\n"}) {
    std::ofstream(directory_.path() / "bad.arpa") << text;
    EXPECT_EQ(script("bad.arpa").exit_code, 2) << text;
    EXPECT_THAT(script("bad.arpa").err, HasSubstr("line ")) << text;
  }
  std::ofstream(directory_.path() / "four.arpa")
      << "\\1-grams:\n-0.5 x -0.25\n-0.75 y -0.125\n-1 it's\n\\2-grams:\n-0.1 x y -0.3\n\\3-grams:\n-0.2 x y x -0.4\n"
         "\\4-grams:\n-0.0625 x y x y\n\\end\\\n";
  std::ofstream(directory_.path() / "four.brasp") << script("four.arpa").out;
  const json scores = json::parse(out("run --uncertified --json four.brasp 'x y x'"))["output"][2];
  EXPECT_EQ(scores, json({{"it's", -0.4 - 0.25 - 1.0}, {"x", -0.4 - 0.25 - 0.5}, {"y", -0.0625}}));
  EXPECT_THAT(out("verify four.brasp --exhaustive 4"), HasSubstr(" 0 differences"));
}

}  // namespace
}  // namespace quench
