// Rules in other languages, and rules against each other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <quench/rule.h>

namespace quench::api {

/// The text of the rule as "formula" or "brasp"; of regular rules also as "dfa", "att", "hoa" or "dot". An automaton
/// becomes the smallest formula found, proved to be equal to it. Throws RuleError or UserError where there is no
/// translation.
std::string translate(const Rule& rule, std::string_view to);

struct DiffOptions {
  std::optional<std::size_t> length =
      {};                   ///< all words up to it; unset: a proof if there is one, or about a second's worth
  bool everywhere = false;  ///< at every position, not only at the last
};

/// A word on which two rules differ.
struct Difference {
  std::string word;
  std::string first, second;  ///< what they answer
};

struct Comparison {
  bool proved = false;  ///< decided for words of all lengths; otherwise for those up to `length`
  std::uint64_t words = 0;
  std::size_t length = 0;
  std::optional<Difference> difference = {};
};

/// The smallest word on which two rules differ. Throws UserError if they answer with values of different sorts.
Comparison diff(const Rule& first, const Rule& second, const DiffOptions& options = {});

}  // namespace quench::api
