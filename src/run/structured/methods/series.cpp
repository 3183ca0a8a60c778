#include "run/structured/methods/series.h"

#include <cmath>

#include "run/structured/kernels/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/methods/series.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/structured/kernels/lane_math-inl.h"

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
    const V allowed = hn::Mul(hn::Abs(expected), hn::Set(D(), static_cast<double>(kKeyRounding<T>)));
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

/// e^x and e^x − 1 for x ≤ 0 from one reduction, each with a small error relative to itself.
template <class T>
struct Exponential {
  V power, minus_one;

  HWY_INLINE explicit Exponential(V x) {
    const V lowest = hn::Set(D(), kLowest<T>), one = hn::Set(D(), 1.0);
    const Reduced<T> reduced(hn::Max(x, lowest));
    const V near = hn::Mul(reduced.r, taylor<T, 1>(reduced.r));
    power = hn::IfThenElseZero(hn::Gt(x, lowest), reduced.times_power(hn::Add(one, near)));
    minus_one = hn::IfThenElse(hn::Eq(reduced.k, hn::Zero(D())), near, hn::Sub(power, one));
  }
};

/// With s times the number of keys below this, the weights of a row differ by less than an eighth of float's unit
/// (double: the sums below would leave the range of its numbers), and every key counts the same.
template <class T>
constexpr double kFlat = sizeof(T) == 4 ? 0x1p-32 : 0x1p-900;

/// The series of series.h, both times 1 − e^{−2s}, which the mean does not see. O is E or E + 1, so that
///
///   (1 − e^{−2s}) g(E) = 1 − f,   (1 − e^{−2s}) g(O) = 1 − f + [O > E] f(1 − e^{−2s}),   f = e^{−2sE},
///   e^{−s(1+2E)} = f e^{−s},      e^{−s(1+2O)} = f e^{−s} (e^{−2s} if O > E),
///   1 − e^{−2s} = −m(m + 2),      m = e^{−s} − 1:
///
/// two exponentials and one division.
///
/// False: some score is not finite. `seen`: 0, or how many keys every query sees.
template <class T>
bool mix_series(const T* q, const std::uint32_t* position, const double* scale, double steady, double factor,
                double seen, double odd_value, double even_value, std::size_t size, T* out) {
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0);
  for (std::size_t p = 0; p < size; p += hn::Lanes(d)) {
    const V keys = seen > 0 ? hn::Set(d, seen) : position_at(position, p);
    const V evens = hn::Floor(hn::Mul(keys, hn::Set(d, 0.5))), odds = hn::Sub(keys, evens);
    const V t = hn::Mul(hn::Mul(load(q + p), scale ? load(scale + p) : hn::Set(d, steady)), hn::Set(d, factor));
    const V s = hn::Abs(t);
    if (!hn::AllTrue(d, hn::Lt(s, hn::Set(d, 0x1p1000)))) return false;
    const Exponential<T> step(hn::Neg(s)), fall(hn::Mul(hn::Mul(s, hn::Set(d, -2.0)), evens));
    const V one_more = hn::Sub(odds, evens);  // 0 or 1
    const V rest = hn::Neg(hn::Mul(step.minus_one, hn::Add(step.minus_one, hn::Set(d, 2.0))));
    const V odd_rest = hn::Mul(one_more, rest);
    V even = hn::Neg(fall.minus_one), odd = hn::MulAdd(fall.power, odd_rest, even);
    const auto evens_lead = hn::And(hn::Ge(t, zero), hn::Gt(evens, zero));
    const V behind = hn::Mul(fall.power, step.power);
    even = hn::Mul(even, hn::IfThenElse(evens_lead, one, hn::NegMulAdd(behind, odd_rest, behind)));
    odd = hn::Mul(odd, hn::IfThenElse(evens_lead, behind, one));
    const auto flat = hn::Lt(hn::Mul(s, keys), hn::Set(d, kFlat<T>));
    even = hn::IfThenElse(flat, evens, even);
    odd = hn::IfThenElse(flat, odds, odd);
    const V sum = hn::MulAdd(even, hn::Set(d, even_value), hn::Mul(odd, hn::Set(d, odd_value)));
    store_mean(sum, hn::Add(even, odd), out + p);
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
bool LaneSeries<T>::feed(const HeadWindow<T>& head) {
  const auto& [window, position, q, k, v, scale, steady, out, phase] = head;
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
            q[0], position, scale.empty() ? nullptr : scale.rows.data(), steady, factor_,
            mask_ == Mask::none ? static_cast<double>(n_) : 0.0, odd, even, size, out[x]))
      return false;
  }
  return true;
}

template class LaneSeries<float>;
template class LaneSeries<double>;

}  // namespace quench::run
#endif  // HWY_ONCE
