#include "cli/output/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "cli/arguments/numbers.h"
#include "cli/output/output.h"

namespace quench::cli {
namespace {

constexpr std::size_t kNarrowest = 20;
constexpr std::size_t kMargin = 8;  ///< of a source line: its number and a bar

bool usable(std::size_t columns) { return columns >= kNarrowest && columns <= kWidest; }

}  // namespace

bool wants_colour(const TerminalFacts& facts) {
  const bool refused = facts.no_color && *facts.no_color != '\0';
  return facts.is_terminal && !refused && !(facts.term && std::string_view(facts.term) == "dumb");
}

bool colour_on_stderr() {
  return wants_colour({::isatty(STDERR_FILENO) != 0, std::getenv("NO_COLOR"), std::getenv("TERM")});
}

bool stderr_redraws() { return wants_colour({::isatty(STDERR_FILENO) != 0, nullptr, std::getenv("TERM")}); }

std::size_t columns_of_output(std::size_t otherwise) {
  if (const char* text = std::getenv("COLUMNS"))
    if (const auto columns = read_whole(text); columns && usable(*columns)) return *columns;
  winsize size{};
  if (::isatty(STDOUT_FILENO) && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && usable(size.ws_col))
    return size.ws_col;
  return otherwise;
}

std::string rendered(const std::vector<Diagnostic>& diagnostics, const std::string& source, const std::string& name) {
  RenderStyle style;
  style.colour = colour_on_stderr();
  style.max_width = columns_of_output(style.max_width + kMargin) - kMargin;
  return render(diagnostics, source, name, style);
}

void warn(const std::string& text, const std::string& code) {
  say(coloured_word(code.empty() ? "warning" : "warning " + code, kYellow) + ": " + text + "\n");
}

std::string folded(const std::string& help, std::size_t columns) {
  constexpr std::size_t kLeast = kNarrowest - 2;  // columns for an explanation
  std::string result;
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t text = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", text);
    std::size_t indent = gap == std::string::npos ? text : std::min(line.find_first_not_of(' ', gap), line.size());
    if (indent + kLeast > columns) indent = std::min(text, columns - kLeast);
    for (std::size_t from = text; line.size() > columns;) {
      const std::size_t blank = line.rfind(' ', columns);
      if (blank == std::string::npos || blank <= std::max(from, indent)) break;  // a word that does not fit
      result += line.substr(0, line.find_last_not_of(' ', blank) + 1) + "\n";
      line = std::string(indent, ' ') + line.substr(blank + 1);
      from = indent;
    }
    result += line + "\n";
  }
  return result;
}

std::string coloured_word(std::string_view word, std::string_view colour) {
  if (!colour_on_stderr()) return std::string(word);
  return std::string(colour) + std::string(word) + std::string(kPlain);
}

}  // namespace quench::cli
