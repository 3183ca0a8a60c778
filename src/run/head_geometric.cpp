// Sign amplifiers at τ = 1 [Q-sign-lin]: s_ij = t_i·j(−1)^j, with values that depend on the parity of j alone.
//
// The even keys 2, 4, …, 2E and the odd ones 1, 3, …, 2O − 1 that a query sees are two geometric series. Relative to
// the greatest weight, with s = |t| and g(m) = Σ_{l<m} e^{−2sl} = expm1(−2sm)/expm1(−2s), g(m) = m at s = 0:
//
//   t ≥ 0:  even  g(E),                      odd  e^{−s(1+2E)} g(O)
//   t < 0:  odd   g(O),                      even e^{−s(1+2O)} g(E)
//
// and the mean is that of the two values with these weights. The quotient of two expm1 keeps full relative precision
// however small s is, where the rows are far from one-hot and every key counts.
#include <cmath>

#include "run/head_work.h"

namespace quench::run {

namespace {

/// Whether plane = factor·j(−1)^j up to the rounding of its format.
bool alternates(const Plane& plane, std::size_t lanes) {
  const double factor = -plane[0];
  if (factor == 0 || !std::isfinite(factor)) return false;
  for (std::size_t i = 0; i < plane.size() / lanes; ++i) {
    const double expected = factor * static_cast<double>(i + 1) * (i % 2 == 0 ? -1 : 1);
    for (std::size_t w = 0; w < lanes; ++w)
      if (!(std::fabs(plane[i * lanes + w] - expected) <= 0x1p-21 * std::fabs(expected))) return false;
  }
  return true;
}

bool depends_on_parity(const Plane& v, std::size_t lanes) {
  for (std::size_t p = 2 * lanes; p < v.size(); ++p)
    if (v[p] != v[p - 2 * lanes]) return false;
  return true;
}

/// g(m)
double series(double s, double m) { return s == 0 ? m : std::expm1(-2 * s * m) / std::expm1(-2 * s); }

}  // namespace

std::optional<std::string> run_by_series(HeadWork& work) {
  if (work.weighting != Weighting::soft) return "hard attention";
  if (work.mask != Mask::future && work.mask != Mask::none) return "a mask that hides the beginning";
  if (work.k.size() != 1 || !alternates(work.k[0], work.lanes)) return "keys that are not j(-1)^j";
  if (!all_finite(work.q[0]) || !values_are_finite(work)) return "numbers that are not finite";
  for (const Plane& v : work.v)
    if (!depends_on_parity(v, work.lanes)) return "values that do not depend on the parity alone";
  for (std::size_t i = 0; i < work.n; ++i) {
    const std::size_t seen = work.mask == Mask::none ? work.n : i + 1;
    const auto evens = static_cast<double>(seen / 2), odds = static_cast<double>((seen + 1) / 2);
    for (std::size_t w = 0; w < work.lanes; ++w) {
      const std::size_t p = i * work.lanes + w;
      const double t = work.scale[i] * work.q[0][p] * -work.k[0][0], s = std::fabs(t);
      double even = series(s, evens), odd = series(s, odds);
      if (t >= 0 && evens > 0)
        odd *= std::exp(-s * (1 + 2 * evens));
      else if (t < 0)
        even *= std::exp(-s * (1 + 2 * odds));
      for (std::size_t x = 0; x < work.v.size(); ++x) {
        const double v_odd = work.v[x][w], v_even = seen > 1 ? work.v[x][work.lanes + w] : 0;
        work.out[x][p] = (even * v_even + odd * v_odd) / (even + odd);
      }
    }
  }
  return std::nullopt;
}

}  // namespace quench::run
