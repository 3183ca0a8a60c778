// What is known of the terminal: colours and width. The decision is made here, once, for everything that is printed.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/render_style.h"

namespace quench::cli {

/// What the decision depends on.
struct TerminalFacts {
  bool is_terminal = false;
  const char* no_color = nullptr;  ///< the variables NO_COLOR and TERM; null if they are not set
  const char* term = nullptr;
};
/// On a terminal, unless NO_COLOR is set (and not empty, as no-color.org has it) or the terminal is a dumb one.
bool wants_colour(const TerminalFacts& facts);

/// Whether standard error takes colours.
bool colour_on_stderr();

/// Whether a line on standard error can be drawn again: a terminal, and no dumb one.
bool stderr_redraws();

/// COLUMNS if it is a number from 20 to 10000, otherwise the width of the terminal that standard output is, otherwise
/// `otherwise`.
std::size_t columns_of_output(std::size_t otherwise);
inline constexpr std::size_t kWidest = 10'000;
/// For what is not folded where nobody knows the width: in files and pipes, lines are as long as they are.
inline constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

/// Diagnostics as they go to standard error.
std::string rendered(const std::vector<Diagnostic>& diagnostics, const std::string& source, const std::string& name);
/// "error" or "warning" and the like, for standard error.
std::string coloured_word(std::string_view word, std::string_view colour);
/// "warning: …" on standard error; `code` as in "W003".
void warn(const std::string& text, const std::string& code = "");

/// A help text for so many columns, by default those of the output, if they are known: lines that are longer go on
/// below, under where their explanation begins.
std::string folded(const std::string& help, std::size_t columns = columns_of_output(kWidest));

}  // namespace quench::cli
