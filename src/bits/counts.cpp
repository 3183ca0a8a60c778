// With #→ = total − #← + [φ(i)], a comparison asks for the sign of
//
//   D(i) = K + Σ_k w_k · #←φ_k (i) + Σ_k u_k [φ_k(i)]
//
// In a block of 64 positions D differs from its value before the block by less than R = 64 Σ|w| + Σ|u| + 1. If that
// value is at least R in size, the block is decided. Otherwise the numbers are added with one bit plane per binary
// digit: in-block prefix counts by doubling, then the scaled sum in two's complement. Eight blocks go side by side in a
// vector.
#include "bits/counts.h"

#include <algorithm>
#include <cmath>

#include "base/number/int128.h"
#include "base/number/multiversion.h"

namespace quench::bits {
namespace {

constexpr std::size_t kBlocks = 8;
using Group = Bits __attribute__((vector_size(kBlocks * sizeof(Bits))));
constexpr std::size_t kCountDigits = 7;  // of 0 … 64
constexpr std::size_t kMostDigits = 64;

#define QUENCH_INLINE __attribute__((always_inline)) inline

/// digits[0 … 6]: how many of the bits up to and including this one are set in x.
QUENCH_INLINE void prefix_counts(const Group& x, Group* digits) {
  digits[0] = x;
  for (std::size_t width = 1; width < kCountDigits; ++width) {
    const int s = 1 << (width - 1);
    Group carry{};
    for (std::size_t b = 0; b < width; ++b) {
      const Group a = digits[b], y = a << s, half = a ^ y;
      digits[b] = half ^ carry;
      carry = (a & y) | (half & carry);
    }
    digits[width] = carry;
  }
}

/// sum += coefficient · x, numbers of `width` digits in two's complement; x has `digits` digits and is not negative.
QUENCH_INLINE void add_scaled(Group* sum, std::size_t width, const Group* x, std::size_t digits,
                              std::int64_t coefficient) {
  const bool negative = coefficient < 0;
  const Bits size = negative ? Bits{0} - static_cast<Bits>(coefficient) : static_cast<Bits>(coefficient);
  const Group flip = Group{} - static_cast<Bits>(negative ? 1 : 0);  // −y = ¬y + 1
  for (std::size_t shift = 0; shift < width; ++shift) {
    if (!(size >> shift & 1)) continue;
    Group carry = flip;
    for (std::size_t b = shift; b < width; ++b) {
      const Group a = sum[b], y = b - shift < digits ? x[b - shift] ^ flip : flip, half = a ^ y;
      sum[b] = half ^ carry;
      carry = (a & y) | (half & carry);
    }
  }
}

/// Vectors go by reference: returning one would depend on the instruction set of the caller.
QUENCH_INLINE void truth(lang::Relation relation, const Group& negative, const Group& nonzero, Group& result) {
  switch (relation) {
    case lang::Relation::less:
      result = negative;
      break;
    case lang::Relation::less_equal:
      result = negative | ~nonzero;
      break;
    case lang::Relation::greater:
      result = ~negative & nonzero;
      break;
    case lang::Relation::greater_equal:
      result = ~negative;
      break;
    case lang::Relation::equal:
      result = ~nonzero;
      break;
    case lang::Relation::not_equal:
      result = nonzero;
      break;
  }
}

/// A count by what it adds to D: w to the prefix sum, u at the position itself.
struct Part {
  const Plane* of;
  std::int64_t prefix, local;
};

struct Difference {
  std::vector<Part> parts;
  std::int64_t before = 0;  ///< D before the first position
  std::int64_t reach = 1;   ///< R
};

/// One group of blocks from word `first` on; `before` moves on to the end of the group.
QUENCH_INLINE void compare_group(const Difference& difference, lang::Relation relation, std::size_t first,
                                 std::size_t blocks, std::int64_t& before, Group& result) {
  const std::int64_t reach = difference.reach;
  Group start{};
  bool decided = true;
  for (std::size_t k = 0; k < blocks; ++k) {
    decided &= before >= reach || before <= -reach;
    start[k] = static_cast<Bits>(std::clamp(before, -reach, reach));
    for (const Part& part : difference.parts) before += part.prefix * std::popcount((*part.of)[first + k]);
  }
  if (decided) return truth(relation, Group{} - (start >> 63), ~Group{}, result);
  const std::size_t width = static_cast<std::size_t>(std::bit_width(static_cast<Bits>(2 * reach))) + 1;
  Group sum[kMostDigits];
  for (std::size_t b = 0; b < width; ++b) sum[b] = Group{} - (start >> b & 1);
  for (const Part& part : difference.parts) {
    Group here{}, count[kCountDigits];
    for (std::size_t k = 0; k < blocks; ++k) here[k] = (*part.of)[first + k];
    if (part.local != 0) add_scaled(sum, width, &here, 1, part.local);
    if (part.prefix == 0) continue;
    prefix_counts(here, count);
    add_scaled(sum, width, count, kCountDigits, part.prefix);
  }
  Group nonzero{};
  for (std::size_t b = 0; b < width; ++b) nonzero |= sum[b];
  truth(relation, sum[width - 1], nonzero, result);
}

QUENCH_MULTIVERSION void compare_all(const Difference& difference, lang::Relation relation, Plane& out) {
  std::int64_t before = difference.before;
  for (std::size_t first = 0; first < out.size(); first += kBlocks) {
    const std::size_t blocks = std::min(kBlocks, out.size() - first);
    Group result{};
    compare_group(difference, relation, first, blocks, before, result);
    for (std::size_t k = 0; k < blocks; ++k) out[first + k] = result[k];
  }
}

/// The lowest bits of `source`, in order, to where `mask` has its bits.
Bits deposit_by_loop(Bits source, Bits mask) {
  Bits result = 0;
  for (; mask != 0; mask &= mask - 1, source >>= 1) result |= source & 1 ? mask & (Bits{0} - mask) : 0;
  return result;
}

/// 64 bits of a plane from bit `at` on; beyond its end they are 0.
QUENCH_INLINE Bits window(const Plane& plane, std::size_t at) {
  const std::size_t w = at / kBits, b = at % kBits;
  const Bits low = w < plane.size() ? plane[w] >> b : 0;
  return b == 0 || w + 1 >= plane.size() ? low : low | plane[w + 1] << (kBits - b);
}

// The count grows at the positions of `of` only. In a block that starts at count c, the values θ(c + 1), θ(c + 2), …
// are handed out to these positions in order, and every other position has the value of the one before: a spread to the
// right.
class HandOut {
 public:
  explicit HandOut(const Plane& table) : table_(table) {}
  /// The values for the next block, at its first bits.
  QUENCH_INLINE Bits next() const { return window(table_, count_ + 1); }
  /// The block's truth, from the values at their places.
  QUENCH_INLINE Bits block(Bits grows, Bits placed) {
    const Bits a = ~grows | placed, sum = a + placed + (window(table_, count_) & 1);
    count_ += static_cast<std::size_t>(std::popcount(grows));
    return placed | (a & ~sum);
  }

