// Text → program. Collects diagnostics, never prints, never throws on any bytes; no nesting is too deep.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"
#include "lang/program.h"

namespace quench::parse {

struct ParsedProgram {
  std::optional<lang::Program> program;  ///< empty if there is any diagnostic
  std::vector<Diagnostic> diagnostics;   ///< in the order of the text
};

ParsedProgram parse_program(std::string_view text);

/// Whether a text looks like a program rather than a formula: a statement that begins `name(x) =`, `score[` or `fun`.
bool looks_like_program(std::string_view text);

}  // namespace quench::parse
