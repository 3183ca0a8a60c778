// Output that is lost is an error; an error that cannot be told is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench {
namespace {

using ::testing::HasSubstr;

class Output : public ::testing::Test {
 protected:
  test::Finished shell(const std::string& line) { return test::shell(line, directory_.path()); }
  test::TemporaryDirectory directory_;
};

TEST_F(Output, ToAFullDiskEndsInThreeWhateverItIs) {
  for (const char* arguments :
       {"eval -e Q_a a", "run --uncertified -e Q_a a", "trace -e 'prev Q_a' ab", "trace -e 'prev Q_a' ab -o -",
        "attend -e 'prev Q_a' ab", "words -e Q_a --count 3", "words -e Q_a --count 2000 --length 100", "compile -e Q_a",
        "show -e Q_a", "translate -e Q_a --to brasp", "verify -e Q_a --exhaustive 2", "certify -e 'prev Q_a'",
        "diff -e Q_a -e Q_b", "diff -e Q_a -e Q_a", "explain", "lab list", "--help", "run --help", "--version"}) {
    const test::Finished finished = shell(std::string("quench ") + arguments + " >/dev/full");
    EXPECT_EQ(finished.exit_code, 3) << arguments;
    EXPECT_THAT(finished.err, HasSubstr("cannot write to standard output")) << arguments;
  }
  EXPECT_EQ(shell("printf 'a\\na\\n' | quench run --uncertified --stream -e Q_a >/dev/full").exit_code, 3);
}

TEST_F(Output, ToAClosedStreamEndsInThreeAndNotInAFile) {
  EXPECT_EQ(shell("quench eval -e Q_a a >&-").exit_code, 3);
  EXPECT_EQ(shell("quench compile -e 'prev Q_a' -o m.safetensors >&-").exit_code, 3);
  EXPECT_EQ(shell("quench run m.safetensors ab").out, "ab   01   accept\n");  // and nothing was printed into it
}

TEST_F(Output, AFullStandardErrorChangesNothing) {
  const auto code = [&](const std::string& arguments, const char* stream) {
    return shell("quench " + arguments + " 2>" + stream).exit_code;
  };
  for (const char* stream : {"/dev/full", "&-"}) {
    EXPECT_EQ(code("run -e Q_a a", stream), 0);  // warns
    EXPECT_EQ(code("run --uncertified --explain -e 'prev Q_a' ab", stream), 0);
    EXPECT_EQ(code("eval -e 'Q_a &' a", stream), 2);
    EXPECT_EQ(code("eval --nonsense", stream), 2);
    EXPECT_EQ(code("words -e Q_a --count -1", stream), 2);
    EXPECT_EQ(code("run missing.safetensors a", stream), 3);
  }
}

/// fmt::print throws where standard error is full, and CLI11's own streams lose what standard output does not take.
TEST(OutputConvention, CommandsPrintThroughOutputAlone) {
  const std::regex other("fmt::print|std::(cout|cerr|clog|puts|printf|fprintf)\\b");
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test::source_path("cli")))
    if (entry.is_regular_file()) {
      EXPECT_FALSE(std::regex_search(test::read_text(entry.path()), other)) << entry.path();
    }
}

}  // namespace
}  // namespace quench
