#include "run/structured/kernels/rank_kernel.h"

#include <cmath>

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

/// One word. The lanes know what comes before them, or, if only sums are wanted, nothing.
template <class T, bool kAnswer>
bool scan_segments(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t value, ClassSums& known,
                   std::size_t lane) {
  using S = Sums<T, double>;
  const D d;
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0), high = hn::Set(d, ranks.one_is_high ? 1.0 : 0.0);
  const V factor = hn::Set(d, std::exp(-std::fabs(ranks.slope)));
  S sums;
  auto all_high = hn::FirstN(d, 0), booleans = hn::Not(all_high);
  if constexpr (kAnswer) {
    double latest[kLanes];  // beside a key of its rank one step before the first
    for (std::size_t s = lane; s < lane + hn::Lanes(d); ++s) {
      const double base = known.max[s] > ranks.middle ? ranks.high : ranks.low;
      latest[s] = known.max[s] == kNoMax
                      ? 0
                      : std::exp(known.max[s] - base - ranks.slope * rows.first[s] + std::fabs(ranks.slope));
    }
    sums.latest = hn::LoadU(d, latest + lane);
    sums.total = hn::LoadU(d, known.total + lane);
    sums.sum = hn::LoadU(d, known.values.data() + value * kLanes + lane);
    all_high = hn::Gt(hn::LoadU(d, known.max + lane), hn::Set(d, ranks.middle));
  }
  V age = zero;  // of the latest key, in steps
  for (std::size_t t = 0; t < rows.steps; ++t) {
    const std::size_t p = (rows.backwards ? rows.steps - 1 - t : t) * kLanes + lane;
    const V x = load(rows.rank + p), v = load(rows.v + p);
    const auto is_high = hn::Eq(x, high);
    if (kAnswer && rows.strict) sums.answer(rows.out + p);
    sums.latest = hn::Mul(sums.latest, factor);
    auto taken = is_high;
    if (!hn::AllTrue(d, all_high)) {
      sums.latest = hn::IfThenZeroElse(hn::AndNot(all_high, is_high), sums.latest);
      taken = hn::Or(is_high, hn::Not(all_high));
      all_high = hn::Or(all_high, is_high);
    }
    sums.add(taken, v);
    if constexpr (kAnswer) {
      if (!rows.strict) sums.answer(rows.out + p);
    } else {
      booleans = hn::And(booleans, is_boolean(d, x));
      age = hn::IfThenZeroElse(taken, hn::Add(age, one));
    }
  }
  if constexpr (!kAnswer) {
    double ages[kLanes], is_high[kLanes];
    hn::StoreU(age, d, ages + lane);
    hn::StoreU(hn::IfThenElseZero(all_high, one), d, is_high + lane);
    for (std::size_t s = lane; s < lane + hn::Lanes(d); ++s)
      known.max[s] =
          (is_high[s] == 1 ? ranks.high : ranks.low) + ranks.slope * rows.last[s] - std::fabs(ranks.slope) * ages[s];
    hn::StoreU(sums.total, d, known.total + lane);
    hn::StoreU(sums.sum, d, known.values.data() + value * kLanes + lane);
  }
  return hn::AllTrue(d, booleans);
}

template <class T>
bool add_ranked(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t value, ClassSums& sums) {
  bool booleans = true;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(D()))
    booleans = scan_segments<T, false>(ranks, rows, value, sums, lane) && booleans;
  return booleans;
}
template <class T>
void scan_ranked(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t value, ClassSums& before) {
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(D()))
    scan_segments<T, true>(ranks, rows, value, before, lane);
}

}  // namespace

// Highway dispatches plain functions, not templates.
#define QUENCH_SEGMENTS(T, Bits)                                                                                \
  bool AddRanked##Bits(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& sums) {    \
    return add_ranked(ranks, rows, x, sums);                                                                    \
  }                                                                                                             \
  void ScanRanked##Bits(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& before) { \
    scan_ranked(ranks, rows, x, before);                                                                        \
  }
QUENCH_SEGMENTS(float, 32)
QUENCH_SEGMENTS(double, 64)
#undef QUENCH_SEGMENTS
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

#define QUENCH_SEGMENTS(T, Bits)                                                                                \
  HWY_EXPORT(AddRanked##Bits);                                                                                  \
  HWY_EXPORT(ScanRanked##Bits);                                                                                 \
  template <>                                                                                                   \
  bool add_ranked_keys(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& sums) {    \
    const NoSubnormals guard;                                                                                   \
    return HWY_DYNAMIC_DISPATCH(AddRanked##Bits)(ranks, rows, x, sums);                                         \
  }                                                                                                             \
  template <>                                                                                                   \
  void scan_ranked_keys(const RankSlope& ranks, const SegmentRows<T>& rows, std::size_t x, ClassSums& before) { \
    const NoSubnormals guard;                                                                                   \
    HWY_DYNAMIC_DISPATCH(ScanRanked##Bits)(ranks, rows, x, before);                                             \
  }
QUENCH_SEGMENTS(float, 32)
QUENCH_SEGMENTS(double, 64)
#undef QUENCH_SEGMENTS

}  // namespace quench::run
#endif  // HWY_ONCE
