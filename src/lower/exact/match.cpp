// [Q-match]: the nearest key that fits. ⊖ ⊕, since, until, existence. U = 768.
//
//   nearest      U(N·S_j ± (j−1)): a selected key is ahead of one that is not by U(N − |j−j'|) ≥ U, and of two that are
//                alike the nearer to the end that ± says by at least U. So the nearest selected key wins; if there is
//                none, the nearest of all, i itself.
//   neighbour    U((2A_i−1)(2B_j−1) ± (j−1)) with A = ¬bit0(i), B = bit0(j): under the future mask i−1 is ahead of i by
//                U(2 − 1), of i−3, i−5, … by 2U and more, of i−2, i−4 … by 3U and more. At the first position there is
//                no other (and i is found).
// One key wins, all others underflow ([Q-gap]).
//
// j−1 is written in base-256 digits, each a product of its own, so that half formats store them exactly. A factor 2^e
// is split: up to 2^5 in the query, the rest in the key. With √d_k = 2 queries are at most 2·768·2^5 = 49,152 and keys,
// at N ≤ 2^20, at most 2^15: float16 ends at 65,504. That is why U is not 1,024. In multiples of 2^8 the terms add up
// to less than 3·2N ≤ 2^p, so they are exact in any order.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using bounds::kMatchUnit;
using lang::Scope;

/// factor·2^exponent·key
ir::Head::Product ExactConstructions::times_power(double factor, ir::Affine key, int exponent) {
  constexpr int kInTheQuery = 5;
  const int in_query = std::min(exponent, kInTheQuery);
  return {std::exp2(in_query) * factor, std::exp2(exponent - in_query) * key};
}

ir::Literal ExactConstructions::match(Mask mask, Direction direction, ir::Head::Product fits, ir::Literal value,
                                      const std::string& name, const std::string& label) {
  constexpr int kDigit = 8;
  QUENCH_ASSERT(bounds::match_is_exact(length_, bounds::kNarrowestSums));
  const bool past = direction == Direction::past;
  ir::Head head;
  head.mask = mask;
  head.temperature = recipe_.temperature;
  head.intended = past ? Weighting::rhardmax : Weighting::lhardmax;
  head.structure = HeadStructure::match;
  head.lemma = Lemma::q_match;
  head.gamma = kMatchUnit;
  head.score = {std::move(fits)};
  for (int low = 0; low < bits_; low += kDigit) {
    ir::Affine digit;
    for (int b = low; b < std::min(low + kDigit, bits_); ++b)
      digit += std::exp2(b - low) * ir::Affine(bit(Number::before, b));
    head.score.push_back(times_power(past ? kMatchUnit : -kMatchUnit, digit, low));
  }
  return exactly(graph_.add(ir::Attend{graph_.add(head, name), value}, label + ", attended"), label);
}

ir::Literal ExactConstructions::selected_match(Scope scope, ir::Literal selected, ir::Literal value,
                                               const std::string& label) {
  return match(mask_of(scope), scope == Scope::right ? Direction::future : Direction::past,
               times_power(kMatchUnit, selected, bits_), value, label, label);
}

ir::Literal ExactConstructions::nearest(Direction direction, ir::Literal selected, ir::Literal value,
                                        const std::string& label) {
  return selected_match(direction == Direction::past ? Scope::left : Scope::right, selected, value, label);
}

ir::Literal ExactConstructions::neighbour(Direction direction, ir::Literal phi, const std::string& label) {
  const bool past = direction == Direction::past;
  const ir::Literal parity = bit(Number::before, 0);
  const ir::Affine sign = 2 * ir::Affine(parity) - 1;
  const ir::Literal there = match(past ? Mask::future : Mask::past, direction, {-kMatchUnit * sign, sign}, phi,
                                  past ? "position before" : "position after", label + ", or at the end");
  return graph_.conjunction({there, past ? !first() : !last()}, label);
}

}  // namespace quench::lower
