// quench-mpi under a real mpirun, with ranks killed in the middle. Skipped where either is missing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/shell.h"

namespace quench {
namespace {

using testing::HasSubstr;

const std::string kCampaign = R"({"name": "ranks", "task": "verify", "seed": 4,
  "rules": [{"random": "formulas", "count": 40, "size": [1, 6]}, {"random": "brasp", "count": 4}],
  "trials": [{"formats": ["f64"], "engines": ["structured"], "exhaustive": 4000, "random": 20, "adversarial": 12, "length": 100}]})";

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    const auto program = std::filesystem::path(test::program_path()).parent_path() / "quench-mpi";
    if (!std::filesystem::exists(program)) GTEST_SKIP() << "quench-mpi was not built";
    if (test::shell("command -v mpirun", folder_.path()).exit_code != 0) GTEST_SKIP() << "mpirun is not installed";
    std::ofstream(folder_.path() / "c.json") << kCampaign;
  }
  test::Finished run(const std::string& command) const { return test::shell(command, folder_.path()); }
  /// Ranks that wait for ever are ended, which is another exit code than any of ours.
  /// Open MPI does not give back all of its memory, which is no finding of a sanitizer's about us.
  static std::string ranks(int count, const std::string& arguments) {
    return "ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
           "timeout -k 5 300 mpirun --oversubscribe -n " +
           std::to_string(count) + " quench-mpi " + arguments;
  }

  const test::TemporaryDirectory folder_;
};

TEST_F(Mpi, ReportsTheSameOnAnyNumberOfRanks) {
  const test::Finished here = run("quench verify --campaign c.json --json");
  EXPECT_EQ(here.exit_code, 0) << here.err;
  for (const int count : {1, 2, 4}) {
    const test::Finished there = run(ranks(count, "verify --campaign c.json --json"));
    EXPECT_EQ(there.exit_code, 0) << there.err;
    EXPECT_EQ(there.out, here.out) << count;
  }
  EXPECT_EQ(run(ranks(3, "verify --campaign c.json --json --spare-first")).out, here.out);
}

/// `victim` counts the program's ranks as the system started them, rank 0 first.
TEST_F(Mpi, AKilledRankCostsWhatWasInFlight) {
  const std::string report = run("quench verify --campaign c.json").out;
  for (int victim = 0; victim < 3; ++victim) {
    const test::Finished killed =
        run("rm -f j\n(" + ranks(3, "verify --campaign c.json --journal j >/dev/null") +
            ") &\n"
            // Until three pieces are done.
            "while [ \"$(wc -l <j 2>/dev/null || echo 0)\" -lt 4 ]; do sleep 0.02; done\n"
            "for p in $(pgrep -f '^quench-mpi verify --campaign c.json --journal j'); do\n"
            "  [ \"$(tr '\\0' '\\n' </proc/$p/environ | grep '^OMPI_COMM_WORLD_RANK=')\" = OMPI_COMM_WORLD_RANK=" +
            std::to_string(victim) +
            " ] && [ \"$(readlink /proc/$p/cwd)\" = \"$PWD\" ] && kill -KILL $p\ndone\nwait\nwc -l <j; printf 'cut "
            "off' >>j");
    const int lines = std::stoi(killed.out);
    EXPECT_GE(lines, 4);
    const test::Finished again = run(ranks(2, "verify --campaign c.json --journal j --retry"));
    EXPECT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(again.out, report) << "killed rank " << victim;
    EXPECT_THAT(again.err, HasSubstr(std::to_string(lines - 1) + " of them from the journal"));
  }
}

/// Nobody waits for work that will not come: every one of these ends, by itself and as the plain program does.
TEST_F(Mpi, AllRanksEndHoweverTheFirstOneDoes) {
  for (const std::string arguments :
       {"", "--help", "--version", "verify --help", "no-such-command", "--bogus", "verify", "verify --bogus",
        "verify --exhaustive many -e Q_a", "verify nowhere.tl", "verify -e 'Q_a &'", "verify --campaign nowhere",
        "verify --campaign c.json --retry", "verify --campaign c.json --journal no/such/folder/j"}) {
    SCOPED_TRACE(arguments);
    const test::Finished here = run("quench " + arguments);
    const test::Finished there = run(ranks(2, arguments));
    EXPECT_EQ(there.exit_code, here.exit_code) << there.err;
    EXPECT_EQ(there.out.empty(), here.out.empty());
  }
  EXPECT_EQ(run(ranks(2, "lab no-such-experiment")).exit_code, 2);
  EXPECT_EQ(run(ranks(2, "certify-campaign --campaign quick")).exit_code, 2) << "another task";
}

TEST_F(Mpi, MeasuresExperimentsIntoOneDirectory) {
  const std::string both = "lab rounding-cost gap-temperature --quick --seed 5 --out ";
  const test::Finished there = run(ranks(2, both + "there --journal j"));
  ASSERT_EQ(there.exit_code, 0) << there.err;
  EXPECT_THAT(there.out, testing::AllOf(HasSubstr("rounding-cost\n  "), HasSubstr("gap-temperature\n  ")));
  ASSERT_EQ(run("quench lab run rounding-cost gap-temperature --quick --seed 5 --out here").exit_code, 0);
  const test::Finished compared =
      run("for f in index.md rounding-cost.csv gap-temperature.csv; do cmp here/$f there/$f; done");
  EXPECT_EQ(compared.out, "");
  const test::Finished again = run(ranks(2, both + "there --journal j --retry"));
  EXPECT_EQ(again.out, there.out) << "from the journal";
  EXPECT_EQ(run(ranks(2, "lab rounding-cost --automata . --out there")).exit_code, 2);
}

