#include "parse/text/reporter.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text/utf8.h"
#include "parse/parse_formula.h"

namespace quench::parse {

void Reporter::add(const char* code, Span span, std::string message, std::vector<std::string> notes) {
  if (!full()) diagnostics_.push_back({code, std::move(message), span, std::move(notes)});
}

bool Reporter::full() const { return diagnostics_.size() >= kMaxDiagnostics; }

std::vector<Diagnostic> Reporter::merge(Reporter& first, Reporter& second) {
  std::vector<Diagnostic> all = std::move(first.diagnostics_);
  std::move(second.diagnostics_.begin(), second.diagnostics_.end(), std::back_inserter(all));
  std::stable_sort(all.begin(), all.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  if (all.size() > kMaxDiagnostics) all.resize(kMaxDiagnostics);
  return all;
}

std::string Reporter::quote(Span span) const {
  if (span.begin >= text_.size()) return "the end of the text";
  const std::string_view quoted = text(span);
  if (quoted.empty() || quoted == "\n") return "the end of the line";
  return fmt::format("`{}`", printable(quoted, 30));
}

std::string Reporter::place(std::size_t offset) const {
  const SourcePlace place = place_of(text_, offset);
  return "line " + std::to_string(place.line) + ", column " + std::to_string(place.column);
}

}  // namespace quench::parse
