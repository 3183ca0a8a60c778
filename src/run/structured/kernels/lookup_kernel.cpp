#include "run/structured/kernels/lookup_kernel.h"

#include <limits>

#include "run/structured/kernels/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/kernels/lookup_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/structured/kernels/lane_math-inl.h"

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

/// In the format itself, whose rounding of j, j² and the product is well within what is allowed.
template <class T>
bool matches_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {
  const hn::CappedTag<T, kLanes> d;
  const hn::Rebind<std::int32_t, decltype(d)> whole;
  const auto times = hn::Set(d, static_cast<T>(factor)), one = hn::Set(d, T{1}), few = hn::Set(d, kKeyRounding<T>);
  for (std::size_t p = 0; p < size; p += hn::Lanes(d)) {
    const auto i = hn::LoadU(whole, reinterpret_cast<const std::int32_t*>(position) + p);
    auto j = one;
    if constexpr (sizeof(T) == 4)
      j = hn::Add(hn::ConvertTo(d, i), one);
    else
      j = hn::Add(hn::PromoteTo(d, i), one);
    const auto expected = hn::Mul(times, power == 1 ? j : hn::Mul(j, j));
    const auto allowed = hn::Mul(hn::Abs(expected), few);
    if (!hn::AllTrue(d, hn::Le(hn::Abs(hn::Sub(hn::LoadU(d, k + p), expected)), allowed))) return false;
  }
  return true;
}

/// b, x = 2(j* − c) and j*, row by row.
template <class T>
class Queries {
 public:
  HWY_INLINE explicit Queries(const LookupRows<T>& rows) : rows_(rows) {}

  V b, x, nearest, position;

  HWY_INLINE void read(std::size_t p) {
    const D d;
    const V a = hn::Mul(load(rows_.linear + p), hn::Set(d, rows_.linear_factor));
    const V twice = hn::Mul(load(rows_.square + p), hn::Set(d, -2 * rows_.square_factor));  // 2b, unscaled
    b = hn::Mul(hn::Mul(twice, hn::Set(d, 0.5)), rows_.scale ? load(rows_.scale + p) : hn::Set(d, rows_.steady));
    if (!hn::AllTrue(d, hn::Eq(twice, twice_))) {  // usually there is one b
      twice_ = twice;
      inverse_ = hn::Div(hn::Set(d, 1.0), twice);
    }
    position = position_at(rows_.position, p);
    const V c = hn::Mul(a, inverse_);
    const V first = rows_.from_own ? position : hn::Set(d, 1.0);
    const V last = rows_.to_own ? position : hn::Set(d, static_cast<double>(rows_.n));
    nearest = hn::Round(hn::Min(hn::Max(c, first), last));
    // 2(j* − c) = 2(2b·j* − a)/2b is 0 where it should be.
    x = hn::Mul(hn::Mul(hn::MulSub(twice, nearest, a), inverse_), hn::Set(d, 2.0));
  }

 private:
  const LookupRows<T>& rows_;
  V twice_ = hn::Set(D(), std::numeric_limits<double>::quiet_NaN()), inverse_ = twice_;
};

template <class T>
LookupShape find_shape(const LookupRows<T>& rows, std::size_t p) {
  const std::size_t lane = p % hn::Lanes(D());
  Queries<T> queries(rows);
  queries.read(p - lane);
  double b[kLanes], x[kLanes];
  hn::StoreU(queries.b, D(), b);
  hn::StoreU(queries.x, D(), x);
  return {b[lane], x[lane]};
}

template <class T>
void mix_neighbours(const T* values, const std::vector<double>& weight, std::size_t first, std::size_t last,
                    T* means) {
  const D d;
  const std::size_t reach = weight.size() / 2;
  double all = 0;
  for (const double w : weight) all += w;
  const V total = hn::Set(d, all);
  for (std::size_t j = first; j < last; j += hn::Lanes(d)) {
    V sum = hn::Zero(d);
    for (std::size_t l = 0; l < weight.size(); ++l)
      sum = hn::MulAdd(hn::Set(d, weight[l]), load(values + j - reach + l), sum);
    store_mean(sum, total, means + j);
  }
}

template <class T>
HWY_INLINE V gather(const T* values, hn::Vec<Whole> index) {
  if constexpr (sizeof(T) == 4)
    return hn::PromoteTo(D(), hn::GatherIndex(Half(), values, index));
  else
    return hn::GatherIndex(D(), values, hn::PromoteTo(hn::RebindToSigned<D>(), index));
}

