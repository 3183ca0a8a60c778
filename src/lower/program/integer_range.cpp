#include "lower/program/integer_range.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quench::lower {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kExact = 0x1p53;  // whole numbers below this, rounded once, are exact

/// Beyond exact arithmetic nothing is known.
LinearBound guarded(LinearBound bound, double unknown) {
  const bool exact = std::fabs(bound.at_one) < kExact && std::fabs(bound.slope) < kExact;
  return exact ? bound : LinearBound{unknown, unknown};
}

LinearBound plus(const LinearBound& a, const LinearBound& b, double factor) {
  return {std::fma(factor, b.at_one, a.at_one), std::fma(factor, b.slope, a.slope)};
}

bool computable(const LinearBound& bound) {
  return std::fabs(bound.at_one) <= kGreatestNumber && std::fabs(bound.slope) <= kGreatestNumber;
}

}  // namespace

/// A linear function is nowhere positive if it is not at the two ends. fma rounds once, so the sign is right.
bool LinearBound::at_most(const LinearBound& other) const {
  const double at_start = at_one - other.at_one;
  return at_start <= 0 && std::fma(slope - other.slope, kGreatestNumber - 1, at_start) <= 0;
}

bool IntegerRange::computable() const { return lower::computable(low) && lower::computable(high); }

IntegerRange sum(const IntegerRange& left, const IntegerRange& right, double factor) {
  if (std::fabs(factor) >= kExact) factor = std::copysign(kInfinity, factor);
  const bool flipped = factor < 0;
  return {guarded(plus(left.low, flipped ? right.high : right.low, factor), -kInfinity),
          guarded(plus(left.high, flipped ? right.low : right.high, factor), kInfinity)};
}

IntegerRange either(const IntegerRange& a, const IntegerRange& b) {
  return {{std::min(a.low.at_one, b.low.at_one), std::min(a.low.slope, b.low.slope)},
          {std::max(a.high.at_one, b.high.at_one), std::max(a.high.slope, b.high.slope)}};
}

IntegerRange clipped(const IntegerRange& range) {
  if (range.at_least(kBeyond)) return {kBeyond, kBeyond};
  if (range.at_most(kZero)) return {kZero, kZero};
  IntegerRange result = kStored;
  if (range.at_least(kZero)) result.low = range.low;
  if (range.at_most(kBeyond)) result.high = range.high;
  // Where one end lies outside, the other may too: a value above n+1 becomes n+1, one below 0 becomes 0.
  if (!result.low.at_most(kBeyond)) result.low = kZero;
  if (!kZero.at_most(result.high)) result.high = kBeyond;
  return result;
}

}  // namespace quench::lower
