// Arithmetic without subnormal numbers, while an object of this class lives.
#pragma once

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace quench::run {

/// While it lives, results too small for normal numbers are 0. Sums of keys long past become such numbers, with which
/// arithmetic takes a hundred times as long (a formula of 25 operators: about 1.5× slower without this).
class NoSubnormals {
 public:
#if defined(__SSE2__)
  NoSubnormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kFlushResults | kFlushOperands); }
  ~NoSubnormals() { _mm_setcsr(before_); }

 private:
  static constexpr unsigned kFlushResults = 0x8000, kFlushOperands = 0x0040;
  unsigned before_;
#else
  NoSubnormals() {}
#endif
  NoSubnormals(const NoSubnormals&) = delete;
  NoSubnormals& operator=(const NoSubnormals&) = delete;
};

}  // namespace quench::run
