// quench eval --all: the truth table of a rule.
#pragma once

#include <cstddef>
#include <string>

#include "lang/rule.h"

namespace quench::cli {

struct TableOptions {
  std::size_t length = 0;  ///< all words up to this length, at most 64
  bool mentioned_only = false, accepted_only = false, json = false;
};

/// Throws UserError with their number if the words are too many, or if only the accepted ones are asked of a rule that
/// does not accept or reject.
std::string truth_table(const lang::Rule& rule, const TableOptions& options);

}  // namespace quench::cli
