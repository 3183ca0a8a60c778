// Softmax heads whose right keys tie: k ≥ 1 keys have the computed maximum, hence weight exp(0) = 1 exactly; the others
// are small; the value is 1 on the right keys or 0 there ([Q-any], [Q-sign]).
//
// Sums. k ones add up to k exactly while k ≤ 2^p. Small terms whose sum, however it is formed, is below u = 2^−p (half
// the spacing above 1) vanish beside them: every partial sum that contains a one is the number of its ones. Then the
// denominator is exactly k, and a numerator of the same ones is the same number.
//
// Weights that are normalised before they are summed are k times 1/k, rounded. Let L(k) be the least and U(k) the
// greatest result that k − 1 additions of k equal terms can have, relative to one term: L(k) = min (1−u)(L(a) +
// L(k−a)). L is concave and U convex, so one term at a time is the worst order, and
//   L(k)/k ≥ (1 − e^{−ku})(1−u)/(ku),      U(k)/k ≤ (e^{(k+1)u} − 1 − u)/(ku).
// At k = 2^{p−2} these are 0.885 and 1.136. Both move away from 1 as k grows.
#pragma once

#include <cstdint>

#include "bounds/attention.h"

namespace quench::bounds {

enum class Normalise : std::uint8_t { either, last };

/// The distance of fl(Σe_j v_j / Σe_j) from 1 or 0, before it is rounded to the format of results. `ratio` bounds the
/// weight of all other keys divided by k. With m ≥ `vanish_from` visible keys the small terms
/// add up to less than u, in whatever order they are summed.
Upper tied_result_error(const Upper& ratio, double vanish_from, const HeadArithmetic& arithmetic, Normalise normalise);

}  // namespace quench::bounds
