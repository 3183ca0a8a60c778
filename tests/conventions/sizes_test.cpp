// One idea per file and a glance per folder: files have at most 300 lines and folders at most 24 files, but for those
// below, each with the reason why taking it apart would make it harder to read.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

constexpr std::ptrdiff_t kMostLines = 300;
constexpr std::size_t kMostFiles = 24;

const std::map<std::string, std::string> kLonger{
    {"src/base/text/explain.cpp", "a table: one paragraph for every code"},
    {"src/parse/text/lexer.cpp", "one class: from characters to tokens, a function for each kind of token"},
    {"src/parse/formula/expression.cpp", "one class: the precedence parser, a function for each kind of operand"},
    {"src/lower/program/elaborate.cpp",
     "one class: the cases of an expression, a function for each kind of expression"},
    {"src/opt/schedule.cpp", "one class: which sublayer everything is ready after, and what goes into each"},
    {"src/certify/whole/keys.cpp", "one head in whole numbers: its scores, its winners and what they hand on"},
    {"src/check/whole/cells.cpp", "the same for the checker, which shares nothing with it"},
    {"src/certify/row.cpp", "one row of weights: its sum, its interval and its error, which rest on each other"},
    {"src/check/feed_forward.cpp", "one class: what the hidden units give to one coordinate"},
    {"src/check/soften/attend.cpp", "one row of a head and the heads of one position, which nobody else reads"},
    {"src/soften/errors.cpp", "one class: errors through the network, sublayer by sublayer"},
    {"src/soften/numbers/interval.cpp", "one class: intervals through the network, sublayer by sublayer"},
    {"src/run/structured/attention/foreseen.cpp", "one class: what is known of a layer before a word is read"},
    {"src/run/structured/methods/scan.cpp", "one method: the scan of a head, window by window"},
    {"src/run/structured/kernels/scan_kernel.cpp", "one loop, in variants that the compiler has to see side by side"},
    {"src/run/structured/kernels/candidate_kernel.cpp",
     "one loop, in variants that the compiler has to see side by side"},
    {"cli/commands/learn/train.cpp", "a command: its options, its table and its report"},
};
/// An experiment is one file: what is measured, its tables and the sentences of its page. So are the tests of one subject.
constexpr std::ptrdiff_t kMostLinesOfCases = 400;

bool is_source(const std::filesystem::path& path) { return path.extension() == ".cpp" || path.extension() == ".h"; }

std::ptrdiff_t lines_of(const std::filesystem::path& path) {
  const std::string text = test::read_text(path);
  return std::count(text.begin(), text.end(), '\n');
}

bool is_of_cases(const std::string& name) { return name.starts_with("lab/experiments/") || name.starts_with("tests/"); }

TEST(Sizes, FilesAndFoldersAreSmall) {
  const std::filesystem::path root = test::source_path(".");
  std::map<std::string, std::size_t> files_of;
  std::size_t files = 0;
  for (const char* room : {"include", "src", "cli", "lab", "mpi", "fuzz", "tests", "bench"})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / room)) {
      if (!is_source(entry.path())) continue;
      const std::string name = std::filesystem::relative(entry.path(), root).generic_string();
      const std::ptrdiff_t lines = lines_of(entry.path());
      ++files_of[std::filesystem::path(name).parent_path().generic_string()];
      ++files;
      if (kLonger.contains(name))
        EXPECT_GT(lines, kMostLines) << name << " is short now: take it off the list";
      else
        EXPECT_LE(lines, is_of_cases(name) ? kMostLinesOfCases : kMostLines) << name;
    }
  EXPECT_GT(files, 500u);
  for (const auto& [folder, count] : files_of) EXPECT_LE(count, kMostFiles) << folder << " wants rooms of its own";
}

}  // namespace
}  // namespace quench
