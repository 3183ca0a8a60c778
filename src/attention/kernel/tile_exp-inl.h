// The exponential of the tiled path. Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_EXP_INL_H
#undef QUENCH_TILE_EXP_INL_H
#else
#define QUENCH_TILE_EXP_INL_H
#endif

#include <hwy/highway.h>

#include "attention/kernel/unroll.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
using Vec = hn::Vec<Tag<T>>;

template <class T>
struct ExpConstants;
template <>
struct ExpConstants<float> {
  static constexpr int kMantissaBits = 23, kDegree = 6;
  static constexpr float kShifter = 0x1.8p+23f;
  static constexpr float kCoefficients[] = {
      1, 0x1.62e43p-1f, 0x1.ebfbd8p-3f, 0x1.c6af76p-5f, 0x1.3b30ap-7f, 0x1.5f0b82p-10f, 0x1.3fa206p-13f};
};
template <>
struct ExpConstants<double> {
  static constexpr int kMantissaBits = 52, kDegree = 11;
  static constexpr double kShifter = 0x1.8p+52;
  static constexpr double kCoefficients[] = {1,
                                             0x1.62e42fefa39efp-1,
                                             0x1.ebfbdff82c5a6p-3,
                                             0x1.c6b08d704a12cp-5,
                                             0x1.3b2ab6fb9fda6p-7,
                                             0x1.5d87fe789e96fp-10,
                                             0x1.4309130f6cbdbp-13,
                                             0x1.ffcbfc6685ee5p-17,
                                             0x1.62bfc6596be6ap-20,
                                             0x1.b52522bc20bcdp-24,
                                             0x1.e61d4332035bap-28,
                                             0x1.e9731780488cp-32};
};

// exp(y/τ) = 2^t for y ≤ 0 and t = y·log₂e/τ, given log₂e/τ = high + low (tile_exp.h); exactly 0 where y < lowest, that
// is where t < −125 (float) or −1021 (double); exactly 1 where y = 0. −∞ gives 0. y ≤ 0 is assumed up to rounding: any
// t ≤ 125 will do.
//
//   n = round(y·high)      f = (y·high − n) + y·low      2^t = 2^n·2^f      2^f by a polynomial p of degree 6 or 11
//
// Adding 1.5·2^mantissa rounds y·high to an integer and leaves n in the low bits, from where a shift adds it to the
// exponent of p(f): exact, since n ≥ −125 (−1021) and p(f) > 0.7 keep the result normal.
//
// Errors relative to 2^t, in units u = 2^−24 (float) and 2^−53 (double), with fused multiply-add:
//   reduction   y·high − n is rounded once, and once more after adding y·low; both are at most u·|f| and |f| ≤ 0.50001
//               (½, and |y·low| ≤ |t|u), so f is wrong by at most 1.0001u and 2^f by ln 2 times that: 0.694u
//               (high + low misses log₂e/τ by less than 2^−46 of it, in double 2^−100: |t| times that is below 2^−15 u)
//   polynomial  |p(f)/2^f − 1| ≤ 0.062u (float), 0.052u (double) for |f| ≤ 0.50001, by sollya's supnorm
//   evaluation  Horner's rule in fused steps: 1.12u by gappa
//   together    1.876u and products of these errors: below 1.9u.
// Without fused multiply-add y·high is itself rounded, an error of |t|u·ln 2 = |x|u for x = y/τ, and the steps of
// Horner's rule twice each, 1.52u: together below (2 + |x|)u.
// scripts/prove_exp.py repeats the proofs of sollya and gappa; tests/attention/kernel/tile_exp_test.cpp compares with MPFR.
//
// Base 2 with log₂e/τ folded in needs no separate multiplication by 1/τ, and a polynomial of minimal error replaces
// Taylor's of degree 7 and 13. Forward at n = 16,384 causal, d = 4, one core, went from 79 to 53 ms; that includes
// eight rows at once and the maximum in registers, which came in the same change.
// The zeros are set as integers so that the addition takes the mask along: 4 % at d = 4, one core, 1 % at d = 64.
template <class T>
HWY_INLINE Vec<T> exp_scaled(Vec<T> y, Vec<T> high, Vec<T> low, Vec<T> lowest) {
  using C = ExpConstants<T>;
  const Tag<T> d;
  const hn::RebindToSigned<Tag<T>> di;
  const auto shifter = hn::Set(d, C::kShifter);
  const auto shifted = hn::MulAdd(y, high, shifter);
  const auto n = hn::Sub(shifted, shifter);
  auto f = hn::MulSub(y, high, n);
  f = hn::MulAdd(y, low, f);
  auto sum = hn::Set(d, C::kCoefficients[C::kDegree]);
  QUENCH_UNROLL(16)
  for (int degree = C::kDegree - 1; degree >= 0; --degree)
    sum = hn::MulAdd(sum, f, hn::Set(d, C::kCoefficients[degree]));
  const auto scaled = hn::Add(hn::BitCast(di, sum), hn::ShiftLeft<C::kMantissaBits>(hn::BitCast(di, shifted)));
  return hn::BitCast(d, hn::IfThenElseZero(hn::RebindMask(di, hn::Ge(y, lowest)), scaled));
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
