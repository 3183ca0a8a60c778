#include "run/structured/methods/codes/codes.h"

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void add_bits(const std::uint64_t* column, std::size_t count, bool inverted, std::uint64_t bit,
                                  std::uint64_t* codes) {
  for (std::size_t c = 0; c < count; ++c, codes += kColumnBits) {
    const std::uint64_t here = inverted ? ~column[c] : column[c];
    for (std::size_t b = 0; b < kColumnBits; ++b) codes[b] |= (here >> b & 1) * bit;
  }
}

}  // namespace

void Codes::make(std::size_t first, std::size_t count, std::uint64_t* codes) const {
  std::fill_n(codes, (count + kColumnBits - 1) / kColumnBits * kColumnBits, always);
  for (const auto& [column, bit, inverted] : bits)
    add_bits(column + first / kColumnBits, (count + kColumnBits - 1) / kColumnBits, inverted, bit, codes);
  if (more.empty()) return;
  for (std::size_t p = 0; p < count; ++p) codes[p] |= more[first + p];
}

}  // namespace quench::run
