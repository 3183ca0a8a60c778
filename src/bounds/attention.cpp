#include "bounds/attention.h"

#include "bounds/ball.h"

namespace quench::bounds {
namespace {

Upper infinity() {
  Upper result;
  arf_pos_inf(result.get());
  return result;
}

/// e^{−scale(1 − shrink ∓ tilt)(1−u)}: the first step on the steep or on the flat side.
Ball first_step(const LookupFall& fall, const HeadArithmetic& arithmetic, double sign) {
  const Ball rate = Ball(1) - Ball(fall.shrink) - Ball(sign) * Ball(fall.tilt);
  return exp(Ball(-fall.scale) * rate * (Ball(1) - Ball(arithmetic.u)));
}
/// The flat side.
Ball fall_off(const LookupFall& fall, const HeadArithmetic& arithmetic) { return first_step(fall, arithmetic, 1); }

bool separated(const LookupFall& fall) {
  return fall.excess.is_finite() && fall.shrink + fall.tilt < Upper(1) &&
         (Ball(fall.scale) * (Ball(1) - Ball(fall.shrink) - Ball(fall.tilt)) - Ball(fall.excess)).is_positive();
}

Ball exp_factor(const HeadArithmetic& arithmetic) { return Ball(1) + Ball(4) * Ball(arithmetic.u); }

}  // namespace

Upper tie_break_mass(double near, double far, const Upper& score_error, const HeadArithmetic& arithmetic) {
  const double least = near < far ? near : far;
  if (!score_error.is_finite() || !(Ball(least) - Ball(2) * Ball(score_error)).is_positive()) return infinity();
  const Ball damped = Ball(1) - Ball(arithmetic.u);
  const Ball x = exp(Ball(-near) * damped), y = exp(Ball(-far) * damped);
  return upper_of(exp_factor(arithmetic) * exp(Ball(2) * Ball(score_error)) * (x / (Ball(1) - x) + y)) +
         Upper(arithmetic.length) * arithmetic.tiny;
}

Upper lookup_mass(const LookupFall& fall, const HeadArithmetic& arithmetic) {
  if (!separated(fall)) return infinity();
  const Ball x = fall_off(fall, arithmetic), steep = first_step(fall, arithmetic, -1);
  const Ball tails = Ball(2) * x * x * x * x / (Ball(1) - x);
  return upper_of(exp_factor(arithmetic) * exp(Ball(fall.excess)) * (x + steep + tails)) +
         Upper(arithmetic.length) * arithmetic.tiny;
}

Upper tie_break_sum_error(double near, double far_rest, const Upper& score_error, const Upper& mass,
                          const HeadArithmetic& arithmetic) {
  Upper best = infinity();
  if (!mass.is_finite()) return best;
  const Ball one(1), u(arithmetic.u), x = exp(Ball(-near) * (one - u)), far(far_rest);
  const Ball lift = exp_factor(arithmetic) * exp(Ball(2) * Ball(score_error));
  const Ball lost = one + Ball(2) * Ball(accumulated(arithmetic.u, arithmetic.length));
  Ball power = x;
  for (int b = 1; b <= 8; ++b) {
    power = power * x;
    const Ball small = lift * (power / (one - x) + far) + Ball(arithmetic.length) * Ball(arithmetic.tiny);
    const Ball joined = Ball(b + 1) * u;
    if (!(one - joined).is_positive()) break;
    best = min(best, upper_of((joined * (one + Ball(mass)) + small * lost) / (one - joined)));
  }
  return best;
}

Upper boolean_result_error(const Upper& mass, const HeadArithmetic& arithmetic) {
  return boolean_result_error(mass, infinity(), arithmetic);
}

Upper boolean_result_error(const Upper& mass, const Upper& sum_error, const HeadArithmetic& arithmetic) {
  if (!mass.is_finite()) return mass;
  const Upper delta = arithmetic.exact_sums ? arithmetic.u : accumulated(arithmetic.u, arithmetic.length);
  const Upper sums = min(min(mass * (Upper(1) + Upper(2) * delta), (Upper(1) + mass) * delta), sum_error);
  const Upper quotient = upper_of(Ball(mass) / (Ball(1) + Ball(mass))) + sums;
  return min(mass, quotient) + sums + Upper(2) * arithmetic.u * (Upper(1) + mass + sums);
}

// The ideal part: |Σα_j(j − j*)| ≤ the larger of the two sides ≤ (1+4u)e^W(x + 2x⁴ + 3x⁹ + …) ≤ (1+4u)e^W(x +
// 2x⁴/(1−x)²).
//
// The rounding part, in any order of summation: call the terms with d ≤ b big (2b+1 of them) and the others the tail,
// with sum T. At most 2b additions have a big term on both sides, each off by at most u·S(1+δ), S the whole sum. Every
// other addition has a side made of tail terms alone, and loses at most that side: T(1+δ) over the additions that join
// a tail to big terms, Tδ within the tails. So
//   |fl(Σ) − Σ| ≤ 2b·u·S(1+δ) + T(1+2δ),   T ≤ 2(1+4u)e^W·(N+1)(b+1)·x^{(b+1)²}/(1−x)²  (values j ≤ N)
// because d·x^{d²} for d = b+1+k is at most (b+1)(k+1)x^{(b+1)²}x^k. b is free; the best of a few is taken. Products
// e_j·j round once more. With D̂ ≥ 1:  |N̂/D̂ − N/D| ≤ err(N) + u·S + N·err(D).
Upper index_result_error(const LookupFall& fall, const HeadArithmetic& arithmetic) {
  const Upper mass = lookup_mass(fall, arithmetic);
  if (!mass.is_finite()) return mass;
  const Ball x = fall_off(fall, arithmetic), scale = exp_factor(arithmetic) * exp(Ball(fall.excess));
  const Ball one(1), ratio = one / ((one - x) * (one - x));
  const Ball n = Ball(arithmetic.length), u = Ball(arithmetic.u);
  const Ball shift = scale * (x + Ball(2) * x * x * x * x * ratio) + n * n * Ball(arithmetic.tiny);
  const Ball delta = arithmetic.exact_sums ? u : Ball(accumulated(arithmetic.u, arithmetic.length));
  Upper best = infinity();
  for (int b = 0; b <= 8; ++b) {
    Ball power = one;
    for (int k = 0; k < (b + 1) * (b + 1); ++k) power = power * x;
    const Ball tail = Ball(2) * scale * Ball(b + 1) * power * ratio;
    const Ball relative = Ball(arithmetic.exact_sums ? 1 : 2 * b) * u * (one + delta) * (one + Ball(mass));
    const Ball lost = arithmetic.exact_sums ? Ball(0) : tail * (one + Ball(2) * delta);
    const Ball numerator = n * relative + (n + one) * lost + u * (n + shift) * (one + Ball(mass));
    const Ball denominator = relative + lost;
    const Upper candidate = upper_of(shift + numerator + (n + shift) * denominator + Ball(2) * u * (n + shift));
    best = min(best, candidate);
  }
  return best;
}

}  // namespace quench::bounds
