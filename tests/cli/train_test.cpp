// quench train, quench harden, quench bench attention: exit codes, JSON fields, bad input.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TrainCli : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  void expect_exit(int code, const std::string& arguments, const std::string& message) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, code) << arguments << "\n" << finished.out << finished.err;
    EXPECT_THAT(finished.err, HasSubstr(message)) << arguments;
  }
  std::string read(const std::string& name) { return test::read_text(directory_.path() / name); }

  const std::string small_ =
      "train examples/formulas/first.tl --width 8 --length 8 --batch 8 --steps 40 --test-words 20";
  test::TemporaryDirectory directory_;
};

TEST_F(TrainCli, TrainReportsBothModelsAtFourLengths) {
  const test::Finished finished = run(small_ + " --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  for (const char* field : {"options", "parameters", "step", "loss", "batch_accuracy", "seconds"})
    EXPECT_TRUE(report.contains(field)) << field;
  ASSERT_EQ(report["test"].size(), 4u);
  EXPECT_EQ(report["test"][3]["length"], 80);
  for (const json& row : report["test"]) EXPECT_EQ(row["compiled"], 1.0);
  EXPECT_THAT(run(small_).out, HasSubstr("trained    compiled"));
}

TEST_F(TrainCli, ProgramsLabelWordsToo) {
  const test::Finished finished = run("train examples/programs/dyck_1_depth_2.brasp --steps 3 --length 6 --no-test --json");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  expect_exit(2, "train examples/programs/reverse.srasp --steps 3", "not Booleans");
}

TEST_F(TrainCli, StoppedAndResumedIsTheSameModel) {
  ASSERT_EQ(run(small_ + " --no-test -o straight.safetensors").exit_code, 0);
  ASSERT_EQ(run(small_ + " --no-test --checkpoint state --stop 15 --threads 1").exit_code, 0);
  ASSERT_EQ(run(small_ + " --no-test --checkpoint state --resume -o resumed.safetensors").exit_code, 0);
  EXPECT_EQ(read("straight.safetensors"), read("resumed.safetensors"));
}

TEST_F(TrainCli, TrainedModelsAreOrdinaryModels) {
  ASSERT_EQ(run(small_ + " --no-test -o m.safetensors").exit_code, 0);
  EXPECT_EQ(run("run m.safetensors 101 --json --uncertified").exit_code, 0);
  const test::Finished finished =
      run("harden m.safetensors --source examples/formulas/first.tl -o hard.safetensors --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["heads"].size(), 4u);
  for (const char* field : {"agreement", "soft", "hard"}) EXPECT_TRUE(report[field].contains("words")) << field;
  EXPECT_EQ(run("run hard.safetensors 101 --json --uncertified").exit_code, 0);
  EXPECT_EQ(json::parse(run("harden m.safetensors --json").out)["hard"], nullptr);
}

TEST_F(TrainCli, ACompiledModelHardensWithoutLoss) {
  const test::Finished finished = run("harden -e 'Q_a since Q_b' --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["agreement"]["positions"], 1.0);
  EXPECT_EQ(report["hard"]["positions"], 1.0);
}

TEST_F(TrainCli, BadArgumentsAreExplained) {
  expect_exit(2, "train -e 'Q_a' --anneal 2", "FROM:TO");
  expect_exit(2, "train -e 'Q_a' --heads 3", "multiple of 3");
  expect_exit(2, "train -e 'Q_a' --resume", "--checkpoint");
  expect_exit(2, "train -e 'Q_a' --stop 3", "--checkpoint");
  expect_exit(2, "train -e 'Q_a &'", "^");
  expect_exit(2, "train -e 'Q_a' --positions sin", "position encoding");
  expect_exit(3, "train -e 'Q_a' --checkpoint none --resume", "checkpoint");
  expect_exit(3, "harden none.safetensors", "none.safetensors");
  expect_exit(2, "bench attention", "--memory");
}

TEST_F(TrainCli, AnInterruptPutsTheWorkAway) {
  const std::string long_run = "train -e Q_a --width 8 --length 4 --batch 1 --steps 100000000 --no-test --checkpoint state";
  const test::Finished stopped = test::shell(
      "env --default-signal=INT quench " + long_run + " -o m.safetensors & while [ ! -e state ]; do sleep 0.1; done\n"
      "kill -INT $!; wait $!; echo $?",
      directory_.path());
  EXPECT_EQ(stopped.out, "130\n");
  const std::string before = "interrupted after step ";
  ASSERT_EQ(stopped.err.substr(0, before.size()), before) << stopped.err;
  EXPECT_THAT(stopped.err, HasSubstr("the state is in state"));
  EXPECT_THAT(stopped.err, HasSubstr("the model so far is in m.safetensors"));
  const std::string step = std::to_string(std::stoul(stopped.err.substr(before.size())));
  const test::Finished resumed = run(long_run + " --resume --json --stop " + step);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(json::parse(resumed.out)["step"], std::stoul(step));
  EXPECT_FALSE(json::parse(resumed.out).contains("loss")) << "the state was that of the last step, and none was left to do";
  EXPECT_EQ(run("run --uncertified m.safetensors a").exit_code, 0);
}

TEST_F(TrainCli, BenchAttentionMeasures) {
  const test::Finished finished =
      run("bench attention --memory --scores --entropy --length 256 --width 8 --score-length 64 --json");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["memory"][0]["matrix_entries"], 256 * 256);
  EXPECT_EQ(report["scores"].size(), 5u);
  ASSERT_EQ(report["entropy"].size(), 7u);
  EXPECT_GT(report["entropy"][0]["entropy"], report["entropy"][6]["entropy"]);  // warm to cold
  EXPECT_THAT(run("bench attention --scores --width 8 --score-length 64").out, HasSubstr("additive"));
}

}  // namespace
}  // namespace quench
