// [Q-penalty]: the nearest key at which pairs of Booleans are equal, in words too long for the scores of [Q-match].
//
//     C·A_b·(B_b + [j = z] − 1)  +  C·(1 − A_b)·(−B_b)   for each pair,  −C·[j is not selected, nor z],
//     U(±(j − 1) − N·[j = z and z is the end that ± prefers]),           C = 4NU, U = 1,024
//
// The key z is an end of the word that every row sees, and B_b is false there: so all penalties are 0 at z and at every
// key that fits, and what is left of their scores, whole multiples of U below 2N ≤ 2^p, is exact in any order. Of these
// keys z has the least. The other keys bear a penalty of C at least, and their scores may be rounded: with T terms by
// E = any_order_error(T, C + 2NU). They stay behind z if
//
//     C ≥ (R_max − R_z) + U + E,     R_max − R_z ≤ (2N − 1)U:     4NU ≥ 2NU + E, since E ≤ T·2^{2−p}·6NU ≤ 2NU.
//
// So one key wins: the nearest that fits, and z if no other does. Where z is the end that the match looks from, a key
// that fits is found in place of z, so the caller asks z by itself.
#include <cmath>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

bool ExactConstructions::penalises() const {
  constexpr int kOthers = 2;  // 0 and what is beyond N have pairs of their own
  return penalises_.value_or(!bounds::equal_match_is_exact(length_, bits_ + kOthers, bounds::kNarrowestSums));
}

ir::Literal ExactConstructions::sink(Mask mask, Direction direction) {
  const bool left = mask == Mask::future || (mask == Mask::none && direction == Direction::past);
  return left ? first() : last();
}

bool ExactConstructions::sink_is_nearest(Mask mask, Direction direction) {
  return mask != Mask::none && (mask == Mask::past) == (direction == Direction::past);
}

ir::HeadId ExactConstructions::penalised_match(Mask mask, Direction direction, const std::vector<Address::Pair>& pairs,
                                               ir::Literal selected, const std::string& name) {
  constexpr double kUnit = bounds::kEqualUnit;
  const double penalty = bounds::kPenalty * length_ * kUnit;  // C
  const ir::Literal at_sink = sink(mask, direction);
  std::vector<ir::Head::Product> fits;
  for (const auto& [query, key] : pairs) {
    fits.push_back({penalty * query, key + at_sink - 1});
    fits.push_back({penalty * (1 - query), -1 * key});
  }
  if (const ir::Literal unfit = graph_.conjunction({!selected, !at_sink}); !graph_.is_false(unfit))
    fits.push_back({penalty, -1 * ir::Affine(unfit)});
  if (sink_is_nearest(mask, direction)) fits.push_back(times_power(-kUnit, at_sink, bits_));
  const double terms = static_cast<double>(fits.size()) + 3;  // and the digits of the position
  QUENCH_ASSERT(bounds::penalised_match_is_exact(length_, terms, bounds::kNarrowestSums));
  return match(mask, direction, std::move(fits), kUnit, name);
}

/// What a sum can be at an end of the word. Under the mask that hides everything else there, heads return the end's own
/// values.
ir::Range ExactConstructions::range_at(ir::Literal end, const ir::Affine& x) {
  ir::Range sum{x.constant, x.constant};
  for (const auto& [node, coefficient] : x.terms) {
    const ir::Range range = range_at(end, node);
    sum.low += coefficient * (coefficient > 0 ? range.low : range.high);
    sum.high += coefficient * (coefficient > 0 ? range.high : range.low);
  }
  return sum;
}

ir::Range ExactConstructions::range_at(ir::Literal end, ir::NodeId node) {
  const Mask alone = end == first() ? Mask::future : Mask::past;
  if (node == end.node) return {1, 1};
  for (int b = 0; alone == Mask::future && b < bits_; ++b)
    if (node == bit(Number::before, b).node) return {0, 0};
  if (const auto* all = std::get_if<ir::And>(&graph_[node]))
    for (const ir::Literal literal : all->literals)
      if (literal == !end) return {0, 0};
  const auto* attend = std::get_if<ir::Attend>(&graph_[node]);
  if (!attend) return graph_.range(node);
  ir::Range sum{0, 0};
  for (const ir::Attend::Part& part : std::vector(attend->parts)) {
    if (graph_[part.head].mask != alone) return graph_.range(node);
    const ir::Range range = range_at(end, part.value);
    sum.low += part.factor * (part.factor > 0 ? range.low : range.high);
    sum.high += part.factor * (part.factor > 0 ? range.high : range.low);
  }
  return sum;
}

ir::Affine ExactConstructions::below_zero_at(ir::Literal end, const ir::Affine& x) {
  return x - std::fmax(0, std::floor(range_at(end, x).high) + 1) * ir::Affine(end);
}

}  // namespace quench::lower