TEST_F(Mpi, TakesARuleWithTheOptionsOfThePlainCommand) {
  const test::Finished verified =
      run(ranks(2, "verify -e '#<[Q_a] > 2' --recipe tight --dtype f32 --exhaustive 5 --random 20x50 --json"));
  EXPECT_EQ(verified.exit_code, 0) << verified.err;
  EXPECT_THAT(verified.out, HasSubstr("\"words\":" + std::to_string(2 + 4 + 8 + 16 + 32 + 20)));
  EXPECT_EQ(run(ranks(2, "certify-campaign -e 'prev Q_a' --dtype f32,bf16")).exit_code, 0);
  EXPECT_EQ(run(ranks(2, "find-failure -e 'prev Q_a' --recipe tight --dtype bf16 --longest 60")).exit_code, 0);
}

std::string field(const std::string& json, const std::string& name) {
  const std::size_t at = json.find("\"" + name + "\":") + name.size() + 3;
  return json.substr(at, json.find_first_of(",}", at) - at);
}

/// As many by default, and by --strict; the random ones are other words, as every piece draws its own.
TEST_F(Mpi, TriesTheWordsOfThePlainCommand) {
  for (const std::string options :
       {"", " --strict", " --exhaustive 4", " --random 20x50", " --exhaustive 3 --strict"}) {
    SCOPED_TRACE(options);
    const std::string rule = "verify -e 'O (Q_a & prev Q_b)' --recipe tight --json" + options;
    const test::Finished here = run("quench " + rule), there = run(ranks(2, rule));
    ASSERT_EQ(there.exit_code, 0) << there.err;
    EXPECT_EQ(field(there.out, "words"), field(here.out, "words"));
    if (options.find("--exhaustive") != std::string::npos) {
      EXPECT_EQ(field(there.out, "positions"), field(here.out, "positions"));
    }
  }
  EXPECT_EQ(field(run(ranks(1, "verify -e Q_a --recipe tight --exhaustive 4 --json")).out, "longest"), "4");
  EXPECT_EQ(run(ranks(1, "verify -e Q_a --exhaustive 0")).exit_code, 2) << "no words at all";
}

TEST_F(Mpi, TakesTheOptionsOfRecipes) {
  const std::string few = " --exhaustive 3 --random 5x40 --parts 1";
  const test::Finished digits =
      run(ranks(2, "verify -e 'even(#<[Q_a])' --recipe 'exact --digits,tight' --dtype bf16" + few));
  EXPECT_EQ(digits.exit_code, 0) << digits.err;
  EXPECT_THAT(digits.out, testing::AllOf(HasSubstr("exact --digits "), HasSubstr("tight ")));
  const test::Finished scan =
      run(ranks(2, "verify --regex '(ab)*' --recipe scan --gamma 8 --length 65536 --dtype f8e4m3" + few));
  EXPECT_EQ(scan.exit_code, 0) << scan.err;
  EXPECT_THAT(scan.out, HasSubstr("scan --gamma 8 --length 65536"));
  EXPECT_EQ(scan.out.find("no-cert\n"), std::string::npos);
  // Without a name all recipes that take the option.
  const test::Finished decoders = run(ranks(2, "verify -e 'O Q_a' --decoder" + few));
  EXPECT_EQ(decoders.exit_code, 0) << decoders.err;
  EXPECT_THAT(decoders.out, testing::AllOf(HasSubstr("tight --decoder"), HasSubstr("18a --decoder")));
  EXPECT_THAT(decoders.out, testing::Not(HasSubstr("22a")));
}

TEST_F(Mpi, RefusesWhatItCannotDoAndSaysWhatCan) {
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const test::Finished finished = run(ranks(2, arguments));
    EXPECT_EQ(finished.exit_code, 2) << arguments;
    EXPECT_THAT(finished.err, HasSubstr(why)) << arguments;
  };
  ASSERT_EQ(run("quench compile -e Q_a -o m.safetensors").exit_code, 0);
  refused("verify m.safetensors -e Q_a", "quench verify");
  refused("verify m.safetensors", "quench verify");
  refused("verify -e Q_a --weighting hard", "quench verify --weighting hard");
  refused("verify -e Q_a --prove", "quench verify --prove");
  refused("verify -e Q_a --gap", "quench verify --gap");
  refused("verify -e Q_a --find-failure", "quench-mpi find-failure");
  refused("verify -e Q_a --threads 2", "mpirun");
  refused("verify -e Q_a --limit states=10", "quench verify");
  refused("verify --campaign c.json -e Q_a", "--campaign");
  refused("verify --campaign c.json --dtype f32", "--campaign");
  refused("verify --regex a --recipe 12a", "auto scan");
  refused("verify -e Q_a --recipe tight --length 9", "every length");
}

}  // namespace
}  // namespace quench
