// Collects diagnostics about one text, and words them: quoting and places.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"

namespace quench::parse {

class Reporter {
 public:
  explicit Reporter(std::string_view text) : text_(text) {}

  void add(const char* code, Span span, std::string message, std::vector<std::string> notes = {});
  /// Enough was found; parsing further would help nobody.
  bool full() const;
  bool empty() const { return diagnostics_.empty(); }
  /// The diagnostics of both in the order of the text, not too many.
  static std::vector<Diagnostic> merge(Reporter& first, Reporter& second);

  /// The text of a span in back quotes, shortened; "end of line" and "end of text" where there is none.
  std::string quote(Span span) const;
  /// "line 3, column 5"
  std::string place(std::size_t offset) const;
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

 private:
  std::string_view text_;
  std::vector<Diagnostic> diagnostics_;
};

}  // namespace quench::parse
