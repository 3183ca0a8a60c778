// Arithmetic without subnormal results, while an object of this class lives.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace quench::run {

/// While it lives, results of this thread that are too small for normal numbers are 0. Sums of keys long past become
/// such numbers, with which arithmetic takes a hundred times as long (measured in bench/README.md). Numbers that are read stay what they are: were subnormal operands 0 too, two keys that differ would
/// compare as equal, and a key would belong to two classes.
class NoSubnormals {
 public:
#if defined(__SSE2__)
  NoSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults); }
  ~NoSubnormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kFlushResults = 0x8000;
  unsigned before_;

 public:
#else
  NoSubnormals() {}
#endif
  NoSubnormals(const NoSubnormals&) = delete;
  NoSubnormals& operator=(const NoSubnormals&) = delete;
};

}  // namespace quench::run
