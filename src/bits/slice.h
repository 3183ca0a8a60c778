// Slices: the truth of a formula at one position of 512 words at once. Bit w mod 64 of lane w / 64 is word w. Words of
// different lengths share a group of slices; beyond its end a word's bits mean nothing.
#pragma once

#include <span>
#include <vector>

#include "bits/plane.h"

namespace quench::bits {

inline constexpr std::size_t kLanes = 8;
inline constexpr std::size_t kGroup = kLanes * kBits;  ///< words side by side

struct alignas(kLanes * sizeof(Bits)) Slice {
  Bits lanes[kLanes];
};
using Slices = std::vector<Slice>;
using Text = std::span<const Symbol>;

/// The lengths of a group's words: all reach `shortest`, none goes beyond `longest`.
struct Extent {
  std::size_t shortest = 0, longest = 0;
  Slices alive;  ///< at position shortest + k: the words that reach it

  static Extent of(std::span<const Text> words);
};

/// slices[s] becomes where the words (at most kGroup) have the symbol symbols[s]: `longest` slices each.
void symbol_slices(std::span<const Text> words, std::size_t longest, std::span<const Symbol> symbols,
                   std::span<Slice* const> slices);

/// The planes of the words, each as in plane.h, out of their slices: words_for(its length) at planes[w].
void planes_of(const Slice* slices, std::span<const Text> words, std::span<Bits* const> planes);

/// 8 matrices of 64 × 64 bits, one in each lane: bit b of row r becomes bit r of row b.
void transpose(Slice* rows);

}  // namespace quench::bits
