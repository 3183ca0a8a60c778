// Per-instruction-set arithmetic of the scans and lookups: loads, means, exp. Included once per target (Highway's
// foreach_target), hence the unusual include guard.
#if defined(QUENCH_LANE_MATH_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_LANE_MATH_INL_H
#undef QUENCH_LANE_MATH_INL_H
#else
#define QUENCH_LANE_MATH_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>

#include "run/scan_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;
using Half = hn::Rebind<float, D>;

HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE V load(const float* p) { return hn::PromoteTo(D(), hn::LoadU(Half(), p)); }

/// N/Z, both rounded to T first; 0 where the mean is below `tiny`, or there is nothing to take it of.
HWY_INLINE void store_mean(V sum, V total, double tiny, double* out) {
  const auto mean = hn::Div(sum, total);
  hn::StoreU(hn::IfThenElseZero(hn::Ge(hn::Abs(mean), hn::Set(D(), tiny)), mean), D(), out);
}
HWY_INLINE void store_mean(V sum, V total, double tiny, float* out) {
  const Half h;
  const auto mean = hn::Div(hn::DemoteTo(h, sum), hn::DemoteTo(h, total));
  hn::StoreU(hn::IfThenElseZero(hn::Ge(hn::Abs(mean), hn::Set(h, static_cast<float>(tiny))), mean), h, out);
}

/// Where weights begin to be 0: far below what counts (negligible()), above what would make subnormal numbers.
template <class T>
constexpr double kLowest = sizeof(T) == 4 ? -120 : -350;

/// e^x for x ≤ 0, to the accuracy T needs.
template <class T>
HWY_INLINE V exponential(V x) {
  constexpr bool kSingle = sizeof(T) == 4;
  constexpr int kDegree = kSingle ? 7 : 13;
  constexpr double kCoefficients[] = {
      1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const D d;
  const hn::RebindToSigned<D> di;
  const V lowest = hn::Set(d, kLowest<T>), shifter = hn::Set(d, 0x1.8p+52);
  const V clamped = hn::Max(x, lowest);
  const V shifted = hn::MulAdd(clamped, hn::Set(d, 0x1.71547652b82fep+0), shifter);  // k in the low bits
  const V k = hn::Sub(shifted, shifter);
  V r;
  if constexpr (kSingle) {
    r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e42fefa39efp-1), clamped);
  } else {
    r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e42fefap-1), clamped);
    r = hn::NegMulAdd(k, hn::Set(d, 0x1.cf79abc9e3b39p-40), r);
  }
  V sum = hn::Set(d, kCoefficients[kDegree]);
  for (int degree = kDegree - 1; degree >= 0; --degree) sum = hn::MulAdd(sum, r, hn::Set(d, kCoefficients[degree]));
  // Times 2^k: k added to the exponent, no overflow since 0.7 < sum < 1.5 and k > −1000.
  const V power = hn::BitCast(d, hn::Add(hn::BitCast(di, sum), hn::ShiftLeft<52>(hn::BitCast(di, shifted))));
  return hn::IfThenElseZero(hn::Gt(x, lowest), power);
}

HWY_INLINE V minus_size(V x) { return hn::Or(x, hn::SignBit(D())); }

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
