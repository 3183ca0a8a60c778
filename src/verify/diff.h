// Where two rules differ: the smallest word, by trying all of them in order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/rule.h"

namespace quench::verify {

struct Difference {
  std::string word;
  std::string first, second;  ///< what each answers
};

struct DiffReport {
  std::uint64_t words = 0;
  std::size_t length = 0;  ///< all words up to this length were tried, or up to the difference
  std::optional<Difference> difference;
};

/// Words of length 1 … `length` over the symbols that either mentions, and one that neither does; where a rule declares
/// its alphabet, over that alone. Throws UserError if two declared alphabets have no symbol in common. Two rules that
/// accept or reject are compared at the last position, or with `everywhere` at every position; transductions by all
/// they put out. Throws UserError if the rules answer with values of different sorts.
DiffReport diff(const lang::Rule& first, const lang::Rule& second, std::size_t length, bool everywhere = false);

/// What two rules that differ on a word answer, its symbols given one by one ("" is one that neither mentions); nothing if
/// they do not. Throws UserError as above.
std::optional<Difference> difference_on(const lang::Rule& first, const lang::Rule& second,
                                        const std::vector<std::string>& symbols, bool everywhere = false);

/// A length that takes about a second.
std::size_t default_diff_length(const lang::Rule& first, const lang::Rule& second);

}  // namespace quench::verify
