// What is known of a run before it begins, from the weights and the length alone.
//
// A coordinate of the residual stream starts as an embedding plus position encodings; until some layer writes to it, it
// stays that: one number, a function of the position, or of the symbol too. And if no number can come near the end of
// the format's range, nothing has to be checked for being finite. A head is then foreseen as a scan (methods/scan.h)
// if its queries are constants, but for one component whose keys take few values. Everything else shows in its numbers
// only.
//
// Sizes: |h_c| ≤ M_c goes through the layers by |Σ w x| ≤ Σ |w| M and |mean of v| ≤ max |v|. Two units of a
// feed-forward with the same sum, biases b < b' and weights ±w make a ramp, |w|(b' − b) high but for the rounding of
// the sums, which must be in range with w too; and x − ReLU(x) = min(x, 0) is not greater than x. Compiled Booleans are
// ramps, so that these bounds do not grow.
//
// Clearing: x − ReLU(x) is 0 if x ≥ 0 is finite. Rounded sums grow with each term, so that a sum of the least terms, in
// the same format and order, is not above any other; means of numbers ≥ 0 are ≥ 0, and so is a ramp that rises.
//
// Ramps w·ReLU(s + b) − w·ReLU(s + b') with b' < b ≤ 0 multiples of a quarter, |s| < 2^20, |w| ≥ 2^−60 a power of two:
// where s ≤ −b' the second unit is 0, and the first, rounded, at most b − b'; where s > −b', both sums are multiples of
// the last place of s, or of a quarter, and not greater than s: neither is rounded, nor times w, and they differ by
// b − b'. So the row is w·min(ReLU(s + b), b − b') to the bit, and not above w(b − b').
//
// Looking back: let scores depend on positions alone, keys be of two kinds in turn, and κ_j be the part of the score
// that is the same for all queries. If κ_j − κ_{j−2} ≥ T for all j, and query i scores key i − 1 higher than its own by
// T, then relative to key i − 1 the keys of its kind weigh e^{−T}, e^{−2T}, …, and those of the other kind, of which
// i's own is the latest, e^{−T}, e^{−2T}, … at most. For T = (p + 4.1) ln 2 all of them together weigh less than
// 2^{−p−3}, an eighth of the rounding unit of a format of p bits, and the head copies the value one position before;
// the first position its own. (Masks that look ahead: the same from right to left.)
#pragma once

#include <optional>
#include <vector>

#include "run/structured/kernels/rank_kernel.h"
#include "run/structured/position_wise.h"

namespace quench::run {

template <class T>
struct ForeseenHead {
  bool scan = false;                    ///< this is all there is to know
  std::vector<std::optional<T>> query;  ///< by component: the one number it is
  std::vector<T> keys;                  ///< of the component that is not: the values its keys take
  std::vector<double> values;           ///< by value: no |v| is greater
  bool by_position = false;             ///< the scores are the same for all words
  bool looks_back = false;              ///< and make it a copy of what comes before, in the order of the scan
  /// Of masked heads whose scores are of two ranks if `rank_of` is a Boolean; only where it was asked for.
  std::optional<Ranks<T>> ranks;
  std::optional<RankSlope> slope;  ///< the same of one word, masked or not
  std::uint32_t rank_of = 0;       ///< a coordinate
};

template <class T>
struct ForeseenRun {
  std::vector<std::vector<ForeseenHead<T>>> heads;  ///< by layer
  std::vector<KnownRows> rows;                      ///< by layer
};

/// Before the first layer.
template <class T>
struct Coordinate {
  enum class Of { nothing, position, word };
  Of of = Of::nothing;
  std::vector<T> values;     ///< those it takes, if they are few
  T constant = 0;            ///< if it does not depend on the word, it is this,
  const T* added = nullptr;  ///< plus this, by position from 0; null: nothing
  double size = 0;           ///< no value is greater
  T low = 0, high = 0;       ///< all values are between these
};

/// `many`: words of this length at once (n < 2^24), and so ranks by step; otherwise one word, and slopes.
template <class T>
ForeseenRun<T> foresee(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers, std::size_t n, bool many,
                       std::vector<Coordinate<T>> coordinates);

}  // namespace quench::run
