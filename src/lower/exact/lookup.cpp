// Positions by their number. [Q-bits], [Q-theta]
//
// [Q-bits] takes bits off y = κ−1 from the top, r per feed-forward: with s_m = [y ≥ m2^k] = ReLU(y−m2^k+1) −
// ReLU(y−m2^k) for 1 ≤ m < 2^r, bit k+b is Σ_m (bit_b(m) − bit_b(m−1))·s_m, exact in any order while r plus the number
// of bits left is at most p+1. What remains is y less the bits taken: no coordinate. A y below 0 has no bit set, one
// from 2^L on has all of them: they saturate. A bit is a function of y with two pieces for each of its periods. Those
// of an address are functions of its count, of 2^12 pieces at most; where there are more, a proof takes what remains
// after some bits for a number of its own.
//
// The head asks for these bits, and finds the lower ones, y' and lo = (j−1) mod 2^low, by 2Γ(2y'·lo − lo²): relative to
// the key with all bits right, every other is behind by 2Γ(misfits + (y'−lo)²). Sums of some of its terms are below
// 2^{2low+2} multiples of Γ, exact while that is at most 2^p. κ = 0 leaves 0 above and y' = −1, and finds position 1.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using bounds::kExactGamma;

/// How many bits to take off a number of at most `greatest`, of which `left` bits are wanted.
static int bits_to_take(int left, double greatest) {
  const double beyond = std::fmax(0, greatest + 1 - std::exp2(left));
  return std::max(1, bounds::bits_at_once(left, bounds::kNarrowestSums, beyond));
}

std::vector<ir::Affine> ExactConstructions::upper_bits(ir::Affine& y, int low, double greatest,
                                                       const std::string& label, int count, int taken_off) {
  std::vector<ir::Affine> bits(static_cast<std::size_t>(count - low));  // by b − low
  const std::string name = taken_off == 0 ? label : fmt::format("{} less {}", label, taken_off);
  int left = count;
  while (left > low) {
    const int r = std::min(left - low, bits_to_take(left, greatest)), k = left - r;
    ir::Affine taken;
    for (int b = 0; b < r; ++b) {
      ir::Piecewise bit{{}, 0, 0, 1, true};
      for (int m = 1; m < 1 << r; ++m) {
        const int change = (m >> b & 1) - ((m - 1) >> b & 1);
        if (change == 0) continue;
        bit.units.push_back({y - (m * std::exp2(k) - 1), static_cast<double>(change)});
        bit.units.push_back({y - m * std::exp2(k), static_cast<double>(-change)});
      }
      const ir::Affine value = graph_.add(bit, fmt::format("bit {} of {}", k + b, name));
      bits[static_cast<std::size_t>(k + b - low)] = value;
      taken += std::exp2(k + b) * value;
    }
    y = y - taken;
    greatest = std::max(std::exp2(k) - 1, greatest - (std::exp2(left) - std::exp2(k)));
    left = k;
  }
  return bits;
}

/// lo², by its bits, which are encodings. No square is 2 or 3 mod 4, so bit 1 is never set.
ir::Affine ExactConstructions::low_square(int low) {
  using Operation = IntInstruction::Op;
  ir::Affine square;
  for (int b = 0; b < 2 * low; ++b) {
    if (b == 1) continue;
    Predicate predicate;
    predicate.kind = Predicate::Kind::expression;
    predicate.name = fmt::format("sq{}bit{}", low, b);
    for (int factor = 0; factor < 2; ++factor)
      for (const IntInstruction& step :
           {IntInstruction{Operation::x}, IntInstruction{Operation::constant, 1}, IntInstruction{Operation::subtract},
            IntInstruction{Operation::constant, 1 << low}, IntInstruction{Operation::modulo}})
        predicate.code.push_back(step);
    for (const IntInstruction& step :
         {IntInstruction{Operation::multiply}, IntInstruction{Operation::constant, std::int64_t{1} << b},
          IntInstruction{Operation::divide}, IntInstruction{Operation::constant, 2}, IntInstruction{Operation::modulo}})
      predicate.code.push_back(step);
    square += std::exp2(b) * ir::Affine(encoding(predicate));
  }
  return square;
}

ir::HeadId ExactConstructions::lookup(const ir::Affine& address, Mask mask, Lemma lemma, const std::string& name) {
  const int low = bounds::low_bits(bits_, bounds::kNarrowestSums);
  ir::Affine y = address - 1;
  const std::vector<ir::Affine> upper = upper_bits(y, low, length_ - 1, name, bits_);
  Address fits;
  for (int b = low; b < bits_; ++b)
    fits.asked.push_back({upper[static_cast<std::size_t>(b - low)], bit(Number::before, b)});
  ir::Head head = graph_[this->address(mask, fits, HeadStructure::address, lemma, name)];
  ir::Affine index;  // lo
  for (int b = 0; b < low; ++b) index += std::exp2(b) * ir::Affine(bit(Number::before, b));
  head.score.push_back({4 * kExactGamma * y, index});
  head.score.push_back({-2 * kExactGamma, low_square(low)});
  return graph_.add(head, name);
}

ir::HeadId ExactConstructions::mirrored() {
  Address fits;
  for (int b = 0; b < bits_; ++b) fits.asked.push_back({bit(Number::after, b), bit(Number::before, b)});
  return address(Mask::none, fits, HeadStructure::address, Lemma::q_address, "mirror image");
}

}  // namespace quench::lower
