#include "run/structured/methods/codes.h"

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void add_bit(std::uint64_t column, std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t b = 0; b < kColumnBits; ++b) codes[b] |= (column >> b & 1) * bit;
}

}  // namespace

void Codes::make(std::size_t first, std::size_t count, std::uint64_t* codes) const {
  std::fill_n(codes, (count + kColumnBits - 1) / kColumnBits * kColumnBits, always);
  for (std::size_t p = 0; p < count; p += kColumnBits)
    for (const auto& [column, bit, inverted] : bits) {
      const std::uint64_t here = column[(first + p) / kColumnBits];
      add_bit(inverted ? ~here : here, bit, codes + p);
    }
  if (more.empty()) return;
  for (std::size_t p = 0; p < count; ++p) codes[p] |= more[first + p];
}

}  // namespace quench::run
