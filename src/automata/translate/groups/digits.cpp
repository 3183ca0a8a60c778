#include "automata/translate/groups/digits.h"

#include <bit>
#include <cstdint>

namespace quench::automata {
namespace {

constexpr std::size_t kMostChoices = 5'000;  // of weights that are tried for one number of digits

/// For each number the set of weights that add up to it, as bits; empty if some number has none.
std::vector<std::size_t> representations(std::size_t m, const std::vector<std::size_t>& weights,
                                         const std::vector<std::size_t>& numbers) {
  std::vector<std::size_t> set_of(m, SIZE_MAX);
  for (std::size_t set = 0; set < std::size_t{1} << weights.size(); ++set) {
    std::size_t sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) sum += (set >> k & 1) * weights[k];
    std::size_t& known = set_of[sum % m];
    if (known == SIZE_MAX || std::popcount(set) < std::popcount(known)) known = set;
  }
  std::vector<std::size_t> result;
  for (const std::size_t number : numbers) {
    if (set_of[number] == SIZE_MAX) return {};
    result.push_back(set_of[number]);
  }
  return result;
}

std::vector<Digit> digits(const std::vector<std::size_t>& weights, const std::vector<std::size_t>& numbers,
                          const std::vector<std::size_t>& sets) {
  std::vector<Digit> result;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    result.push_back({weights[k], {}});
    for (std::size_t n = 0; n < numbers.size(); ++n)
      if (sets[n] >> k & 1) result.back().of.push_back(numbers[n]);
  }
  return result;
}

}  // namespace

std::vector<Digit> fewest_digits(std::size_t m, const std::vector<std::size_t>& numbers) {
  for (std::size_t count = 1; count < numbers.size(); ++count) {
    if ((std::size_t{1} << count) <= numbers.size()) continue;  // too few sums
    // All choices of weights in increasing order, as long as there are not too many.
    std::vector<std::size_t> weights(count, 1);
    for (std::size_t tried = 0; tried < kMostChoices; ++tried) {
      if (const std::vector<std::size_t> sets = representations(m, weights, numbers); !sets.empty())
        return digits(weights, numbers, sets);
      std::size_t k = count;
      while (k > 0 && weights[k - 1] == m - 1) --k;
      if (k == 0) break;
      const std::size_t next = weights[k - 1] + 1;
      for (std::size_t j = k - 1; j < count; ++j) weights[j] = next;
    }
    if (count < static_cast<std::size_t>(std::bit_width(m - 1))) continue;
    for (std::size_t k = 0; k < count; ++k) weights[k] = std::size_t{1} << k;
    return digits(weights, numbers, representations(m, weights, numbers));
  }
  std::vector<Digit> result;
  for (const std::size_t number : numbers) result.push_back({number, {number}});
  return result;
}

}  // namespace quench::automata
