// [Q-match]: the nearest key that fits. ⊖ ⊕, since, until, existence. U = 768, beyond N = 2^21 1,024.
//
//   nearest      U(N·S_j ± (j−1)): a selected key is ahead of one that is not by U(N − |j−j'|) ≥ U, and of two that are
//                alike the nearer to the end that ± says by at least U. So the nearest selected key wins; if there is
//                none, the nearest of all, i itself.
//   neighbour    U((2A_i−1)(2B_j−1) ± (j−1)) with A = ¬bit0(i), B = bit0(j): under the future mask i−1 is ahead of i by
//                U(2 − 1), of i−3, i−5, … by 2U and more, of i−2, i−4 … by 3U and more. At the first position there is
//                no other (and i is found).
//   equal        U(M Σ_b (2A_b−1)(2B_b−1) ± (j−1)), M = N/2, over pairs of Booleans: a pair that differs costs 2MU =
//                NU, more than positions can make up for, so the nearest wins among the keys where the fewest pairs
//                differ. U = 1,024: with B pairs the scores are below (B/2 + 1)N multiples of it. Longer words:
//                penalty.cpp.
// One key wins, all others underflow ([Q-gap]).
//
// j−1 is written in base-256 digits, each a product of its own, so that half formats store them exactly. A factor 2^e
// is split: up to 2^5 in the query, the rest in the key. With √d_k = 2 queries are at most 2·768·2^5 = 49,152 and keys,
// at N ≤ 2^20, at most 2^15: float16 ends at 65,504. That is why U is not 1,024. In multiples of 2^8 the terms add up
// to less than 3·2N ≤ 2^p, so they are exact in any order; with U = 1,024, of which there are less than 2N, for N =
// 2^23.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using lang::Scope;

double ExactConstructions::match_unit() const { return bounds::match_unit(length_, bounds::kNarrowestSums); }

ir::Head::Product ExactConstructions::times_power(double factor, ir::Affine key, int exponent, int in_the_query) {
  const int in_query = std::min(exponent, in_the_query);
  return {std::exp2(in_query) * factor, std::exp2(exponent - in_query) * key};
}

ir::HeadId ExactConstructions::match(Mask mask, Direction direction, std::vector<ir::Head::Product> fits, double unit,
                                     const std::string& name) {
  constexpr int kDigit = 8;
  const bool past = direction == Direction::past;
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.intended = past ? Weighting::rhardmax : Weighting::lhardmax;
  head.structure = HeadStructure::match;
  head.lemma = Lemma::q_match;
  head.gamma = unit;
  head.score = std::move(fits);
  for (int low = 0; low < bits_; low += kDigit) {
    ir::Affine digit;
    for (int b = low; b < std::min(low + kDigit, bits_); ++b)
      digit += std::exp2(b - low) * ir::Affine(bit(Number::before, b));
    head.score.push_back(times_power(past ? unit : -unit, digit, low));
  }
  return graph_.add(head, name);
}

ir::HeadId ExactConstructions::selected_match(Mask mask, Direction direction, ir::Literal selected,
                                              const std::string& name) {
  QUENCH_ASSERT(bounds::selected_match_is_exact(length_, bounds::kNarrowestSums));
  return match(mask, direction, {times_power(match_unit(), selected, bits_)}, match_unit(), name);
}

ir::HeadId ExactConstructions::equal_match(Mask mask, Direction direction, const std::vector<Address::Pair>& pairs,
                                           ir::Literal selected, const std::string& name) {
  constexpr double kUnit = bounds::kEqualUnit;
  std::vector<ir::Head::Product> fits;
  for (const auto& [query, key] : pairs) fits.push_back({kUnit * length_ / 2 * (2 * query - 1), 2 * key - 1});
  if (!graph_.is_true(selected)) fits.push_back(times_power(kUnit, selected, bits_));
  return match(mask, direction, std::move(fits), kUnit, name);
}

ir::HeadId ExactConstructions::neighbour(Direction direction) {
  const bool past = direction == Direction::past;
  const ir::Affine sign = 2 * ir::Affine(bit(Number::before, 0)) - 1;
  return match(past ? Mask::future : Mask::past, direction, {{-match_unit() * sign, sign}}, match_unit(),
               past ? "position before" : "position after");
}

ir::Literal ExactConstructions::nearest(Direction direction, ir::Literal selected, ir::Literal value,
                                        const std::string& label) {
  const Mask mask = direction == Direction::past ? Mask::future : Mask::past;
  const ir::HeadId head = selected_match(mask, direction, selected, label);
  return exactly(graph_.add(ir::Attend{head, value}, label + ", attended"), label);
}

ir::Literal ExactConstructions::neighbour(Direction direction, ir::Literal phi, const std::string& label) {
  const bool past = direction == Direction::past;
  const ir::NodeId there = graph_.add(ir::Attend{neighbour(direction), phi}, label + ", or at the end, attended");
  return graph_.conjunction({exactly(there, label + ", or at the end"), past ? !first() : !last()}, label);
}

}  // namespace quench::lower
