// Planes of symbols: one comparison per symbol and vector of positions, read in one pass over the word.
#include "bits/plane.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bits/symbols.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace quench::bits::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Bit k is set where symbols[k] == symbol, for 64 symbols.
HWY_INLINE Bits equal_bits(const Symbol* symbols, Symbol symbol) {
  const hn::CappedTag<Symbol, kBits> d;
  const auto wanted = hn::Set(d, symbol);
  const std::size_t lanes = hn::Lanes(d);
  Bits bits = 0;
  for (std::size_t k = 0; k < kBits; k += lanes) {
    Bits some = 0;
    hn::StoreMaskBits(d, hn::Eq(hn::LoadU(d, symbols + k), wanted), reinterpret_cast<std::uint8_t*>(&some));
    bits |= some << k;
  }
  return bits;
}

void compare(std::span<const Symbol> word, std::span<const Symbol> symbols, std::span<Plane* const> planes) {
  const std::size_t whole = word.size() / kBits;
  for (std::size_t w = 0; w < whole; ++w)
    for (std::size_t s = 0; s < symbols.size(); ++s) (*planes[s])[w] = equal_bits(word.data() + w * kBits, symbols[s]);
}

}  // namespace quench::bits::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::bits {

HWY_EXPORT(compare);

void symbol_planes(std::span<const Symbol> word, std::span<const Symbol> symbols, std::span<Plane* const> planes) {
  for (Plane* plane : planes) plane->assign(words_for(word.size()), 0);
  HWY_DYNAMIC_DISPATCH(compare)(word, symbols, planes);
  for (std::size_t i = word.size() / kBits * kBits; i < word.size(); ++i)
    for (std::size_t s = 0; s < symbols.size(); ++s)
      planes[s]->back() |= static_cast<Bits>(word[i] == symbols[s] ? 1 : 0) << i % kBits;
}

}  // namespace quench::bits
#endif
