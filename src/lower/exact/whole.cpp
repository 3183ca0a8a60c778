// Arithmetic of whole numbers in feed-forward sublayers. [Q-cmp]
//
//     [D ≥ 0] = ReLU(D+1) − ReLU(D),     [D = 0] = ReLU(D+1) − 2ReLU(D) + ReLU(D−1)
//     [D = 0 ∧ a ∧ b] = [D + K(2−a−b) = 0], K > |D|
//     x within 1 … m: 1 + ReLU(x−1) − ReLU(x−m)
// All of it is exact in any order while |D| + 1, 2K and |x| + m are at most 2^p. Choices are in choice.cpp.
#include <algorithm>
#include <cmath>

#include "lower/exact/exact.h"

namespace quench::lower {
namespace {

double magnitude(const ir::Range& range) { return std::fmax(std::fabs(range.low), std::fabs(range.high)); }

}  // namespace

ir::Affine ExactConstructions::number(Number of) {
  ir::Affine sum;
  for (int b = 0; b < bits_; ++b) sum += std::exp2(b) * ir::Affine(bit(of, b));
  return sum;
}

ir::Affine ExactConstructions::clamped_position(const ir::Affine& x) {
  const ir::Affine most = recipe_.decoder ? number(Number::before) + 1 : length();
  return graph_.add(ir::Piecewise{{{x - 1, 1}, {x - most, -1}}, 1, 1, length_}, "position");
}

ir::Literal ExactConstructions::not_negative(const ir::Affine& x, const std::string& label) {
  const ir::Range range = graph_.range(x);
  if (range.low >= 0) return graph_.truth(true);
  if (range.high < 0) return graph_.truth(false);
  return {graph_.add(ir::Piecewise{{{x + 1, 1}, {x, -1}}, 0, 0, 1, true}, label), false};
}

ir::Literal ExactConstructions::zero(const ir::Affine& x, const std::vector<ir::Literal>& literals,
                                     const std::string& label) {
  const ir::Range range = graph_.range(x);
  if (range.low > 0 || range.high < 0) return graph_.truth(false);
  const double greatest = magnitude(range) + 1;
  ir::Affine d = x;
  for (const ir::Literal literal : literals)
    if (!graph_.is_true(literal)) d += greatest * ir::Affine(!literal);
  return {graph_.add(ir::Piecewise{{{d + 1, 1}, {d, -2}, {d - 1, 1}}, 0, 0, 1, true}, label), false};
}

}  // namespace quench::lower
