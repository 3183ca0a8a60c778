// Softmax heads in floating point: how much weight can fall on the wrong keys, and what that and the rounding of sums
// do to the head's result. All bounds hold for every row.
//
// Setting: the intended key j* has computed weight e_{j*} = exp(0) = 1, because its computed score is the maximum; the
// other e_j ≥ 0 are at most what the lemma says. "Wrong mass" r bounds Σ_{j≠j*} e_j.
#pragma once

#include "bounds/upper.h"

namespace quench::bounds {

/// How a head's arithmetic rounds.
struct HeadArithmetic {
  Upper u;                  ///< unit roundoff of the format sums are formed in
  double length = 0;        ///< N: at most that many keys
  bool exact_sums = false;  ///< sums are formed exactly and rounded once (`exact-count`)
  Upper tiny;               ///< what an exp below the normal range can be off by: two units of its last place
};

/// Tie-breaks [P-L8a,b,c]. Ideal scores fall off by at least `near` per step on the side of the tie-break, and the keys
/// on the other side, each at least `far` lower, add at most e^{−far} together. With score error at most `score_error`:
///   r ≤ (1+4u)·e^{2E}·(x/(1−x) + y) + N·tiny,  x = e^{−near(1−u)},  y = e^{−far(1−u)}
/// (1+4u covers an exp good to two units in the last place, 1−u the rounding of the difference to the maximum).
/// Infinite unless near, far > 2E, which is what makes the intended key the computed maximum.
Upper tie_break_mass(double near, double far, const Upper& score_error, const HeadArithmetic& arithmetic);

/// What a sum of these e_j, or of some of them, is off by in any order of additions. Call j*, the b nearest keys and
/// one on the other side big, the others small, T together: T ≤ (1+4u)e^{2E}(x^{b+1}/(1−x) + far_rest) + N·tiny. At
/// most b + 1 additions have a big term on both sides, each off by u times its result; every other has a side made of
/// small terms alone and loses at most that side: T(1+2δ) in all. So it is off by at most
///   ((b+1)u(1+r) + T(1+2δ)) / (1 − (b+1)u).
/// `far_rest` bounds what all keys on the other side but one have together. The best b is taken.
Upper tie_break_sum_error(double near, double far_rest, const Upper& score_error, const Upper& mass,
                          const HeadArithmetic& arithmetic);

/// Lookups [P-L7]. For d = |j − j*| ≥ 1 the computed score is lower than the maximum by at least
/// scale·((1−shrink)·d² − tilt·d) − excess on one side of j*, scale·((1−shrink)·d² + tilt·d) − excess on the other: the
/// apex of the parabola is not quite at j*.
struct LookupFall {
  double scale = 0;
  Upper shrink, tilt, excess;
};
/// r ≤ (1+4u)e^{excess}(e^{−A+B} + e^{−A−B} + 2x⁴/(1−x)) + N·tiny, A = scale(1−shrink)(1−u), B = scale·tilt·(1−u), x =
/// e^{−A+B}; infinite unless A − B exceeds the excess.
Upper lookup_mass(const LookupFall& fall, const HeadArithmetic& arithmetic);

/// |fl(Σe_j v_j / Σe_j) − v_{j*}| for v_j ∈ {0, 1}, before the result is rounded, sums in any order:
/// every term is non-negative and e_{j*} = 1, so the computed denominator lies in [1, 1+r″], the numerator in [0, r″]
/// or [1, 1+r″], with r″ = r + min(r(1+2δ), (1+r)δ), δ = (1+u)^N − 1: the sum of the small terms is off by at most a
/// factor 1+δ, and adding them to the rest loses at most them all. Normalising the weights first costs one more
/// rounding. Also, the exact quotient is off by at most r/(1+r), and each of the two sums by r″ − r, or by what is
/// known of them otherwise.
Upper boolean_result_error(const Upper& mass, const HeadArithmetic& arithmetic);
Upper boolean_result_error(const Upper& mass, const Upper& sum_error, const HeadArithmetic& arithmetic);

/// |fl(Σe_j j / Σe_j) − j*| for a lookup, before the result is rounded; positions are at most N.
Upper index_result_error(const LookupFall& fall, const HeadArithmetic& arithmetic);

}  // namespace quench::bounds
