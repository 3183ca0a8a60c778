// Up to which length Σ c_k κ_k + c ≥ 0 is decided rightly in double precision, whatever else a formula contains: for the
// lowering, which refuses what would be wrong from the start. Sufficient, not the best: how far a whole model reaches is
// for its certificate to say. u = 2^−53, S = Σ|c_k|, K the number of counts. An engine that normalises last forms Σ_j v_j
// and divides by the number of positions (or the sum of weights).
//
// Sign of a mean ([Q-sign], lower/tight/sign.cpp).
//   1. Values and their sums over positions are integers below Sn: exact for Sn ≤ 2^53. The mean (D − c)/m is rounded
//      once, 1/m and its product with c + ½ as well, and the sum: r = (D + ½)/m is off by at most 3u(|D| + 2|c| + 1)/m.
//      Since |D| ≤ 2|D + ½| and ½ ≤ |D + ½|, that is at most a quarter of |r| if 6u + 6u(2|c| + 1) ≤ ¼, so if
//      |c| ≤ 2^47. Three quarters of the gap leave e^{−3γ/2} or e^{−3γ/4}(1 + …) ≤ 0.06 of the mass in the wrong place:
//      rounding still has room, for equalities, too.
//   2. Where one position is visible, r + 2Ka − 2K has three terms that are multiples of ¼ of at most 4K ≤ 8(S + |c| + 1),
//      and is exact while that is below 2^51. Elsewhere it is at most −½ and off by at most 6u(S + |c| + 4K), which must
//      stay below ¼: so if S + |c| + 1 ≤ 2^45.
//   3. In both directions ([Q-sink], lower/tight/sink.cpp) weights beside the sink are exp(−ln m), rounded: sums over them are
//      off by (2n + 2 ln n + 12)u in proportion, the mean by S times that. Against |r| ≥ 1/(2n) that leaves half of the
//      quarter above, 1/16, if 4n²uS ≤ 1/16 (n ≥ 16), the other half to what is said in 1.
//
// Lookups of every count ([P-L7], lower/paper/count.cpp).
//   4. Up to n = 2^20 scores are off by less than 2^−7 of their gaps. An index retrieved sums n products of which all but
//      a few are negligible: off by at most 34un, besides what the lemma allows. D is a sum of 3K + 1 products with
//      partial sums of at most S(n + 2) + |c|: off by (3K + 36)u(S(n + 2) + |c|), which must stay below 1/16, what the
//      lemma's 5/32 (C = 1, γ = ln 16) leaves of ¼.
#pragma once

#include <cstddef>

#include "bounds/comparison.h"

namespace quench::bounds {

/// 0 if at no length.
double double_length_by_sign(const ComparisonWeights& weights, double constant);
double double_length_by_lookup(const ComparisonWeights& weights, std::size_t counts, double constant);

}  // namespace quench::bounds
