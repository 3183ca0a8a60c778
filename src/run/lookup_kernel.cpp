#include "run/lookup_kernel.h"

#include <limits>

#include "run/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/lookup_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

using Whole = hn::Rebind<std::int32_t, D>;

/// Counted from 1: the first and the last key in sight.
template <class T>
struct Sight {
  V first, last;

  HWY_INLINE Sight(const LookupRows<T>& rows, V position)
      : first(rows.from_own ? position : hn::Set(D(), 1.0)),
        last(rows.to_own ? position : hn::Set(D(), static_cast<double>(rows.n))) {}
};

template <class T>
bool matches_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {
  for (std::size_t p = 0; p < size; p += hn::Lanes(D())) {
    const V j = position_at(position, p);
    const V expected = hn::Mul(hn::Set(D(), factor), power == 1 ? j : hn::Mul(j, j));
    // 2^−21 relative covers keys of float32.
    const V allowed = hn::Mul(hn::Abs(expected), hn::Set(D(), 0x1p-21));
    if (!hn::AllTrue(D(), hn::Le(hn::Abs(hn::Sub(load(k + p), expected)), allowed))) return false;
  }
  return true;
}

template <class T>
LookupReach nearest_keys(const LookupRows<T>& rows) {
  const D d;
  const V zero = hn::Zero(d), half = hn::Set(d, 0.5);
  V least = hn::Set(d, std::numeric_limits<double>::infinity()), shift = zero, bad = zero;
  for (std::size_t p = 0; p < rows.size; p += hn::Lanes(d)) {
    const V a = hn::Mul(load(rows.linear + p), hn::Set(d, rows.linear_factor));
    const V minus_b = hn::Mul(load(rows.square + p), hn::Set(d, rows.square_factor));
    const V b = hn::Neg(hn::Mul(minus_b, rows.scale ? load(rows.scale + p) : hn::Set(d, rows.steady)));
    const V c = hn::Div(a, hn::Mul(minus_b, hn::Set(d, -2.0)));
    const Sight<T> sight(rows, position_at(rows.position, p));
    const V nearest = hn::Round(hn::Min(hn::Max(c, sight.first), sight.last));
    hn::StoreU(b, d, rows.sharpness + p);
    hn::StoreU(c, d, rows.centre + p);
    hn::StoreU(nearest, d, rows.nearest + p);
    least = hn::Min(least, b);
    shift = hn::Max(shift, hn::Min(half, hn::Abs(hn::Sub(nearest, c))));
    bad = hn::MulAdd(hn::Add(b, c), zero, bad);  // NaN once something is not finite
  }
  LookupReach reach;
  reach.fits = hn::AllTrue(d, hn::Eq(bad, zero)) && hn::AllTrue(d, hn::Gt(least, zero));
  reach.least_b = hn::GetLane(hn::MinOfLanes(d, least));
  reach.greatest_shift = hn::GetLane(hn::MaxOfLanes(d, shift));
  return reach;
}

template <class T>
HWY_INLINE V gather(const T* values, hn::Vec<Whole> index) {
  if constexpr (sizeof(T) == 4)
    return hn::PromoteTo(D(), hn::GatherIndex(Half(), values, index));
  else
    return hn::GatherIndex(D(), values, hn::PromoteTo(hn::RebindToSigned<D>(), index));
}

