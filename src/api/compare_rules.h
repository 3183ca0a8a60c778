// Two rules: decided for all words where both are regular, otherwise tried word by word. What `quench diff` and the
// public `diff` say.
#pragma once

#include <optional>
#include <string>

#include "automata/limits.h"
#include "lang/rule.h"
#include "verify/diff.h"

namespace quench::api {

struct RuleComparison {
  bool proved = false;  ///< decided for words of all lengths
  std::string why_not;  ///< why words were tried although nobody asked for a length
  verify::DiffReport report;
};

/// With a length, all words up to it are tried; without, a proof is sought first. Throws UserError if the rules cannot
/// be compared.
RuleComparison compare_rules(const lang::Rule& first, const lang::Rule& second, std::optional<std::size_t> length,
                             bool everywhere, const automata::Limits& limits = {});

}  // namespace quench::api
