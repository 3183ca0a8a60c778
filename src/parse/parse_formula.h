// Text → formula. Collects diagnostics, never prints, never throws on any bytes, never recurses.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "lang/formula.h"

namespace quench::parse {

struct ParsedFormula {
  std::optional<lang::Formula> formula;  ///< canonical (lang/canonical.h); empty if there is any diagnostic
  std::vector<Diagnostic> diagnostics;   ///< in the order of the text; at most kMaxDiagnostics
};
inline constexpr std::size_t kMaxDiagnostics = 20;

ParsedFormula parse_formula(std::string_view text);

}  // namespace quench::parse
