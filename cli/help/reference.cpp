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

/// Lines of at most 125 columns, where blanks and commas allow it. A line end within code is a blank.
std::string wrapped(const std::string& text) {
  constexpr std::size_t kWidth = 125;
  std::string result, piece;
  std::size_t column = 0, width = 0;  // of the line, and of the piece
  const auto take = [&] {
    if (column + width > kWidth) {
      if (result.ends_with(' ')) result.pop_back();
      result += '\n';
      column = 0;
    }
    result += piece;
    column += width;
    piece.clear();
    width = 0;
  };
  for (const char c : text) {
    piece += c;
    width += (c & 0xC0) != 0x80;
    if (c == ' ' || c == ',') take();
  }
  take();
  return result;
}

std::string section(const App& command) {
  const CommandDescription description = command.describe();
  std::string text = fmt::format("\n## {}\n\n```text\n{}```\n", description.full_name,
                                 without_trailing_blanks(command.help()));
  if (!description.json.empty()) text += "\n" + wrapped("JSON: " + description.json) + "\n";
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
