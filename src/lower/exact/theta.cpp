// [Q-theta]: θ(κ), by asking for position κ.
//
// [Q-count] gives κ, a whole number. [Q-bits] takes bits off y = κ−1 from the top, r per feed-forward: with
// s_m = [y ≥ m2^k] = ReLU(y−m2^k+1) − ReLU(y−m2^k) for 1 ≤ m < 2^r, bit k+b is Σ_m (bit_b(m) − bit_b(m−1))·s_m, exact
// in any order while r plus the number of bits left is at most p+1. What remains is y less the bits taken: no
// coordinate.
//
// The head asks for these bits, and finds the lower ones, y' and lo = (j−1) mod 2^low, by 2Γ(2y'·lo − lo²): relative to
// the key with all bits right, every other is behind by 2Γ(misfits + (y'−lo)²). Sums of some of its terms are below
// 2^{2low+2} multiples of Γ, exact while that is at most 2^p. The value is θ(j).
//
// κ = 0 leaves 0 above and y' = −1, and finds position 1; whether κ ≥ 1 is ReLU(κ) − ReLU(κ−1), and θ(0) is known.
#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using bounds::kExactGamma;
using lang::Scope;

/// The bits of y from the highest down to `low`, and what remains in y.
std::vector<ir::Affine> ExactConstructions::upper_bits(ir::Affine& y, int low, const std::string& label) {
  std::vector<ir::Affine> bits(static_cast<std::size_t>(bits_ - low));  // by b − low
  int left = bits_;
  while (left > low) {
    const int r = std::min(left - low, bounds::bits_at_once(left, bounds::kNarrowestSums)), k = left - r;
    ir::Affine taken;
    for (int b = 0; b < r; ++b) {
      ir::Piecewise bit{{}, 0, 0, 1, true};
      for (int m = 1; m < 1 << r; ++m) {
        const int change = (m >> b & 1) - ((m - 1) >> b & 1);
        if (change == 0) continue;
        bit.units.push_back({y - (m * std::exp2(k) - 1), static_cast<double>(change)});
        bit.units.push_back({y - m * std::exp2(k), static_cast<double>(-change)});
      }
      const ir::Affine value = graph_.add(bit, fmt::format("bit {} of the count less 1 in {}", k + b, label));
      bits[static_cast<std::size_t>(k + b - low)] = value;
      taken += std::exp2(k + b) * value;
    }
    y = y - taken;
    left = k;
  }
  return bits;
}

/// lo², by its bits, which are encodings. No square is 2 or 3 mod 4, so bit 1 is never set.
ir::Affine ExactConstructions::low_square(int low) {
  using Op = IntInstruction::Op;
  ir::Affine square;
  for (int b = 0; b < 2 * low; ++b) {
    if (b == 1) continue;
    Predicate predicate;
    predicate.kind = Predicate::Kind::expression;
    predicate.name = fmt::format("sq{}bit{}", low, b);
    for (int factor = 0; factor < 2; ++factor)
      for (const IntInstruction& step :
           {IntInstruction{Op::x}, IntInstruction{Op::constant, 1}, IntInstruction{Op::subtract},
            IntInstruction{Op::constant, 1 << low}, IntInstruction{Op::modulo}})
        predicate.code.push_back(step);
    for (const IntInstruction& step :
         {IntInstruction{Op::multiply}, IntInstruction{Op::constant, std::int64_t{1} << b}, IntInstruction{Op::divide},
          IntInstruction{Op::constant, 2}, IntInstruction{Op::modulo}})
      predicate.code.push_back(step);
    square += std::exp2(b) * ir::Affine(encoding(predicate));
  }
  return square;
}

ir::Literal ExactConstructions::predicate_of(const Predicate& theta, Scope scope, ir::Literal of,
                                             const std::string& label) {
  using P = Predicate::Kind;
  const bool halves = theta.kind == P::odd || theta.kind == P::even;
  const std::int64_t modulus = halves ? 2 : theta.modulus;
  if ((halves || theta.kind == P::mod) && modulus <= bounds::kLargestModulus) {
    const std::int64_t rest = halves ? theta.kind == P::odd : ((theta.residue % modulus) + modulus) % modulus;
    return modulus == 1 ? graph_.truth(true) : residue(modulus, rest, scope, of, label);
  }
  const ir::Affine count = sum_of({{1, scope, of, label}}, label);
  const ir::Literal positive{
      graph_.add(ir::Piecewise{{{count, 1}, {count - 1, -1}}, 0, 0, 1, true}, "count > 0 in " + label), false};
  const int low = bounds::low_bits(bits_, bounds::kNarrowestSums);
  ir::Affine y = count - 1;
  const std::vector<ir::Affine> upper = upper_bits(y, low, label);

  Address fits;
  for (int b = low; b < bits_; ++b)
    fits.asked.push_back({upper[static_cast<std::size_t>(b - low)], bit(Number::before, b)});
  ir::Head lookup = graph_[address(scope == Scope::left ? Mask::future : Mask::none, fits, HeadStructure::address,
                                   Lemma::q_theta, "count in " + label)];
  ir::Affine index;  // lo
  for (int b = 0; b < low; ++b) index += std::exp2(b) * ir::Affine(bit(Number::before, b));
  lookup.score.push_back({4 * kExactGamma * y, index});
  lookup.score.push_back({-2 * kExactGamma, low_square(low)});

  const ir::Affine found =
      graph_.add(ir::Attend{graph_.add(lookup, "count in " + label), encoding(theta)}, label + ", attended");
  const ir::Literal retrieved = exactly(found, {});
  return graph_.disjunction(
      {graph_.conjunction({positive, retrieved}), graph_.conjunction({!positive, at_zero(theta)})}, label);
}

}  // namespace quench::lower
