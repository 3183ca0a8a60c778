// quench help --markdown: the sections of docs/cli.md.
#include <fmt/format.h>

#include <sstream>

#include "cli/help/pages.h"

namespace quench::cli {
namespace {

std::string without_trailing_blanks(const std::string& text) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) result += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return result;
}

std::string section(const App& command) {
  const CommandDescription description = command.describe();
  std::string text = fmt::format("\n## {}\n\n```text\n{}```\n", description.full_name,
                                 without_trailing_blanks(command.help()));
  if (!description.json.empty()) text += fmt::format("\nJSON: {}\n", description.json);
  for (const CommandDescription& below : description.commands) text += section(*command.find_command(below.name));
  return text;
}

}  // namespace

std::string reference(const App& program) {
  std::string text;
  for (const CommandDescription& command : program.describe().commands) text += section(*program.find_command(command.name));
  return text;
}

}  // namespace quench::cli
