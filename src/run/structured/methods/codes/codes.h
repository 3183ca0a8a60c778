// What keys say of themselves and queries ask for as numbers, one for each position, made of columns (column.h) a block
// of positions at a time: those of a whole word would not stay in the cache. Internal to address.cpp and
// nearest_code.cpp.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/structured/methods/codes/columns.h"
#include "run/structured/methods/codes/means.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

struct Codes {
  /// A bit that is set where the column's bits are, or are not.
  struct Bit {
    const std::uint64_t* column;
    std::uint64_t bit;
    bool inverted = false;
  };
  std::vector<Bit> bits;            ///< several of the same bit best follow each other
  std::uint64_t always = 0;         ///< set everywhere
  std::vector<std::uint64_t> more;  ///< by position: what else is set; empty if nothing is

  std::uint64_t* more_of(std::size_t n) {
    more.resize(n);
    return more.data();
  }
  /// Sets the bit where the component, of n positions, is positive.
  void set_where_positive(const WordColumn& x, std::size_t n, std::uint64_t bit);
  /// Those of `count` positions, from `first` on, a multiple of 64. Writes up to the next multiple of 64.
  void make(std::size_t first, std::size_t count, std::uint64_t* codes) const;
};

/// Calls meet(j, code) when key j comes into sight and answer(i, code) for every query, which leaves its means in
/// `means`, in the order of the scan; until one of them says why not.
template <class Meet, class Answer>
const char* scan_codes(const ScanOrder& order, std::size_t n, const Codes& keys, const Codes& queries, Means& means,
                       const Meet& meet, const Answer& answer) {
  constexpr std::size_t kBlock = 2048;
  std::array<std::uint64_t, kBlock> key, wanted;
  const auto for_blocks = [&](const auto& work) -> const char* {
    const std::size_t blocks = (n + kBlock - 1) / kBlock;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t first = order.at(b, blocks) * kBlock;
      if (const char* why = work(first, std::min(kBlock, n - first))) return why;
    }
    return nullptr;
  };
  if (!order.masked) {
    const char* why = for_blocks([&](std::size_t first, std::size_t count) -> const char* {
      keys.make(first, count, key.data());
      for (std::size_t p = 0; p < count; ++p)
        if (const char* not_met = meet(first + p, key[p])) return not_met;
      return nullptr;
    });
    if (why) return why;
  }
  return for_blocks([&](std::size_t first, std::size_t count) -> const char* {
    if (order.masked) keys.make(first, count, key.data());
    queries.make(first, count, wanted.data());
    means.begin(first, count);
    for (std::size_t step = 0; step < count; ++step) {
      const std::size_t p = order.at(step, count);
      if (order.masked)
        if (const char* why = meet(first + p, key[p])) return why;
      if (const char* why = answer(first + p, wanted[p])) return why;
    }
    means.end();
    return nullptr;
  });
}

}  // namespace quench::run
