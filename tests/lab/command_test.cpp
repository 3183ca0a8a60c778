// `quench lab` as users call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "lab/experiment.h"
#include "lab/report/table.h"
#include "lab/well_formed.h"
#include "support/examples.h"
#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

class LabCommand : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench lab " + arguments, directory_.path()); }
  std::string read(const std::string& name) { return test::read_text(directory_.path() / name); }
  test::TemporaryDirectory directory_;
};

TEST_F(LabCommand, ListsTheExperiments) {
  const test::Finished listed = run("list");
  EXPECT_EQ(listed.exit_code, 0);
  for (const lab::Experiment& experiment : lab::experiments()) EXPECT_THAT(listed.out, HasSubstr(experiment.name));
  const auto json = nlohmann::json::parse(run("list --json").out);
  EXPECT_EQ(json["experiments"].size(), lab::experiments().size());
}

TEST_F(LabCommand, UnknownNamesGetASuggestion) {
  const test::Finished finished = run("run figure1 --out r");
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_THAT(finished.err, HasSubstr("figure-1"));
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "r"));
  EXPECT_EQ(run("run rounding-cost no-such-thing --out r").exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(directory_.path() / "r"));  // nothing runs if one name is wrong
  EXPECT_EQ(run("run").exit_code, 2);
}

TEST_F(LabCommand, DirectoriesThatCannotBeWrittenAreAnErrorOfFiles) {
  test::shell("printf x >taken", directory_.path());
  const test::Finished finished = run("run rounding-cost --quick --out taken/here");
  EXPECT_EQ(finished.exit_code, 3);
  EXPECT_THAT(finished.err, HasSubstr("taken/here"));
  EXPECT_EQ(run("run rounding-cost --quick --out taken").exit_code, 3);
}

TEST_F(LabCommand, SameSeedSameBytes) {
  for (const char* name : {"rounding-cost", "gap-temperature"}) {
    const std::string file = name;
    ASSERT_EQ(run("run " + file + " --quick --seed 5 --out a").exit_code, 0);
    ASSERT_EQ(run("run " + file + " --quick --seed 5 --threads 1 --out b").exit_code, 0);
    for (const char* extension : {".csv", ".svg", ".html", ".md", ".json"})
      EXPECT_EQ(read("a/" + file + extension), read("b/" + file + extension)) << file << extension;
    EXPECT_EQ(test::xml_fault(read("a/" + file + ".svg")), "");
    EXPECT_GT(lab::from_csv(read("a/" + file + ".csv")).rows.size(), 10u);
  }
  EXPECT_THAT(read("a/index.md"), HasSubstr("[rounding-cost](rounding-cost.md)"));
  const test::Finished again = run("run rounding-cost --quick --seed 5 --out a");
  EXPECT_THAT(again.out, HasSubstr("there already"));
}

TEST_F(LabCommand, AnInterruptSaysWhatIsKept) {
  const std::string slow = "run gap-temperature soft-vs-hard learned-vs-compiled --threads 1 --out r";
  const test::Finished stopped = test::shell("env --default-signal=INT quench lab " + slow +
                                                 " & while ! ls r/*.part >/dev/null 2>&1; do sleep 0.05; done\n"
                                                 "kill -INT $!; wait $!; echo $?",
                                             directory_.path());
  EXPECT_THAT(stopped.out, ::testing::EndsWith("130\n"));
  EXPECT_THAT(stopped.err, ::testing::MatchesRegex(
                               "interrupted in [a-z0-9-]+; the cases that are done are in r/[a-z0-9-]+\\.part, and the "
                               "same command goes on from there\n"));
}

TEST_F(LabCommand, ProgressIsShownOnTerminals) {
  if (test::shell("script -qec true /dev/null", directory_.path()).exit_code != 0) GTEST_SKIP() << "there is no script";
  const std::string seen =
      test::shell("env TERM=xterm script -qec \"quench lab run gap-temperature --quick --out r\" /dev/null",
                  directory_.path())
          .out;
  EXPECT_THAT(seen, HasSubstr("gap-temperature"));
  EXPECT_THAT(seen, HasSubstr(" s left"));
  EXPECT_EQ(run("run rounding-cost --quick --out r").err, "");
}

TEST_F(LabCommand, TheAtlasTakesAutomataOfOthers) {
  test::shell(
      "mkdir folder; printf '(ab)*' >folder/ab.regex; printf 'b*(ab*ab*)*' >folder/even.regex; printf '(' "
      ">folder/broken.regex; printf 'no automaton' >folder/readme.txt",
      directory_.path());
  const test::Finished finished = run("run regular-atlas --quick --automata folder --out r");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const lab::Table table = lab::from_csv(read("r/regular-atlas.csv"));
  EXPECT_EQ(table.distinct("language").size(), 3u);
  EXPECT_EQ(table.where("language", "even").text(0, "class"), "solvable");
  EXPECT_EQ(table.where("language", "even").where("network", "to 2^20").text(0, "bf16"), "1048576");
  EXPECT_NE(table.where("language", "broken").text(0, "why not"), "");
  EXPECT_EQ(test::xml_fault(read("r/regular-atlas.svg")), "");
  EXPECT_THAT(run("run regular-atlas --quick --automata folder --out r").out, HasSubstr("there already"));
  test::shell("printf 'a*' >folder/more.regex", directory_.path());  // other files, other results
  EXPECT_EQ(run("run regular-atlas --quick --automata folder --out r").out.find("there already"), std::string::npos);
  EXPECT_EQ(run("run regular-atlas --automata nowhere --out r").exit_code, 3);
  EXPECT_EQ(run("run rounding-cost --quick --automata folder --out r").exit_code, 2);
}

TEST_F(LabCommand, AllOfThemQuicklySlow) {
  const test::Finished finished = run("run all --quick --out results");
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  for (const lab::Experiment& experiment : lab::experiments()) {
    SCOPED_TRACE(experiment.name);
    EXPECT_EQ(test::xml_fault(read("results/" + experiment.name + ".svg")), "");
    for (const char* broken : {"\"nan", "\"inf", "\"-inf", ",nan", " nan", ",inf", " inf"})  // as coordinates
      EXPECT_EQ(read("results/" + experiment.name + ".svg").find(broken), std::string::npos) << broken;
    EXPECT_GT(lab::from_csv(read("results/" + experiment.name + ".csv")).rows.size(), 0u);
    EXPECT_THAT(read("results/index.html"), HasSubstr(experiment.name + ".html"));
    const auto json = nlohmann::json::parse(read("results/" + experiment.name + ".json"));
    EXPECT_FALSE(json["findings"].empty());
  }
  EXPECT_EQ(run("run all --quick --out results").exit_code, 0);  // nothing left to do
}

}  // namespace
}  // namespace quench
