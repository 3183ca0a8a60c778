// What the certifier knows about one residual coordinate: which numbers the ideal network (exact arithmetic, every head
// as its lemma intends) can hold there, and how far the floating-point network can be from them.
//
// Knowledge is kept per class of positions, because some coordinates depend on the position alone and the proofs of the
// recipes distinguish exactly these cases: first or not, last or not, even or odd.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/number/interval.h"
#include "bounds/upper.h"
#include "certify/local_function.h"

namespace quench::certify {

using bounds::Upper;
using Outward = outward::Cautious;
using Interval = BasicInterval<Outward>;

inline bool is_integer(double x) { return std::fabs(x) < 0x1p53 && std::trunc(x) == x; }

/// i = n = 1 · i = 1 < n · i = n > 1, even · i = n > 1, odd · 1 < i < n, even · 1 < i < n, odd
inline constexpr int kClasses = 6;
struct PositionClass {
  bool first, last, even;
  double shortest;  ///< the smallest n that has such a position
};
inline constexpr std::array<PositionClass, kClasses> kPositionClasses{{{true, true, false, 1},
                                                                       {true, false, false, 2},
                                                                       {false, true, true, 2},
                                                                       {false, true, false, 3},
                                                                       {false, false, true, 3},
                                                                       {false, false, false, 4}}};

/// A union of few intervals in increasing order; `integral`: only their integers.
struct Set {
  bool integral = false;
  std::vector<Interval> parts;

  static Set point(double x) { return {is_integer(x), {{x, x}}}; }
  static Set integers(double low, double high) { return {true, {{low, high}}}; }
  static Set range(double low, double high) { return {false, {{low, high}}}; }
  Interval all() const { return {parts.front().low, parts.back().high}; }
  bool is_point(double x) const { return parts.size() == 1 && parts[0] == Interval{x, x}; }
};

/// Functions of (i, n), or means of Booleans, that score heads are recognised by.
enum class Meaning : std::uint8_t {
  other,
  index,
  index_sq,
  length,
  index_length,
  index_sq_length,
  ratio,          // i/n
  ratio_power,    // i/N, N the power of two at or above n
  signed_index,   // i(−1)^i
  log_index,      // log i
  log_remaining,  // log(n−i+1)
  digit_0,        // i = digit_0 + 256·digit_1 + 256·digit_2
  digit_1,
  digit_2,
  digit_0_power,  // i/N = digit_0_power + digit_1_power + digit_2_power
  digit_1_power,
  digit_2_power,
  inverse_index,      // 1/i
  inverse_remaining,  // 1/(n−i+1)
  inverse_length,     // 1/n
  mean_left,          // κ/i, κ = #← of some Boolean
  mean_right,         // κ/(n−i+1)
  mean_all,           // κ/n
};

/// Fractions S/m with a whole numerator S: means of whole values, reciprocals, sinks.
struct Fraction {
  enum class Over : std::uint8_t { none, index, remaining, length };  // m = i, n−i+1, n
  enum class Side : std::uint8_t { all, left, right };                // positions that contribute to S
  Over over = Over::none;
  bool reciprocal = false;  ///< S = 1
  Side side = Side::all;
  double slope = 0;  ///< |S| ≤ slope·(number of contributing positions) + edge
  double edge = 0;
  Upper loss;  ///< what summing may cost beside `relative` and `additive`, as a share of that bound of |S|
};

struct Value {
  std::array<Set, kClasses> ideal;
  int grid = 0;          ///< where exact, or on_grid: the computed value is a multiple of 2^grid
  bool on_grid = false;  ///< a multiple of 2^grid even if it is not exact: whole numbers round to whole numbers
  Upper error;           ///< |computed − ideal| ≤ error
  Upper relative;  ///< |computed − ideal| ≤ relative·|ideal| + additive; for a `meaning` other than `other`, or a
                   ///< fraction
  Upper additive;
  Upper noise;  ///< the part of `error` that differs between readers of one position (normalised/reads.h)
  Meaning meaning = Meaning::other;
  Fraction fraction;
  unsigned exact_classes = 0;  ///< bit c: computed without error at positions of class c
  /// Rounding is monotone, so what is at most a representable bound stays so. Holds outside `exact_classes`.
  double cap = std::numeric_limits<double>::infinity();
  bool quiet = false;        ///< a Boolean that is computed as exactly 0 where it is ideally 0
  bool not_negative = true;  ///< the computed value is never below 0
  int origin = -1;           ///< the head that wrote it, counted through all layers; −1: no head

  int id = -1;  ///< which value this is: every writing gets a number of its own
  /// Which Boolean function of earlier values this is at the first and at the last position (classes 0 to 3), if known.
  std::array<std::optional<LocalFunction>, 4> local;

  bool exact() const { return error.is_zero(); }
  bool is_ideally(double x) const {
    for (const Set& set : ideal)
      if (!set.is_point(x)) return false;
    return true;
  }
  bool is_constant(double x) const { return is_ideally(x) && exact(); }
  /// Ideally 0 everywhere: free to be written to. What an incomplete clearing left behind is in `error`.
  bool is_free() const {
    for (const Set& set : ideal)
      if (!set.is_point(0)) return false;
    return true;
  }
  Interval all() const {
    Interval result = ideal[0].all();
    for (const Set& set : ideal) result = hull(result, set.all());
    return result;
  }
  static Value constant(double x) {
    Value value;
    value.ideal.fill(Set::point(x));
    value.not_negative = x >= 0;
    return value;
  }
};

}  // namespace quench::certify
