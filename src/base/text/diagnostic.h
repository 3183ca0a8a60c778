// What is wrong with the user's text, or odd about it: collected by the parser, the lowering and the lints, printed by
// the command line.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace quench {

/// Byte range [begin, end) of the source text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend auto operator<=>(const Span&, const Span&) = default;
};

struct Diagnostic {
  std::string code;  ///< "E012", explained by `quench explain E012`
  std::string message;
  Span span;
  std::vector<std::string> notes;  ///< what was expected, hints

  /// Codes of warnings begin with W: the text means something, but hardly what was meant.
  bool is_warning() const { return code.starts_with('W'); }
};

/// Diagnostics as an exception: the text cannot be used (exit 2).
struct DiagnosticError : std::runtime_error {
  explicit DiagnosticError(std::vector<Diagnostic> found)
      : std::runtime_error(found.empty() ? "error" : found.front().message), diagnostics(std::move(found)) {}
  std::vector<Diagnostic> diagnostics;
};

/// A place in a text as people count it: lines and characters from 1.
struct SourcePlace {
  std::size_t line = 1, column = 1;
};
SourcePlace place_of(std::string_view source, std::size_t offset);

/// Text with code, line, caret under the span, and notes, one block per diagnostic. Control characters and invalid
/// UTF-8 in the source are shown as replacement characters.
std::string render(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view source_name);

}  // namespace quench
