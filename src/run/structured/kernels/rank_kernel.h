// Scans whose keys are of two ranks, as Booleans make them, of many words at once or of one: no exponentials.
//
// Let key j score κ_j = H_j if it is of the higher rank and L_j if not, H and L by position alone and neither falling
// in the order of the scan, and let every H be above every L by so much that a key of the lower rank beside one of the
// higher does not count (negligible()). Then a query's mean is over the keys of the highest rank in sight. With D the
// weight of the latest of them beside a key of that rank here, a new one makes (Z, N) into (D·Z + 1, D·N + v), and D
// is a product of factors e^{H_{j−1} − H_j} ≤ 1, known beforehand, since then.
//
// Sharp: all factors are at most 2^−22. Z and N are kept in the format itself, here float with u = 2^−24: before a sum
// is rounded, what is wrong with it is D times the rounding of the sum before (u) and of D (u for one factor; with more
// D is far smaller), at most 8u² of the greatest |v|. Double sums that are rounded once are allowed 4nu² by the
// certificates, which is no less for n ≥ 2.
// Flat: all factors are 1. If the values are 0 and 1 as well, Z and N are counts, and exact;
// otherwise they are kept in double and rounded once.
//
// One word is cut into segments, which stand at different positions; there κ has to rise by the same amount at every
// step, so that D is a power of one factor. What comes before a segment is known as (max κ, Z, N), as in scan_kernel.h.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "run/structured/kernels/scan_kernel.h"

namespace quench::run {

template <class T>
struct Ranks {
  T high = 1;                          ///< of 0 and 1, the one that ranks higher
  std::vector<T> keep_high, keep_low;  ///< the factors by step of the scan; the first is not looked at
  bool sharp = false;                  ///< all factors are at most 2^−22
  bool flat = false;                   ///< all factors are 1
};

/// From the scores of keys that are 0 and of those that are 1, by step of the scan, if they are of two ranks, and sharp
/// or flat.
template <class T>
std::optional<Ranks<T>> make_ranks(const std::vector<double>& of_zero, const std::vector<double>& of_one);

/// kLanes words side by side; row t, position t of each, begins at index t·kLanes of every plane.
template <class T>
struct RankRows {
  std::size_t steps = 0;
  bool backwards = false;  ///< the last row first
  bool strict = false;     ///< a query does not see its own key
  const T* rank = nullptr;
  const T* v = nullptr;
  T* out = nullptr;
};

/// False: not all ranks are 0 or 1, and the outputs are void.
template <class T>
bool scan_ranks(const Ranks<T>& ranks, const RankRows<T>& rows);

/// At position i, from 0, a key of the lower rank scores low + slope·i, and one of the higher rank high + slope·i,
/// which never falls in the order of the scan.
struct RankSlope {
  double low = 0, high = 0, slope = 0;
  double middle = 0;        ///< above every score of the lower rank and below every one of the higher
  bool one_is_high = true;  ///< of the ranks 0 and 1
};

/// kLanes segments of one word, and one value of theirs; places as in RankRows.
template <class T>
struct SegmentRows {
  std::size_t steps = 0;
  bool backwards = false, strict = false;
  double first[kLanes] = {}, last[kLanes] = {};  ///< the positions where the scan of each lane begins and ends, from 0
  const T* rank = nullptr;
  const T* v = nullptr;
  T* out = nullptr;
};

/// The sums of the segments by themselves; value x of `sums` is meant. False: not all ranks are 0 or 1.
template <class T>
bool add_ranked_keys(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& sums);

/// Keys into the sums, which begin as `before`, and queries out of them.
template <class T>
void scan_ranked_keys(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& before);

}  // namespace quench::run
