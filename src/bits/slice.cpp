#include "bits/slice.h"

#include <algorithm>

#include "bits/slice_lanes.h"

namespace quench::bits {

Extent Extent::of(std::span<const Text> words) {
  Extent extent;
  if (words.empty()) return extent;
  extent.shortest = words.front().size();
  for (const Text& word : words) {
    extent.shortest = std::min(extent.shortest, word.size());
    extent.longest = std::max(extent.longest, word.size());
  }
  extent.alive.assign(extent.longest - extent.shortest, Slice{});
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::size_t i = extent.shortest; i < words[w].size(); ++i)
      extent.alive[i - extent.shortest].lanes[w / kBits] |= Bits{1} << w % kBits;
  return extent;
}

// Blocks of s × s are exchanged across the diagonal, s = 32, 16, …, 1.
QUENCH_MULTIVERSION void transpose(Slice* slices) {
  Vector* rows = vectors(slices);
  Bits mask = kAll >> 32;
  for (std::size_t s = 32; s > 0; s /= 2, mask ^= mask << s)
    for (std::size_t r = 0; r < kBits; r = (r + s + 1) & ~s) {
      const Vector moved = ((rows[r] >> s) ^ rows[r + s]) & mask;
      rows[r + s] ^= moved;
      rows[r] ^= moved << s;
    }
}

void planes_of(const Slice* slices, std::span<const Text> words, std::span<Bits* const> planes) {
  std::size_t longest = 0;
  for (const Text& word : words) longest = std::max(longest, word.size());
  Slice rows[kBits];
  for (std::size_t block = 0; block < words_for(longest); ++block) {
    const std::size_t first = block * kBits, count = std::min(kBits, longest - first);
    std::copy_n(slices + first, count, rows);
    std::fill(rows + count, rows + kBits, Slice{});
    transpose(rows);
    for (std::size_t w = 0; w < words.size(); ++w) {
      const std::size_t blocks = words_for(words[w].size());
      if (block >= blocks) continue;
      const Bits bits = rows[w % kBits].lanes[w / kBits];
      planes[w][block] = block + 1 == blocks ? bits & last_mask(words[w].size()) : bits;
    }
  }
}

}  // namespace quench::bits
