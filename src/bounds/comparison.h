// Two constructions for Σ c_k κ_k + c ≥ 0: by the sign of a mean ([Q-sign], with [Q-sink] where counts look in both
// directions), or by looking up every count ([P-L7]). Which is right for longer words, where sums over positions are
// formed as our executors form them in float32: exactly, or in double precision, rounded once (`exact-count`).
//
// Lookup. Scores of size n² must resolve gaps of 1: the certificate needs (6ε + 2ε′)n² < 1 with ε, ε′ ≥ u
// (src/certify/heads/lookup.cpp), so n < 1/√(8u). And κ_k, a number up to n retrieved with a relative error of several u, is
// multiplied by c_k: what is rounded in D = Σ c_k κ_k + c, known to ¼, alone leaves n < 1/(32uC), C = Σ|c_k|.
//
// Sign. One direction: the error of r = (D + ½)/m is relative to |D + ½| and does not grow with m; the keys of the
// τ = 1 flavours are whole numbers up to n, exact to 1/u. Both directions: each sink errs by few u relative to its
// count and by the rounding of a logarithm, and the counts of the two sides share n: certified to at least 1/(2ℓuS),
// where S is the larger of the two sums of |c_k| (#← and #→), and the sum over # on top of it, and ℓ is the power of
// two at or above the logarithm of the length, ln(1/(32u)). The constants 32 and 2ℓ are not derived: the test below
// holds them against certificates.
//
// In float32 ℓ = 16 and S ≤ C, so sign_length ≥ lookup_length: comparisons are always made by sign.
// tests/certify/comparison_choice_test.cpp compares both bounds, and the choice, with the certificates of both
// constructions. (One model serves all formats. Where sums are formed in the format itself, mixed comparisons grow like
// 1/√(uS), and from S = 6 on lookups would be certified further: in double 3·10⁷ against 2·10⁷.)
#pragma once

#include <cstdint>

namespace quench::bounds {

/// Sums of |c_k| by what is counted.
struct ComparisonWeights {
  double left = 0, right = 0, all = 0;
  double total() const { return left + right + all; }
  bool mixed() const { return (left > 0) + (right > 0) + (all > 0) > 1; }
};

enum class ComparisonBy : std::uint8_t { sign, lookup };

/// Lengths that are certified at least (sign) and at most (lookup); u is the unit roundoff, no less than 2^−53.
double sign_length(const ComparisonWeights& weights, double u);
double lookup_length(const ComparisonWeights& weights, double u);

/// The construction that is right for longer words.
ComparisonBy longer_comparison(const ComparisonWeights& weights, double u);

}  // namespace quench::bounds