/// Weights from one key to the next, away from j*: with x = 2(j* − c),
///
///   w_0 = 1,   w_{d+1}/w_d = e^{−b(2d + 1 ± x)} = e^{−b(1 ± x)}·(e^{−2b})^d,
///
/// so three exponentials do for any number of keys; after d steps the relative error is below (d + 1)² that of one
/// (the whole head 1.4× faster than with an exponential for each of the seven keys of b = 3).
template <class T>
void mix(const LookupRows<T>& rows, std::size_t reach, const T* values, std::size_t stride, double tiny, T* out) {
  const D d;
  const Whole whole;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  for (std::size_t p = 0; p < rows.size; p += hn::Lanes(d)) {
    const V b = load(rows.sharpness + p), nearest = load(rows.nearest + p);
    const V x = hn::Mul(hn::Set(d, 2.0), hn::Sub(nearest, load(rows.centre + p)));
    const Sight<T> sight(rows, position_at(rows.position, p));
    const auto offset = hn::Iota(whole, static_cast<std::int32_t>(stride == 1 ? 0 : p % stride));
    const auto value_at = [&](V j) {
      auto index = hn::DemoteTo(whole, hn::Sub(j, one));
      if (stride > 1) index = hn::Add(hn::Mul(index, hn::Set(whole, static_cast<std::int32_t>(stride))), offset);
      return gather(values, index);
    };
    V total = one, sum = value_at(nearest);
    const V falling = exponential<T>(hn::Mul(b, hn::Set(d, -2.0)));
    for (const double side : {-1.0, 1.0}) {
      // Beyond the range in sight the exponent may be positive: nothing there is used.
      const V first = hn::Neg(hn::Mul(b, hn::MulAdd(x, hn::Set(d, side), one)));
      V ratio = exponential<T>(hn::Min(first, zero)), weight = ratio, j = nearest;
      for (std::size_t step = 0; step < reach; ++step) {
        j = hn::Add(j, hn::Set(d, side));
        const auto seen = hn::And(hn::Ge(j, sight.first), hn::Le(j, sight.last));
        const V here = hn::IfThenElseZero(seen, weight);
        total = hn::Add(total, here);
        sum = hn::MulAdd(here, value_at(hn::IfThenElse(seen, j, nearest)), sum);
        ratio = hn::Mul(ratio, falling);
        weight = hn::Mul(weight, ratio);
      }
    }
    store_mean(sum, total, tiny, out + p);
  }
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_LOOKUP_KERNELS(T, Bits)                                                                           \
  bool Power##Bits(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {      \
    return matches_power(k, position, size, factor, power);                                                      \
  }                                                                                                              \
  LookupReach Nearest##Bits(const LookupRows<T>& rows) { return nearest_keys(rows); }                            \
  void Mix##Bits(const LookupRows<T>& rows, std::size_t reach, const T* values, std::size_t stride, double tiny, \
                 T* out) {                                                                                       \
    mix(rows, reach, values, stride, tiny, out);                                                                 \
  }

QUENCH_LOOKUP_KERNELS(float, 32)
QUENCH_LOOKUP_KERNELS(double, 64)
#undef QUENCH_LOOKUP_KERNELS

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

#define QUENCH_LOOKUP_EXPORTS(T, Bits)                                                                            \
  HWY_EXPORT(Power##Bits);                                                                                        \
  HWY_EXPORT(Nearest##Bits);                                                                                      \
  HWY_EXPORT(Mix##Bits);                                                                                          \
  template <>                                                                                                     \
  bool is_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {          \
    return HWY_DYNAMIC_DISPATCH(Power##Bits)(k, position, size, factor, power);                                   \
  }                                                                                                               \
  template <>                                                                                                     \
  LookupReach find_nearest(const LookupRows<T>& rows) {                                                           \
    return HWY_DYNAMIC_DISPATCH(Nearest##Bits)(rows);                                                             \
  }                                                                                                               \
  template <>                                                                                                     \
  void mix_values(const LookupRows<T>& rows, std::size_t reach, const T* values, std::size_t stride, double tiny, \
                  T* out) {                                                                                       \
    const NoSubnormals guard;                                                                                     \
    HWY_DYNAMIC_DISPATCH(Mix##Bits)(rows, reach, values, stride, tiny, out);                                      \
  }

QUENCH_LOOKUP_EXPORTS(float, 32)
QUENCH_LOOKUP_EXPORTS(double, 64)
#undef QUENCH_LOOKUP_EXPORTS

}  // namespace quench::run
#endif  // HWY_ONCE