/// The values as they are.
HWY_INLINE void copy_from(const float* values, hn::Vec<Whole> index, float* out) {
  hn::StoreU(hn::GatherIndex(Half(), values, index), Half(), out);
}
HWY_INLINE void copy_from(const double* values, hn::Vec<Whole> index, double* out) {
  hn::StoreU(gather(values, index), D(), out);
}

template <class T>
LookupReach use_ready(const LookupRows<T>& rows, const ReadyMeans<T>& ready, const std::vector<T*>& out,
                      std::vector<std::uint32_t>& rest) {
  const D d;
  const V zero = hn::Zero(d), half = hn::Set(d, 0.5), one = hn::Set(d, 1.0);
  const V b = hn::Set(d, ready.shape.b), x = hn::Set(d, ready.shape.x);
  const V reach = hn::Set(d, static_cast<double>(ready.reach));
  const V low = hn::Set(d, static_cast<double>(ready.first)), high = hn::Set(d, static_cast<double>(ready.last));
  V least = hn::Set(d, std::numeric_limits<double>::infinity()), shift = zero, bad = zero;
  Queries<T> queries(rows);
  std::size_t count = 0;
  for (std::size_t p = 0; p < rows.size; p += hn::Lanes(d)) {
    queries.read(p);
    auto is_ready = hn::And(hn::And(hn::Eq(queries.b, b), hn::Eq(queries.x, x)),
                            hn::And(hn::Gt(queries.nearest, low), hn::Le(queries.nearest, high)));
    if (rows.from_own) is_ready = hn::And(is_ready, hn::Ge(queries.nearest, hn::Add(queries.position, reach)));
    if (rows.to_own) is_ready = hn::And(is_ready, hn::Le(hn::Add(queries.nearest, reach), queries.position));
    if (hn::AllTrue(d, is_ready)) {
      const auto index = hn::DemoteTo(Whole(), hn::Sub(queries.nearest, one));
      for (std::size_t y = 0; y < out.size(); ++y) copy_from(ready.means[y], index, out[y] + p);
      continue;
    }
    rest[count++] = static_cast<std::uint32_t>(p);
    least = hn::Min(least, queries.b);
    shift = hn::Max(shift, hn::Min(half, hn::Mul(half, hn::Abs(queries.x))));
    bad = hn::MulAdd(hn::Add(queries.b, queries.x), zero, bad);  // NaN once something is not finite
  }
  rest.resize(count);
  LookupReach result;
  result.fits = hn::AllTrue(d, hn::Eq(bad, zero)) && hn::AllTrue(d, hn::Gt(least, zero));
  result.least_b = hn::GetLane(hn::MinOfLanes(d, least));
  result.greatest_shift = hn::GetLane(hn::MaxOfLanes(d, shift));
  return result;
}

