// Parsing in tests: a formula that must parse, and how it prints.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "lang/print.h"
#include "parse/parse_formula.h"

namespace quench {

inline lang::Formula parse_text(std::string_view text) {
  parse::ParsedFormula parsed = parse::parse_formula(text);
  EXPECT_TRUE(parsed.formula) << render(parsed.diagnostics, text, "text");
  return parsed.formula ? std::move(*parsed.formula) : lang::Formula{};
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
