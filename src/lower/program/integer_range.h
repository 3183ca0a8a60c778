// What is known about an integer of a program, whatever the word: bounds that are linear in its length n. They save
// tests and clipping that could never do anything, and decide what a constant alone decides.
#pragma once

#include "lang/program.h"

namespace quench::lower {

/// No word is longer, so no position is greater: `pos(i) > 2000000000` is false. Numbers that are computed with are no
/// greater either, over n, so that in double they are exact to 2^−22.
inline constexpr double kGreatestNumber = 0x1p30;

/// at_one + slope·(n − 1); the order is that for all n from 1 to kGreatestNumber.
struct LinearBound {
  double at_one = 0, slope = 0;
  bool at_most(const LinearBound& other) const;
};

struct IntegerRange {
  LinearBound low, high;

  bool at_least(const LinearBound& bound) const { return bound.at_most(low); }
  bool at_most(const LinearBound& bound) const { return high.at_most(bound); }
  /// Within ± kGreatestNumber·n.
  bool computable() const;
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