/// Weights from one key to the next, away from j*:
///
///   w_0 = 1,   w_{d+1}/w_d = e^{−b(2d + 1 ± x)} = e^{−b(1 ± x)}·(e^{−2b})^d,
///
/// so three exponentials do for any number of keys; after d steps the relative error is below (d + 1)² that of
/// one.
template <class T>
void mix(const LookupRows<T>& rows, const std::vector<std::uint32_t>& which, std::size_t reach, const T* values,
         std::size_t stride, T* out) {
  const D d;
  const Whole whole;
  const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
  Queries<T> queries(rows);
  V b = hn::Set(d, std::numeric_limits<double>::quiet_NaN()), x = b, falling = b, ratios[] = {b, b};
  for (const std::uint32_t p : which) {
    queries.read(p);
    const V nearest = queries.nearest;
    if (!hn::AllTrue(d, hn::And(hn::Eq(b, queries.b), hn::Eq(x, queries.x)))) {  // the same for most words side by side
      b = queries.b;
      x = queries.x;
      falling = exponential<T>(hn::Mul(b, hn::Set(d, -2.0)));
      // Beyond the range in sight the exponent may be positive: nothing there is used.
      ratios[0] = exponential<T>(hn::Min(hn::Mul(b, hn::Sub(x, one)), zero));
      ratios[1] = exponential<T>(hn::Min(hn::Neg(hn::Mul(b, hn::Add(x, one))), zero));
    }
    const Sight<T> sight(rows, queries.position);
    const auto offset = hn::Iota(whole, static_cast<std::int32_t>(stride == 1 ? 0 : p % stride));
    const auto value_at = [&](V j) {
      auto index = hn::DemoteTo(whole, hn::Sub(j, one));
      if (stride > 1) index = hn::Add(hn::Mul(index, hn::Set(whole, static_cast<std::int32_t>(stride))), offset);
      return gather(values, index);
    };
    V total = one, sum = value_at(nearest);
    for (const std::size_t side : {0, 1}) {
      V ratio = ratios[side], weight = ratio, j = nearest;
      for (std::size_t step = 0; step < reach; ++step) {
        j = hn::Add(j, hn::Set(d, side == 0 ? -1.0 : 1.0));
        const auto seen = hn::And(hn::Ge(j, sight.first), hn::Le(j, sight.last));
        const V here = hn::IfThenElseZero(seen, weight);
        total = hn::Add(total, here);
        sum = hn::MulAdd(here, value_at(hn::IfThenElse(seen, j, nearest)), sum);
        ratio = hn::Mul(ratio, falling);
        weight = hn::Mul(weight, ratio);
      }
    }
    store_mean(sum, total, out + p);
  }
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_LOOKUP_KERNELS(T, Bits)                                                                       \
  bool Power##Bits(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {  \
    return matches_power(k, position, size, factor, power);                                                  \
  }                                                                                                          \
  LookupShape Shape##Bits(const LookupRows<T>& rows, std::size_t p) { return find_shape(rows, p); }          \
  void Around##Bits(const T* values, const std::vector<double>& weight, std::size_t first, std::size_t last, \
                    T* means) {                                                                              \
    mix_neighbours(values, weight, first, last, means);                                                      \
  }                                                                                                          \
  LookupReach Ready##Bits(const LookupRows<T>& rows, const ReadyMeans<T>& ready, const std::vector<T*>& out, \
                          std::vector<std::uint32_t>& rest) {                                                \
    return use_ready(rows, ready, out, rest);                                                                \
  }                                                                                                          \
  void Mix##Bits(const LookupRows<T>& rows, const std::vector<std::uint32_t>& which, std::size_t reach,      \
                 const T* values, std::size_t stride, T* out) {                                              \
    mix(rows, which, reach, values, stride, out);                                                            \
  }

QUENCH_LOOKUP_KERNELS(float, 32)
QUENCH_LOOKUP_KERNELS(double, 64)
#undef QUENCH_LOOKUP_KERNELS

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

#define QUENCH_LOOKUP_EXPORTS(T, Bits)                                                                      \
  HWY_EXPORT(Power##Bits);                                                                                  \
  HWY_EXPORT(Shape##Bits);                                                                                  \
  HWY_EXPORT(Around##Bits);                                                                                 \
  HWY_EXPORT(Ready##Bits);                                                                                  \
  HWY_EXPORT(Mix##Bits);                                                                                    \
  template <>                                                                                               \
  bool is_power(const T* k, const std::uint32_t* position, std::size_t size, double factor, int power) {    \
    return HWY_DYNAMIC_DISPATCH(Power##Bits)(k, position, size, factor, power);                             \
  }                                                                                                         \
  template <>                                                                                               \
  LookupShape shape_of(const LookupRows<T>& rows, std::size_t p) {                                          \
    return HWY_DYNAMIC_DISPATCH(Shape##Bits)(rows, p);                                                      \
  }                                                                                                         \
  template <>                                                                                               \
  void mix_around(const T* values, const std::vector<double>& weight, std::size_t first, std::size_t last,  \
                  T* means) {                                                                               \
    const NoSubnormals guard;                                                                               \
    HWY_DYNAMIC_DISPATCH(Around##Bits)(values, weight, first, last, means);                                 \
  }                                                                                                         \
  template <>                                                                                               \
  LookupReach take_ready(const LookupRows<T>& rows, const ReadyMeans<T>& ready, const std::vector<T*>& out, \
                         std::vector<std::uint32_t>& rest) {                                                \
    rest.resize(rows.size);                                                                                 \
    return HWY_DYNAMIC_DISPATCH(Ready##Bits)(rows, ready, out, rest);                                       \
  }                                                                                                         \
  template <>                                                                                               \
  void mix_values(const LookupRows<T>& rows, const std::vector<std::uint32_t>& which, std::size_t reach,    \
                  const T* values, std::size_t stride, T* out) {                                            \
    const NoSubnormals guard;                                                                               \
    HWY_DYNAMIC_DISPATCH(Mix##Bits)(rows, which, reach, values, stride, out);                               \
  }

QUENCH_LOOKUP_EXPORTS(float, 32)
QUENCH_LOOKUP_EXPORTS(double, 64)
#undef QUENCH_LOOKUP_EXPORTS

}  // namespace quench::run
#endif  // HWY_ONCE
