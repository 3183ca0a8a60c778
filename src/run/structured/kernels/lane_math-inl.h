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
#include <cstdint>

#include "run/structured/kernels/scan_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, kLanes>;
using V = hn::Vec<D>;
using Half = hn::Rebind<float, D>;

HWY_INLINE V load(const double* p) { return hn::LoadU(D(), p); }
HWY_INLINE V load(const float* p) { return hn::PromoteTo(D(), hn::LoadU(Half(), p)); }

/// sum/total; 0 where there is nothing to take it of, 0/0.
template <class Tag>
HWY_INLINE void store_quotient(Tag d, hn::Vec<Tag> sum, hn::Vec<Tag> total, hn::TFromD<Tag>* out) {
  const auto mean = hn::Div(sum, total);
  hn::StoreU(hn::IfThenElseZero(hn::Eq(mean, mean), mean), d, out);
}

/// N/Z, both rounded to T first.
HWY_INLINE void store_mean(V sum, V total, double* out) { store_quotient(D(), sum, total, out); }
HWY_INLINE void store_mean(V sum, V total, float* out) {
  const Half h;
  store_quotient(h, hn::DemoteTo(h, sum), hn::DemoteTo(h, total), out);
}

/// x = k ln 2 + r for x ≥ kLowest; k stands in the low bits of `shifted`.
template <class T>
struct Reduced {
  V shifted, k, r;

  HWY_INLINE explicit Reduced(V x) {
    const D d;
    const V shifter = hn::Set(d, 0x1.8p+52);
    shifted = hn::MulAdd(x, hn::Set(d, 0x1.71547652b82fep+0), shifter);
    k = hn::Sub(shifted, shifter);
    if constexpr (sizeof(T) == 4) {
      r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e42fefa39efp-1), x);
    } else {
      r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e42fefap-1), x);
      r = hn::NegMulAdd(k, hn::Set(d, 0x1.cf79abc9e3b39p-40), r);
    }
  }

  /// x·2^k: k added to the exponent, no overflow since 0.7 < x < 1.5 and k > −1000.
  HWY_INLINE V times_power(V x) const {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(D(), hn::Add(hn::BitCast(di, x), hn::ShiftLeft<52>(hn::BitCast(di, shifted))));
  }
};

/// (e^r − Σ_{l<first} r^l/l!)/r^first, cut after the degree T needs.
template <class T, int kFirst>
HWY_INLINE V taylor(V r) {
  constexpr int kDegree = sizeof(T) == 4 ? 7 : 13;
  constexpr double kCoefficients[] = {
      1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
      1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  V sum = hn::Set(D(), kCoefficients[kDegree]);
  for (int degree = kDegree - 1; degree >= kFirst; --degree)
    sum = hn::MulAdd(sum, r, hn::Set(D(), kCoefficients[degree]));
  return sum;
}

/// e^r for |r| ≤ ½ ln 2, to the accuracy T needs. For float a polynomial of degree 6 within 1.06e−8 < 2^−26.4 relative,
/// with e^0 = 1 (sollya: fpminimax of (e^r − 1 − r)/r²).
template <class T>
HWY_INLINE V exponential_of_rest(V r) {
  if constexpr (sizeof(T) == 8) return taylor<T, 0>(r);
  const D d;
  const V one = hn::Set(d, 1.0);
  V sum = hn::MulAdd(hn::Set(d, 0x1.6d753adffbf62p-10), r, hn::Set(d, 0x1.120b661a771ep-7));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.5554b8e13d108p-5));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.5554dcfe26afep-3));
  sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.0000001722e7ep-1));
  return hn::MulAdd(hn::MulAdd(sum, r, one), r, one);
}

/// e^x for x ≤ 0; 0 below kLowest, whatever comes of the other steps there.
template <class T>
HWY_INLINE V exponential(V x) {
  const Reduced<T> reduced(x);
  return hn::IfThenElseZero(hn::Gt(x, hn::Set(D(), kLowest<T>)),
                            reduced.times_power(exponential_of_rest<T>(reduced.r)));
}

HWY_INLINE V position_at(const std::uint32_t* position, std::size_t p) {
  const hn::Rebind<std::int32_t, D> whole;
  const auto i = hn::LoadU(whole, reinterpret_cast<const std::int32_t*>(position) + p);
  return hn::Add(hn::PromoteTo(D(), i), hn::Set(D(), 1.0));
}

/// −|x|
HWY_INLINE V minus_size(V x) { return hn::Or(x, hn::SignBit(D())); }

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
