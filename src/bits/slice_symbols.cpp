// Slices of symbols: every word gives 64 positions of each symbol as 64 bits, and 64 words of them are transposed.
#include <algorithm>

#include "bits/slice.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bits/slice_symbols.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace quench::bits::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Bit k becomes whether text[k] is the symbol, k < count ≤ 64.
HWY_INLINE Bits equal_bits(const Symbol* text, std::size_t count, Symbol symbol) {
  const hn::CappedTag<Symbol, kBits> d;
  const auto wanted = hn::Set(d, symbol);
  const std::size_t width = hn::Lanes(d);
  Bits bits = 0;
  std::size_t k = 0;
  for (; k + width <= count; k += width) {
    Bits some = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, text + k), wanted), reinterpret_cast<std::uint8_t*>(&some));
    bits |= some << k;
  }
  if (k == count) return bits;
#if HWY_TARGET <= HWY_AVX2
  const auto used = hn::FirstN(d, count - k);
  const auto part = hn::MaskedLoad(used, d, text + k);  // does not touch what it leaves out
  Bits some = 0;
  hn::StoreMaskBits(d, hn::And(used, hn::Eq(part, wanted)), reinterpret_cast<std::uint8_t*>(&some));
  bits |= some << k;
#else
  for (; k < count; ++k) bits |= static_cast<Bits>(text[k] == symbol ? 1 : 0) << k;
#endif
  return bits;
}

void compare_words(std::span<const Text> words, std::size_t first, std::span<const Symbol> symbols, Slice* rows) {
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::size_t size = words[w].size();
    if (size <= first) continue;
    for (std::size_t s = 0; s < symbols.size(); ++s)
      rows[s * kBits + w % kBits].lanes[w / kBits] =
          equal_bits(words[w].data() + first, std::min(kBits, size - first), symbols[s]);
  }
}

}  // namespace quench::bits::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::bits {

HWY_EXPORT(compare_words);

void symbol_slices(std::span<const Text> words, std::size_t longest, std::span<const Symbol> symbols,
                   std::span<Slice* const> slices) {
  Slices rows(symbols.size() * kBits);
  for (std::size_t first = 0; first < longest; first += kBits) {
    std::fill(rows.begin(), rows.end(), Slice{});
    HWY_DYNAMIC_DISPATCH(compare_words)(words, first, symbols, rows.data());
    for (std::size_t s = 0; s < symbols.size(); ++s) {
      transpose(rows.data() + s * kBits);
      std::copy_n(rows.data() + s * kBits, std::min(kBits, longest - first), slices[s] + first);
    }
  }
}

}  // namespace quench::bits
#endif
