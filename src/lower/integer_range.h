// What is known about an integer of a program, whatever the word: bounds that are linear in its length n. They save
// tests and clipping that could never do anything.
#pragma once

#include "lang/program.h"

namespace quench::lower {

/// at_one + slope·(n − 1); the order is that for all n ≥ 1.
struct LinearBound {
  double at_one = 0, slope = 0;
  bool at_most(const LinearBound& other) const { return at_one <= other.at_one && slope <= other.slope; }
};

struct IntegerRange {
  LinearBound low, high;

  bool at_least(const LinearBound& bound) const { return bound.at_most(low); }
  bool at_most(const LinearBound& bound) const { return high.at_most(bound); }
};

inline constexpr LinearBound kZero{0, 0}, kOne{1, 0}, kLength{1, 1}, kBeyond{2, 1};  // 0, 1, n, n + 1
inline constexpr IntegerRange kStored{kZero, kBeyond};

/// left + factor·right
IntegerRange sum(const IntegerRange& left, const IntegerRange& right, double factor);
/// Of a value that is one or the other.
IntegerRange either(const IntegerRange& a, const IntegerRange& b);
/// After clipping to 0 … n+1.
IntegerRange clipped(const IntegerRange& range);

}  // namespace quench::lower
