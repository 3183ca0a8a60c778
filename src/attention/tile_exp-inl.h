// The exponential of the tiled path. Included by tile_blocks.cpp once per target.
#if defined(QUENCH_TILE_EXP_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef QUENCH_TILE_EXP_INL_H
#undef QUENCH_TILE_EXP_INL_H
#else
#define QUENCH_TILE_EXP_INL_H
#endif

#include <hwy/highway.h>

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

// exp(y/τ) for y ≤ 0, given log₂e/τ = high + low; 0 where y < lowest (about −87τ and −708τ: attention/tile_blocks.h).
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
#pragma GCC unroll 16
  for (int degree = C::kDegree - 1; degree >= 0; --degree)
    sum = hn::MulAdd(sum, f, hn::Set(d, C::kCoefficients[degree]));
  const auto scaled = hn::Add(hn::BitCast(di, sum), hn::ShiftLeft<C::kMantissaBits>(hn::BitCast(di, shifted)));
  return hn::IfThenElseZero(hn::Ge(y, lowest), hn::BitCast(d, scaled));
}

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
