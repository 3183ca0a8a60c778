// Parsing in tests: a formula that must parse, and how it prints.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "lang/print/print.h"
#include "parse/parse_formula.h"

namespace quench {

/// Throws what is wrong with the text, which fails the test.
inline lang::Formula parse_text(std::string_view text) {
  parse::ParsedFormula parsed = parse::parse_formula(text);
  if (!parsed.formula) throw std::runtime_error(render(parsed.diagnostics, text, "text"));
  return std::move(*parsed.formula);
}

/// The printed form without its last line end.
inline std::string reprint(std::string_view text) {
  const parse::ParsedFormula parsed = parse::parse_formula(text);
  if (!parsed.formula) return render(parsed.diagnostics, text, "text");
  std::string printed = lang::print(*parsed.formula);
  printed.pop_back();
  return printed;
}

}  // namespace quench
