// [Q-half] without a sink, for formats with three or four significant bits.
//
// h_k(x) = 2^k⌊x/2^k⌋ − 1 where bit k of x is set, and x elsewhere, is never beyond x: a head that asks for all of its
// bits has one fit in every row, and needs no sink, whose strength of 2(c+1) multiples of Γ is what narrow formats have
// no room for. Above k the bits of h_k(x) are those of x; bit k is 0; below k they are x_b ∨ x_k, which are encodings.
// The score
//     Γ(Σ_{b≠k} (2β_b−1)(2y_b−1) − (2y_k−1)) = Γ(L − 2·misfits)
// is a sum of L terms ±Γ, without the constant of [Q-address]: exact in any order if L ≤ 2^p. E4M3 has p = 4, so L ≤
// 16; E5M2 has p = 3, so L ≤ 8. √d_k·Γ and its products with L terms are within range: 16·16 = 256 ≤ 448 with Γ = 4.
#include <fmt/format.h>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

/// x_b ∨ x_k
static Predicate either_bit(int b, int k) {
  using Step = IntInstruction::Op;
  Predicate predicate;
  predicate.kind = Predicate::Kind::expression;
  predicate.name = fmt::format("bit{}or{}", b, k);
  for (const int bit : {b, k})
    for (const IntInstruction& step :
         {IntInstruction{Step::x}, IntInstruction{Step::constant, 1}, IntInstruction{Step::subtract},
          IntInstruction{Step::constant, std::int64_t{1} << bit}, IntInstruction{Step::divide},
          IntInstruction{Step::constant, 2}, IntInstruction{Step::modulo}})
      predicate.code.push_back(step);
  predicate.code.push_back({Step::logical_or});
  return predicate;
}

ir::HeadId ExactConstructions::half_or_itself(int k, double gap) {
  QUENCH_ASSERT(bounds::half_is_exact(bits_, gap, bounds::kNarrowestSums));
  const double factor = gap / 2;  // Γ
  ir::Head head;
  head.mask = Mask::future;
  head.temperature = recipe_.temperature;
  head.intended = Weighting::ahardmax;
  head.structure = HeadStructure::address;
  head.lemma = Lemma::q_address;
  head.gamma = gap;
  for (int b = 0; b < bits_; ++b) {
    const ir::Affine key = 2 * ir::Affine(bit(Number::before, b)) - 1;
    const ir::Affine asked = b < k ? ir::Affine(encoding(either_bit(b, k))) : ir::Affine(bit(Number::before, b));
    head.score.push_back(b == k ? ir::Head::Product{-factor, key} : ir::Head::Product{factor * (2 * asked - 1), key});
  }
  return graph_.add(head, fmt::format("end of the block of {} before, or here", 1ull << k));
}

}  // namespace quench::lower
