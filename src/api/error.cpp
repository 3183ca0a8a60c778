#include <quench/error.h>

#include "api/inside.h"
#include "base/text/explain.h"

namespace quench::api {

std::vector<Diagnostic> placed(const std::vector<quench::Diagnostic>& found, std::string_view text) {
  std::vector<Diagnostic> result;
  for (const quench::Diagnostic& one : found) {
    const SourcePlace place = place_of(text, one.span.begin);
    result.push_back({one.code, one.message, place.line, place.column, one.span.end - one.span.begin, one.notes});
  }
  return result;
}

std::string explain(std::string_view code) {
  const Explanation* explanation = quench::explain(code);
  return explanation ? std::string(explanation->text) : std::string();
}

}  // namespace quench::api
