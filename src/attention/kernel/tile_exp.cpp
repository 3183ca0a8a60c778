#include "attention/kernel/tile_exp.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "attention/kernel/tile_exp.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "attention/kernel/tile_exp-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::attention::HWY_NAMESPACE {

template <class T>
void Apply(std::span<T> y, const ExpScale<T>& scale) {
  const Tag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN T part[hn::MaxLanes(d)] = {};
  for (std::size_t at = 0; at < y.size(); at += lanes) {
    const std::size_t count = std::min(lanes, y.size() - at);
    std::copy_n(y.data() + at, count, part);
    hn::Store(exp_scaled<T>(hn::Load(d, part), hn::Set(d, scale.high), hn::Set(d, scale.low), hn::Set(d, scale.lowest)),
              d, part);
    std::copy_n(part, count, y.data() + at);
  }
}
void Apply32(std::span<float> y, const ExpScale<float>& scale) { Apply(y, scale); }
void Apply64(std::span<double> y, const ExpScale<double>& scale) { Apply(y, scale); }

}  // namespace quench::attention::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::attention {

HWY_EXPORT(Apply32);
HWY_EXPORT(Apply64);

template <class T>
ExpScale<T> exp_scale(T inverse_tau) {
  constexpr double kHigh = 0x1.71547652b82fep+0, kLow = 0x1.777d0ffda0d24p-56;  // log₂e to 106 bits
  constexpr double kLowest = std::is_same_v<T, float> ? -125 : -1021, kLargest = std::numeric_limits<T>::max();
  const double it = static_cast<double>(inverse_tau), product = it * kHigh, rest = std::fma(it, kHigh, -product);
  const T high = static_cast<T>(product);
  const double low = (product - static_cast<double>(high)) + (rest + it * kLow);
  return {high, static_cast<T>(low), static_cast<T>(std::max(kLowest / static_cast<double>(high), -kLargest))};
}

template ExpScale<float> exp_scale(float);
template ExpScale<double> exp_scale(double);

template <>
void scaled_exp(std::span<float> y, float inverse_tau) {
  HWY_DYNAMIC_DISPATCH(Apply32)(y, exp_scale(inverse_tau));
}
template <>
void scaled_exp(std::span<double> y, double inverse_tau) {
  HWY_DYNAMIC_DISPATCH(Apply64)(y, exp_scale(inverse_tau));
}

}  // namespace quench::attention
#endif  // HWY_ONCE
