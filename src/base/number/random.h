// Seeded random numbers that are the same on every machine and standard library.
#pragma once

#include <cstdint>

#include "base/number/int128.h"
#include "base/word.h"

namespace quench {

/// SplitMix64: small, fast, and every seed is a good one.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound), bound ≥ 1 (multiply-shift; the bias is below bound/2^64).
  std::uint64_t below(std::uint64_t bound) {
    return static_cast<std::uint64_t>((static_cast<Uint128>(bits()) * bound) >> 64);
  }
  /// Uniform in [low, high].
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// Uniform in [0, 1).
  double unit() { return static_cast<double>(bits() >> 11) * 0x1.0p-53; }
  bool chance(double probability) { return unit() < probability; }

 private:
  std::uint64_t state_;
};

/// A word of `length` symbols from 0 … symbols−1 and, if `with_unmentioned`, kUnmentioned.
Word random_word(Random& random, std::size_t symbols, bool with_unmentioned, std::size_t length);

}  // namespace quench
