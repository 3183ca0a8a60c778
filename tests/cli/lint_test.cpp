// Warnings about rules and words, by every command that takes them: on standard error, with the same answer and exit code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class LintOfCommands : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  test::TemporaryDirectory directory_;
};

TEST_F(LintOfCommands, IsTheSameWhereverARuleIsTyped) {
  const std::string rule = " -e 'Q_a since Q_b' ";
  for (const std::string& command :
       {"compile" + rule, "run" + rule + "ab", "eval" + rule + "ab", "eval --all 2" + rule, "trace" + rule + "ab",
        "attend" + rule + "ab", "attend --json" + rule + "ab", "words --count 3" + rule,
        "verify --exhaustive 2 --json" + rule, "certify --json" + rule, "diff --json -e 'O Q_a'" + rule,
        "compare --json" + rule, "show --stage ast" + rule, "decide --json" + rule, "translate --to brasp" + rule,
        "harden --json" + rule, "certify --length 100 --dtype f64 --recipe tight" + rule,
        "export --to torch -o folder" + rule}) {
    const test::Finished linted = run(command), quiet = run(command + " --no-lint");
    EXPECT_THAT(linted.err, HasSubstr("warning W001")) << command;
    EXPECT_EQ(linted.err.find("W001"), linted.err.rfind("W001")) << command;
    EXPECT_THAT(quiet.err, Not(HasSubstr("W00"))) << command;
    EXPECT_EQ(linted.exit_code, quiet.exit_code) << command;
    EXPECT_EQ(linted.out, quiet.out) << command;
    EXPECT_THAT(linted.out, Not(HasSubstr("W001"))) << command;
  }
}

TEST_F(LintOfCommands, SaysWhatNeedsAnAutomaton) {
  EXPECT_THAT(run("eval -e 'H (Q_a -> prev Q_a) & O Q_a' a").err, HasSubstr("it accepts none"));
}

TEST_F(LintOfCommands, SymbolsOutsideADeclaredAlphabetAreWarnedOf) {
  const std::string rule = " -e 'alphabet {a, b}; H (Q_a -> Z Q_b)' ";
  const std::string warning = "warning W004: the alphabet of the rule does not have 'c'\n";
  ASSERT_EQ(run("compile -o m.safetensors" + rule).exit_code, 0);
  for (const std::string& command : {"run" + rule, "eval" + rule, "trace" + rule, "attend" + rule,
                                     std::string("run m.safetensors "), std::string("attend m.safetensors ")}) {
    const test::Finished finished = run(command + "bac");
    EXPECT_EQ(finished.exit_code, 0) << command;
    EXPECT_THAT(finished.err, HasSubstr(warning)) << command;
    EXPECT_THAT(run(command + "bac --no-lint").err, Not(HasSubstr("W004"))) << command;
    EXPECT_THAT(run(command + "ba").err, Not(HasSubstr("W004"))) << command;
    const test::Finished refused = run(command + "bac --strict");
    EXPECT_EQ(refused.exit_code, 2) << command;
    EXPECT_THAT(refused.err, HasSubstr("'c' at position 3, which the alphabet of the rule does not have")) << command;
  }
  EXPECT_THAT(run("eval -e 'H (Q_a -> Z Q_b)' bac").err, IsEmpty());
}

}  // namespace
}  // namespace quench
