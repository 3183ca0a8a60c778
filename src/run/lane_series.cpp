#include "run/lane_series.h"

#include <cmath>

#include "run/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/lane_series.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

/// Where the position, counted from 1, is even.
HWY_INLINE auto is_even(V position) {
  const V half = hn::Mul(position, hn::Set(D(), 0.5));
  return hn::Eq(half, hn::Floor(half));
}

template <class T>
bool alternates(const T* k, const std::uint32_t* position, std::size_t size, double factor) {
  for (std::size_t p = 0; p < size; p += hn::Lanes(D())) {
    const V j = position_at(position, p), size_of_key = hn::Mul(j, hn::Set(D(), factor));
    const V expected = hn::IfThenElse(is_even(j), size_of_key, hn::Neg(size_of_key));
    const V allowed = hn::Mul(hn::Abs(expected), hn::Set(D(), 0x1p-21));  // covers keys of float32
    if (!hn::AllTrue(D(), hn::Le(hn::Abs(hn::Sub(load(k + p), expected)), allowed))) return false;
  }
  return true;
}

template <class T>
bool by_parity(const T* v, const std::uint32_t* position, std::size_t size, double odd, double even) {
  for (std::size_t p = 0; p < size; p += hn::Lanes(D())) {
    const V expected = hn::IfThenElse(is_even(position_at(position, p)), hn::Set(D(), even), hn::Set(D(), odd));
    if (!hn::AllTrue(D(), hn::Eq(load(v + p), expected))) return false;
  }
  return true;
}

/// g(m)
template <class T>
HWY_INLINE V series(V s, V m) {
  const V minus_2s = hn::Mul(s, hn::Set(D(), -2.0));
  const V quotient = hn::Div(exponential_minus_one<T>(hn::Mul(minus_2s, m)), exponential_minus_one<T>(minus_2s));
  return hn::IfThenElse(hn::Lt(s, hn::Set(D(), 0x1p-900)), m, quotient);
}

/// False: some score is not finite. `seen`: 0, or how many keys every query sees.
template <class T>
bool mix_series(const T* q, const std::uint32_t* position, const double* scale, double steady, double factor,
                double seen, double odd_value, double even_value, std::size_t size, T* out) {
  const D d;
  const V zero = hn::Zero(d);
  for (std::size_t p = 0; p < size; p += hn::Lanes(d)) {
    const V keys = seen > 0 ? hn::Set(d, seen) : position_at(position, p);
    const V evens = hn::Floor(hn::Mul(keys, hn::Set(d, 0.5))), odds = hn::Sub(keys, evens);
    const V t = hn::Mul(hn::Mul(load(q + p), scale ? load(scale + p) : hn::Set(d, steady)), hn::Set(d, factor));
    const V s = hn::Abs(t);
    if (!hn::AllTrue(d, hn::Lt(s, hn::Set(d, 0x1p1000)))) return false;
    const auto evens_lead = hn::And(hn::Ge(t, zero), hn::Gt(evens, zero));
    const V leading = hn::IfThenElse(evens_lead, evens, odds);
    const V behind = exponential<T>(hn::Neg(hn::Mul(s, hn::MulAdd(leading, hn::Set(d, 2.0), hn::Set(d, 1.0)))));
    const V even = hn::Mul(series<T>(s, evens), hn::IfThenElse(evens_lead, hn::Set(d, 1.0), behind));
    const V odd = hn::Mul(series<T>(s, odds), hn::IfThenElse(evens_lead, behind, hn::Set(d, 1.0)));
    const V sum = hn::MulAdd(even, hn::Set(d, even_value), hn::Mul(odd, hn::Set(d, odd_value)));
    store_mean(sum, hn::Add(even, odd), 0.0, out + p);
  }
  return true;
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_SERIES_KERNELS(T, Bits)                                                                            \
  bool Alternates##Bits(const T* k, const std::uint32_t* position, std::size_t size, double factor) {             \
    return alternates(k, position, size, factor);                                                                 \
  }                                                                                                               \
  bool Parity##Bits(const T* v, const std::uint32_t* position, std::size_t size, double odd, double even) {       \
    return by_parity(v, position, size, odd, even);                                                               \
  }                                                                                                               \
  bool Series##Bits(const T* q, const std::uint32_t* position, const double* scale, double steady, double factor, \
                    double seen, double odd, double even, std::size_t size, T* out) {                             \
    return mix_series(q, position, scale, steady, factor, seen, odd, even, size, out);                            \
  }

QUENCH_SERIES_KERNELS(float, 32)
QUENCH_SERIES_KERNELS(double, 64)
#undef QUENCH_SERIES_KERNELS

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

namespace {

HWY_EXPORT(Alternates32);
HWY_EXPORT(Alternates64);
HWY_EXPORT(Parity32);
HWY_EXPORT(Parity64);
HWY_EXPORT(Series32);
HWY_EXPORT(Series64);

template <class T, class Single, class Double>
auto for_format(Single single, Double wide) {
  if constexpr (sizeof(T) == 4)
    return single;
  else
    return wide;
}

}  // namespace

template <class T>
bool LaneSeries<T>::feed(const LaneWindow& window, const std::uint32_t* position, const Views& q, const Views& k,
                         const Views& v, const std::vector<double>& scale, double steady, const std::vector<T*>& out) {
  const std::size_t size = window.size();
  if (q.size() != 1 || n_ < 2 || (mask_ != Mask::future && mask_ != Mask::none)) return false;
  if (!known_) {
    if (position[0] != 0) return false;  // the first positions show the factor and the values as they are
    const std::size_t second = window.steps > 1 ? kLanes : 1;
    factor_ = -static_cast<double>(k[0][0]);
    for (std::size_t x = 0; x < v.size(); ++x) {
      odd_[x] = v[x][0];
      even_[x] = v[x][second];
      if (!std::isfinite(odd_[x]) || !std::isfinite(even_[x])) return false;
    }
  }
  if (factor_ == 0 || !std::isfinite(factor_) ||
      !for_format<T>(HWY_DYNAMIC_DISPATCH(Alternates32), HWY_DYNAMIC_DISPATCH(Alternates64))(k[0], position, size,
                                                                                             factor_))
    return false;
  known_ = true;
  const NoSubnormals guard;
  for (std::size_t x = 0; x < v.size(); ++x) {
    const auto odd = static_cast<double>(odd_[x]), even = static_cast<double>(even_[x]);
    if (!for_format<T>(HWY_DYNAMIC_DISPATCH(Parity32), HWY_DYNAMIC_DISPATCH(Parity64))(v[x], position, size, odd, even))
      return false;
    if (!for_format<T>(HWY_DYNAMIC_DISPATCH(Series32), HWY_DYNAMIC_DISPATCH(Series64))(
            q[0], position, scale.empty() ? nullptr : scale.data(), steady, factor_,
            mask_ == Mask::none ? static_cast<double>(n_) : 0.0, odd, even, size, out[x]))
      return false;
  }
  return true;
}

template class LaneSeries<float>;
template class LaneSeries<double>;

}  // namespace quench::run
#endif  // HWY_ONCE
