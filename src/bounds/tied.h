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
#include "bounds/ball.h"

namespace quench::bounds {

enum class Normalise : std::uint8_t { either, last };

/// The distance of fl(Σe_j v_j / Σe_j) from 1 or 0, before it is rounded to the format of results. `ratio` bounds the
/// weight of all other keys divided by k. With m ≥ `vanish_from` visible keys the small terms
/// add up to less than u, in whatever order they are summed.
Upper tied_result_error(const Upper& ratio, double vanish_from, const HeadArithmetic& arithmetic, Normalise normalise);

/// Right keys that fall off instead of tying ([Q-sign-lin]): the k-th of the at most M/2 right ones, M ≤ N visible, is
/// behind the maximum by 2ak, aM = A ≥ γ, up to an error of (3u + 2κ)A in the exponent (two scores of at most A are
/// rounded, and their difference; κ is what keys are off by, relative to themselves); `ratio` bounds the weight of all wrong keys divided by that of the right ones.
///
/// Sums in any order. Let B = ⌈βM/2⌉ right keys be big; all others are small, with T together. At most B − 1 additions
/// have a big term on both sides, each off by u times its result; every other addition has a side made of small terms
/// alone and loses at most that side: T(1+2δ) in all, δ = (1+u)^N − 1. The small right keys are a share of at most
/// τ = e^{−A(β−6u−4κ)}(1+4u)/(1−4u) of all right ones, S, and A ≥ γ. So every sum is off by at most ρS,
///   ρ = (βNu/2·(1 + ratio) + (τ + ratio)(1+2δ)) / (1 − βNu/2),
/// and the quotient by ratio + 2ρ/(1−ρ), and once or twice u: it is rounded, or every weight was when it was
/// normalised. β is free; the best multiple of 1/64 is taken.
Upper falling_result_error(const Upper& ratio, const Ball& gamma, const Upper& keys, const HeadArithmetic& arithmetic);

}  // namespace quench::bounds
