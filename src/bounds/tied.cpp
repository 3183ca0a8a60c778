#include "bounds/tied.h"

#include <algorithm>
#include <cmath>

#include "bounds/ball.h"

namespace quench::bounds {
namespace {

/// How far k ≤ n equal weights 1/k, each rounded, can add up from 1. Two roundings of the weight are allowed for.
Upper normalised_first(const Ball& n, const Ball& u) {
  const Ball one(1), twice = (one + u) * (one + u), less = (one - u) * (one - u) * (one - u);
  const Upper above = upper_of((expm1((n + one) * u) - u) / (n * u) * twice - one);
  const Upper below = upper_of(one + expm1(Ball(0) - n * u) / (n * u) * less);
  return max(above, below);
}

}  // namespace

// Small terms that do not vanish (few keys): numerator and denominator are right up to 1 ± d, d = (1+u)^{few+1} − 1, so
// the quotient is off by at most ratio(1+4d) + 4d while d ≤ ½. δ below is at least 2d.
Upper tied_result_error(const Upper& ratio, double vanish_from, const HeadArithmetic& arithmetic, Normalise normalise) {
  const Upper one(1), two(2);
  if (!ratio.is_finite()) return ratio;
  if (arithmetic.exact_sums) return ratio + Upper(8) * arithmetic.u * (one + ratio);
  // 1/u = 2^p
  const bool counts_exact = Upper(arithmetic.length) * arithmetic.u <= one;
  const double few = counts_exact ? std::min(arithmetic.length, vanish_from) : arithmetic.length;
  const Upper delta = accumulated(arithmetic.u, 2 * few + 6);
  const Upper of_few = ratio * (one + two * delta) + two * delta;
  if (few == arithmetic.length) return of_few;
  Upper of_many = ratio * (one + accumulated(arithmetic.u, arithmetic.length + 4));
  if (normalise == Normalise::either)
    of_many = max(of_many, normalised_first(Ball(arithmetic.length), Ball(arithmetic.u)));
  return max(of_few, of_many);
}

Upper falling_result_error(const Upper& ratio, const Ball& gamma, const Upper& keys, const HeadArithmetic& arithmetic) {
  const Ball one(1), two(2), u(arithmetic.u), r(ratio), n(arithmetic.length);
  if (!ratio.is_finite() || arithmetic.exact_sums) return ratio + Upper(8) * arithmetic.u * (Upper(1) + ratio);
  const Ball exps = (one + Ball(4) * u) / (one - Ball(4) * u);
  const Ball lost = one + two * Ball(accumulated(arithmetic.u, arithmetic.length));
  Upper best = power_of_two(60);
  for (int part = 1; part <= 64; ++part) {
    const Ball beta(part / 64.0), rate = beta - Ball(6) * u - Ball(4) * Ball(keys), joined = beta * n * u / two;
    if (!rate.is_positive() || !(one - joined).is_positive()) continue;
    const Ball small = exp(Ball(0) - gamma * rate) * exps + n * Ball(arithmetic.tiny) + r;
    const Ball rho = (joined * (one + r) + small * lost) / (one - joined);
    if ((one - rho).is_positive()) best = min(best, upper_of(two * rho / (one - rho)));
  }
  return ratio + best + Upper(3) * arithmetic.u * (Upper(1) + ratio + best);
}

}  // namespace quench::bounds
