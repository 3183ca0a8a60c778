// Numbers modulo m as sums of digits that are 0 or 1, each with a weight: what is summed over positions then takes one
// count for each digit, instead of one for each number.
#pragma once

#include <cstddef>
#include <vector>

namespace quench::automata {

struct Digit {
  std::size_t weight;
  std::vector<std::size_t> of;  ///< the numbers whose digit is 1
};

/// As few digits as are found for these numbers, 1 … m−1, each once: their weights add up to the number modulo m. Never
/// more than there are numbers, nor more than binary digits of m−1.
std::vector<Digit> fewest_digits(std::size_t m, const std::vector<std::size_t>& numbers);

}  // namespace quench::automata
