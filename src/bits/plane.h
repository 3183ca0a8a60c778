// Bit planes: the truth of a formula at 64 positions per machine word. Bit i mod 64 of word i / 64 is position i + 1;
// bits beyond the last position are 0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/word.h"

namespace quench::bits {

using Bits = std::uint64_t;
using Plane = std::vector<Bits>;
inline constexpr std::size_t kBits = 64;
inline constexpr Bits kAll = ~Bits{0};

inline std::size_t words_for(std::size_t n) { return (n + kBits - 1) / kBits; }
/// The bits of the last word that stand for positions.
inline Bits last_mask(std::size_t n) { return kAll >> (words_for(n) * kBits - n); }

std::size_t population(const Plane& plane);

/// planes[s] becomes where `word` has the symbol symbols[s].
void symbol_planes(std::span<const Symbol> word, std::span<const Symbol> symbols, std::span<Plane* const> planes);

/// r(i) = q(i) ∨ (p(i) ∧ r(i − 1)), r(0) = before, and its mirror image, r(n + 1) = after. `out` may be p or q.
void spread_right(const Plane& p, const Plane& q, bool before, std::size_t n, Plane& out);
void spread_left(const Plane& p, const Plane& q, bool after, std::size_t n, Plane& out);

/// The value one position before (after), `edge` at the first (last) position.
void shift_right(const Plane& p, bool edge, std::size_t n, Plane& out);
void shift_left(const Plane& p, bool edge, std::size_t n, Plane& out);

}  // namespace quench::bits
