// Arithmetic of whole numbers in feed-forward sublayers. [Q-cmp]
//
//     [D ≥ 0] = ReLU(D+1) − ReLU(D),     [D = 0] = ReLU(D+1) − 2ReLU(D) + ReLU(D−1)
//     [D = 0 ∧ a ∧ b] = [D + K(2−a−b) = 0], K > |D|
//     x where c holds, else 0: ReLU(x + K(c−1)) − ReLU(−x + K(c−1)), K ≥ |x|; the second part is needed for x < 0 only
//     x within 1 … m: 1 + ReLU(x−1) − ReLU(x−m)
// All of it is exact in any order while |D| + 1, 2K and |x| + m are at most 2^p.
#include <algorithm>
#include <cmath>

#include "lower/exact/exact.h"

namespace quench::lower {
namespace {

double magnitude(const ir::Range& range) { return std::fmax(std::fabs(range.low), std::fabs(range.high)); }

}  // namespace

ir::Affine ExactConstructions::number(Number of) {
  ir::Affine sum;
  const int bits = of == Number::length ? bits_ + 1 : bits_;
  for (int b = 0; b < bits; ++b) sum += std::exp2(b) * ir::Affine(bit(of, b));
  return sum;
}

ir::Affine ExactConstructions::clamped_position(const ir::Affine& x) {
  const ir::Affine most = recipe_.decoder ? number(Number::before) + 1 : number(Number::length);
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

ir::Affine ExactConstructions::choose(const std::vector<std::pair<ir::Literal, ir::Affine>>& branches,
                                      const std::string& label) {
  ir::Piecewise chosen{{}, 0, 0, 0};
  for (const auto& [condition, value] : branches) {
    if (graph_.is_false(condition)) continue;
    if (graph_.is_true(condition)) return value;
    const ir::Range range = graph_.range(value);
    chosen.low = std::min(chosen.low, range.low);
    chosen.high = std::max(chosen.high, range.high);
    if (value.is_constant()) {
      if (value.constant != 0) chosen.units.push_back({condition, value.constant});
      continue;
    }
    const ir::Affine off = magnitude(range) * ir::Affine(!condition);
    if (range.high > 0) chosen.units.push_back({value - off, 1});
    if (range.low < 0) chosen.units.push_back({-1 * value - off, -1});
  }
  if (chosen.units.empty()) return 0;
  return graph_.add(chosen, label);
}

}  // namespace quench::lower