 private:
  const Plane& table_;
  std::size_t count_ = 0;
};

void hand_out_by_loop(const Plane& of, const Plane& table, Plane& out) {
  HandOut hand(table);
  for (std::size_t w = 0; w < out.size(); ++w) out[w] = hand.block(of[w], deposit_by_loop(hand.next(), of[w]));
}

#if defined(__x86_64__)
__attribute__((target("bmi2,popcnt"))) void hand_out_by_instruction(const Plane& of, const Plane& table, Plane& out) {
  HandOut hand(table);
  for (std::size_t w = 0; w < out.size(); ++w) out[w] = hand.block(of[w], __builtin_ia32_pdep_di(hand.next(), of[w]));
}
const auto hand_out_fast = __builtin_cpu_supports("bmi2") ? hand_out_by_instruction : hand_out_by_loop;
#else
const auto hand_out_fast = hand_out_by_loop;
#endif

}  // namespace

bool fits(double coefficients, double constant, std::size_t n) {
  // D and 4R stay below 2^62.
  return coefficients * std::max(static_cast<double>(n), 65.0) * 4 + std::fabs(constant) < 0x1p61;
}

void compare(std::span<const CountedPlane> counts, std::int64_t constant, lang::Relation relation, std::size_t n,
             Plane& out) {
  Difference difference{{}, constant, 1};
  for (const CountedPlane& count : counts) {
    const std::int64_t c = count.coefficient;
    if (count.scope != lang::Scope::left) difference.before += c * static_cast<std::int64_t>(population(*count.of));
    if (count.scope == lang::Scope::all) continue;
    const bool left = count.scope == lang::Scope::left;
    difference.parts.push_back({count.of, left ? c : -c, left ? 0 : c});
    difference.reach += std::abs(c) * static_cast<std::int64_t>(left ? kBits : kBits + 1);
  }
  out.resize(words_for(n));
  compare_all(difference, relation, out);
  out.back() &= last_mask(n);
}

/// The rest is carried along: #← grows before it is read, #→ shrinks after.
void congruent(std::span<const CountedPlane> counts, std::int64_t constant, const ResidueClass& residues, std::size_t n,
               Plane& out) {
  const auto m = static_cast<Bits>(residues.modulus);
  const auto modulo_m = [&](std::int64_t x) {
    const std::int64_t rest = x % residues.modulus;
    return static_cast<Bits>(rest < 0 ? rest + residues.modulus : rest);
  };
  Bits rest = modulo_m(constant);  // < m < 2^63, and so is each step
  std::vector<std::pair<const Plane*, Bits>> grows, shrinks;
  for (const CountedPlane& count : counts) {
    const Bits step = modulo_m(count.coefficient);
    if (step == 0) continue;
    if (count.scope == lang::Scope::left) grows.emplace_back(count.of, step);
    if (count.scope == lang::Scope::right) shrinks.emplace_back(count.of, m - step);
    if (count.scope != lang::Scope::left)
      rest = static_cast<Bits>((static_cast<Uint128>(step) * population(*count.of) + rest) % m);
  }
  const auto step_on = [&](const std::vector<std::pair<const Plane*, Bits>>& steps, std::size_t w, std::size_t b) {
    for (const auto& [of, step] : steps)
      if ((*of)[w] >> b & 1) rest = rest + step >= m ? rest + step - m : rest + step;
  };
  out.assign(words_for(n), 0);
  for (std::size_t i = 0; i < n; ++i) {
    step_on(grows, i / kBits, i % kBits);
    out[i / kBits] |= static_cast<Bits>(rest == static_cast<Bits>(residues.residue) ? 1 : 0) << i % kBits;
    step_on(shrinks, i / kBits, i % kBits);
  }
}

void look_up(const Plane& of, lang::Scope scope, const Plane& holds, std::size_t n, Plane& out) {
  const std::size_t total = scope == lang::Scope::left ? 0 : population(of);
  const auto bit = [&](std::size_t x) { return (holds[x / kBits] >> x % kBits & 1) != 0; };
  if (scope == lang::Scope::all) {
    out.assign(words_for(n), bit(total) ? kAll : 0);
  } else {
    Plane reversed;  // #→(i) = total − #←(i − 1): the table from `total` downwards, and one position later
    if (scope == lang::Scope::right) {
      reversed.assign(words_for(total + 1), 0);
      for (std::size_t x = 0; x <= total; ++x)
        reversed[x / kBits] |= static_cast<Bits>(bit(total - x) ? 1 : 0) << x % kBits;
    }
    const Plane& table = scope == lang::Scope::right ? reversed : holds;
    out.resize(words_for(n));
    hand_out_fast(of, table, out);
    if (scope == lang::Scope::right) shift_right(Plane(out), (table[0] & 1) != 0, n, out);
  }
  out.back() &= last_mask(n);
}

}  // namespace quench::bits
