#include "run/structured/kernels/rank_kernel.h"

#include "run/structured/kernels/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/kernels/rank_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/structured/kernels/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

/// Sums in A, which is T or double.
template <class T, class A>
struct Sums {
  using Tag = hn::CappedTag<A, kLanes>;
  using Vector = hn::Vec<Tag>;

  static HWY_INLINE Vector from(const T* p) {
    if constexpr (sizeof(T) == sizeof(A))
      return hn::LoadU(Tag(), p);
    else
      return load(p);
  }
  static HWY_INLINE Vector set(double x) { return hn::Set(Tag(), static_cast<A>(x)); }

  Vector latest, total, sum;

  HWY_INLINE Sums() { latest = total = sum = hn::Zero(Tag()); }

  HWY_INLINE void add(hn::Mask<Tag> taken, Vector v) {
    const Vector one = hn::Set(Tag(), A{1});
    total = hn::IfThenElse(taken, hn::MulAdd(total, latest, one), total);
    sum = hn::IfThenElse(taken, hn::MulAdd(sum, latest, v), sum);
    latest = hn::IfThenElse(taken, one, latest);
  }
  HWY_INLINE void answer(T* out) const {
    if constexpr (sizeof(T) == sizeof(A))
      store_quotient(Tag(), sum, total, out);
    else
      store_mean(sum, total, out);
  }
};

/// Compared, not computed: x² − x is 0 for subnormal numbers too.
template <class Tag>
HWY_INLINE hn::Mask<Tag> is_boolean(Tag d, hn::Vec<Tag> x) {
  return hn::Or(hn::Eq(x, hn::Zero(d)), hn::Eq(x, hn::Set(d, hn::TFromD<Tag>{1})));
}

struct Found {
  bool ranks = true;   ///< all are 0 or 1
  bool values = true;  ///< likewise
};

template <class T, class A, bool kWatchValues>
Found scan_lanes(const Ranks<T>& ranks, const RankRows<T>& rows, std::size_t lane) {
  using S = Sums<T, A>;
  const typename S::Tag d;
  S sums;
  const auto high = S::set(ranks.high);
  const T *keep_high = ranks.keep_high.data(), *keep_low = ranks.keep_low.data();
  const std::size_t steps = rows.steps;
  const bool strict = rows.strict;
  auto all_high = hn::FirstN(d, 0);  // lanes that have met a key of the higher rank
  auto booleans = hn::Not(all_high), boolean_values = booleans;
  for (std::size_t t = 0; t < steps; ++t) {
    const std::size_t p = (rows.backwards ? steps - 1 - t : t) * kLanes + lane;
    const auto x = S::from(rows.rank + p), v = S::from(rows.v + p);
    const auto is_high = hn::Eq(x, high);
    booleans = hn::And(booleans, is_boolean(d, x));
    if constexpr (kWatchValues) boolean_values = hn::And(boolean_values, is_boolean(d, v));
    if (strict) sums.answer(rows.out + p);
    if (hn::AllTrue(d, all_high)) {
      sums.latest = hn::Mul(sums.latest, S::set(keep_high[t]));
      sums.add(is_high, v);
    } else {
      const auto keep = hn::IfThenElse(all_high, S::set(keep_high[t]), S::set(keep_low[t]));
      const auto rises = hn::AndNot(all_high, is_high);
      sums.latest = hn::IfThenZeroElse(rises, hn::Mul(sums.latest, keep));
      sums.add(hn::Or(is_high, hn::Not(all_high)), v);
      all_high = hn::Or(all_high, is_high);
    }
    if (!strict) sums.answer(rows.out + p);
  }
  return {hn::AllTrue(d, booleans), hn::AllTrue(d, boolean_values)};
}

template <class T, class A, bool kWatchValues>
Found scan(const Ranks<T>& ranks, const RankRows<T>& rows) {
  Found all;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(typename Sums<T, A>::Tag())) {
    const Found found = scan_lanes<T, A, kWatchValues>(ranks, rows, lane);
    all = {all.ranks && found.ranks, all.values && found.values};
  }
  return all;
}

}  // namespace

// Highway dispatches plain functions, not templates.
bool Ranks32(const Ranks<float>& ranks, const RankRows<float>& rows) {
  if (ranks.sharp) return scan<float, float, false>(ranks, rows).ranks;
  if (ranks.flat) {
    const Found found = scan<float, float, true>(ranks, rows);
    if (found.values || !found.ranks) return found.ranks;
  }
  return scan<float, double, false>(ranks, rows).ranks;
}
bool Ranks64(const Ranks<double>& ranks, const RankRows<double>& rows) {
  return scan<double, double, false>(ranks, rows).ranks;
}

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

HWY_EXPORT(Ranks32);
HWY_EXPORT(Ranks64);

template <>
bool scan_ranks(const Ranks<float>& ranks, const RankRows<float>& rows) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Ranks32)(ranks, rows);
}
template <>
bool scan_ranks(const Ranks<double>& ranks, const RankRows<double>& rows) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Ranks64)(ranks, rows);
}

}  // namespace quench::run
#endif  // HWY_ONCE
