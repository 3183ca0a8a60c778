// Every command that README.md and docs/ show runs as printed, and prints what they show.
#include <gtest/gtest.h>

#include <filesystem>

#include "support/examples.h"
#include "support/paths.h"
#include "support/shell.h"

namespace quench {
namespace {

struct ShownCommand {
  std::string line, output;
};

/// The commands of ```console blocks: lines that begin with "$ ", each followed by its output.
std::vector<ShownCommand> shown_commands(const std::filesystem::path& document) {
  std::istringstream lines(test::read_text(document));
  std::vector<ShownCommand> shown;
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      inside = line == "```console";
    } else if (inside && line.starts_with("$ ")) {
      shown.push_back({line.substr(2), ""});
    } else if (inside && !shown.empty()) {
      shown.back().output += line + "\n";
    }
  }
  return shown;
}

void expect_as_printed(const std::filesystem::path& document) {
  const test::TemporaryDirectory directory;
  for (const ShownCommand& command : shown_commands(document)) {
    const std::string program = command.line.substr(0, command.line.find(' '));
    if (program != "quench" && program != "printf" && program != "cat") continue;  // make, git …
    SCOPED_TRACE(document.filename().string() + ": " + command.line);
    const test::Finished finished = test::shell(command.line, directory.path());
    EXPECT_EQ(finished.out + finished.err, command.output);
  }
}

TEST(Documents, ReadmeShowsWhatTheProgramPrints) {
  const std::filesystem::path readme = test::source_path("README.md");
  EXPECT_GE(shown_commands(readme).size(), 4u);
  expect_as_printed(readme);
}

TEST(Documents, DocsShowWhatTheProgramPrints) {
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("docs")))
    if (entry.path().extension() == ".md") expect_as_printed(entry.path());
}

TEST(Documents, CommandReferenceIsWhatTheScriptWrites) {
  const test::TemporaryDirectory directory;
  const test::Finished written = test::shell(test::source_path("scripts/cli_reference.sh") + " quench", directory.path());
  EXPECT_EQ(written.exit_code, 0);
  EXPECT_EQ(written.out, test::read_text(test::source_path("docs/cli.md"))) << "run `make docs`";
}

}  // namespace
}  // namespace quench
