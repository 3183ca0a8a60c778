#include "run/structured/methods/codes/codes.h"

#include "base/number/multiversion.h"

namespace quench::run {

namespace {

/// Sets the bit at the positions of a block that are set in `where`.
QUENCH_MULTIVERSION void add_bit(std::uint64_t where, std::uint64_t bit, std::uint64_t* codes) {
  for (std::size_t b = 0; b < kColumnBits; ++b) codes[b] |= -(where >> b & 1) & bit;
}

}  // namespace

void Codes::set_where_positive(const WordColumn& x, std::size_t n, std::uint64_t bit) {
  if (!x.few())
    mark_positive(x.plane, n, bit, more_of(n));
  else if (x.low > 0)
    always |= bit;
  else if (x.high > 0)
    bits.push_back({x.bits, bit});
}

void Codes::make(std::size_t first, std::size_t count, std::uint64_t* codes) const {
  const std::size_t begin = first / kColumnBits, blocks = (count + kColumnBits - 1) / kColumnBits;
  std::fill_n(codes, blocks * kColumnBits, always);
  for (std::size_t b = 0; b < blocks; ++b)
    for (std::size_t k = 0; k < bits.size();) {
      const std::uint64_t bit = bits[k].bit;
      std::uint64_t where = 0;
      for (; k < bits.size() && bits[k].bit == bit; ++k)
        where |= bits[k].inverted ? ~bits[k].column[begin + b] : bits[k].column[begin + b];
      if (where != 0) add_bit(where, bit, codes + b * kColumnBits);
    }
  if (more.empty()) return;
  for (std::size_t p = 0; p < count; ++p) codes[p] |= more[first + p];
}

}  // namespace quench::run
