// Random attention problems, and a mask of every kind.
#pragma once

#include "attention/attention.h"
#include "attention/numeric.h"

namespace quench::attention::testing {

struct Problem {
  Matrix q, k, v, d_output;
};

inline Problem random_problem(Random& random, std::size_t n, std::size_t m, std::size_t d_q, std::size_t d_k) {
  const std::size_t d_v = 1 + random.below(4);
  return {random_matrix(random, n, d_q), random_matrix(random, m, d_k), random_matrix(random, m, d_v),
          random_matrix(random, n, d_v)};
}

// One mask of every kind, in turn.
inline Visibility some_mask(Random& random, std::size_t kind) {
  BooleanTable table{8, 8, std::vector<std::uint8_t>(64)};
  for (auto& cell : table.cells) cell = random.chance(0.6);
  switch (kind % 8) {
    case 0:
      return Mask::none;
    case 1:
      return Mask::future;
    case 2:
      return Mask::past;
    case 3:
      return Mask::strict_future;
    case 4:
      return Visibility(Mask::strict_past) & Visibility::padding(5);
    case 5:
      return Visibility::window(2, 1);
    case 6:
      return Visibility::table(table);
    default:
      return Visibility::blocks(2, table) | Visibility::window(0, 0);
  }
}

}  // namespace quench::attention::testing
