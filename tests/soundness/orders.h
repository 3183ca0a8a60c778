// Sums in orders that engines may have: from the left, the right, the small or the great terms first, in pairs, along
// random trees.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "base/number/number_format.h"
#include "base/number/random.h"

namespace quench::test {

using Terms = std::vector<double>;

enum class Order { left_to_right, right_to_left, small_first, great_first, pairs, random_tree, random_order };
inline constexpr Order kOrders[] = {Order::left_to_right, Order::right_to_left, Order::small_first, Order::great_first,
                                    Order::pairs,         Order::random_tree,   Order::random_order};

inline double in_pairs(const FloatFormat& format, const double* terms, std::size_t count) {
  if (count == 1) return terms[0];
  return round_to(format, in_pairs(format, terms, count / 2) + in_pairs(format, terms + count / 2, count - count / 2));
}

inline double summed(const FloatFormat& format, Terms terms, Order order, Random& random) {
  const auto shuffle = [&] {
    for (std::size_t k = terms.size(); k > 1; --k) std::swap(terms[k - 1], terms[random.below(k)]);
  };
  switch (order) {
    case Order::right_to_left:
      std::reverse(terms.begin(), terms.end());
      break;
    case Order::small_first:
      std::sort(terms.begin(), terms.end());
      break;
    case Order::great_first:
      std::sort(terms.begin(), terms.end(), std::greater<>());
      break;
    case Order::random_order:
      shuffle();
      break;
    case Order::pairs:
      return in_pairs(format, terms.data(), terms.size());
    case Order::random_tree:
      for (std::size_t left = terms.size(); left > 1; --left) {
        std::swap(terms[random.below(left)], terms[left - 1]);
        double& other = terms[random.below(left - 1)];
        other = round_to(format, other + terms[left - 1]);
      }
      return terms[0];
    default:
      break;
  }
  return std::accumulate(terms.begin(), terms.end(), 0.0,
                         [&](double sum, double term) { return round_to(format, sum + term); });
}

}  // namespace quench::test
