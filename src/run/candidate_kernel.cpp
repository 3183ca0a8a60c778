#include "run/candidate_kernel.h"

#include <bit>

#include "run/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/candidate_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/lane_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

using Index = hn::RebindToSigned<D>;
using Lookup = decltype(hn::IndicesFromVec(D(), hn::Zero(Index())));
constexpr std::size_t kBlock = hn::MaxLanes(D());

/// Lane l takes lane max(l − distance, 0).
HWY_INLINE Lookup from_before(std::int64_t distance) {
  const Index index;
  const auto lane = hn::Sub(hn::Iota(index, 0), hn::Set(index, distance));
  return hn::IndicesFromVec(D(), hn::Max(lane, hn::Zero(index)));
}

/// e^x for x ≤ 0; where it is too small to count, anything that is.
template <class T>
HWY_INLINE V weight_of(V x) {
  const Reduced<T> reduced(hn::Max(x, hn::Set(D(), kLowest<T>)));
  return reduced.times_power(taylor<T, 0>(reduced.r));
}

/// Keys that count, those of them that still do after the block moved to the front, neighbours with the same κ as one.
/// One number at a time: vectors read from what was written in pieces would wait for the cache.
class Keeper {
 public:
  HWY_INLINE Keeper(CompetingKeys& keys, double t, double max, double cutoff)
      : keys_(keys), t_(t), max_(max), cutoff_(cutoff) {}

  HWY_INLINE void keep(double kappa, double count, double sum) {
    if (kept_ > 0 && kappa == keys_.kappa[kept_ - 1]) {
      keys_.count[kept_ - 1] += count;
      keys_.sum[kept_ - 1] += sum;
      return;
    }
    keys_.kappa[kept_] = kappa;
    keys_.count[kept_] = count;
    keys_.sum[kept_] = sum;
    kept_ += t_ * (max_ - kappa) <= cutoff_ ? 1 : 0;
  }

  std::size_t kept() const { return kept_; }

 private:
  CompetingKeys& keys_;
  const double t_, max_, cutoff_;
  std::size_t kept_ = 0;
};

template <class T>
bool pass(const CandidateRows<T>& rows, CompetingKeys& keys) {
  const D d;
  const V cutoff = hn::Set(d, rows.cutoff), lane = hn::Iota(d, 0.0);
  const Lookup before[] = {from_before(1), from_before(2), from_before(4)};
  const Lookup last = hn::IndicesFromVec(d, hn::Set(Index(), static_cast<std::int64_t>(kBlock - 1)));
  // The first query that sees the block's key at that place.
  double sees[kBlock];
  for (std::size_t at = 0; at < kBlock; ++at) sees[at] = static_cast<double>(at + (rows.strict ? 1 : 0));
  V max_before = hn::Set(d, keys.max);
  std::size_t size = keys.size;
  for (std::size_t p = 0; p < rows.size; p += kBlock) {
    const std::size_t left = rows.size - p;
    const V t = load(rows.t + p);
    V kappa = load(rows.kappa + p);
    auto counts = hn::Ge(t, load(rows.t + p - 1));
    if (left < kBlock) {
      kappa = hn::IfThenElse(hn::FirstN(d, left), kappa, hn::Set(d, kNoKey));
      counts = hn::Or(counts, hn::Not(hn::FirstN(d, left)));
    }
    if (!hn::AllTrue(d, counts)) return false;

    V max = kappa;
    for (std::size_t step = 0; (std::size_t{1} << step) < kBlock; ++step)
      max = hn::Max(max, hn::TableLookupLanes(max, before[step]));
    max = hn::Max(max, max_before);
    counts = hn::Le(hn::Mul(t, hn::Sub(max, kappa)), cutoff);
    if (left < kBlock) counts = hn::And(counts, hn::FirstN(d, left));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, counts, bits);
    V best = max;
    if (rows.strict) best = hn::IfThenElse(hn::FirstN(d, 1), max_before, hn::TableLookupLanes(max, before[0]));
    max_before = hn::TableLookupLanes(max, last);

    Keeper keeper(keys, rows.t[p + (left < kBlock ? left : kBlock) - 1], hn::GetLane(max_before), rows.cutoff);
    V total = hn::Zero(d), sum = hn::Zero(d);
    for (std::size_t c = 0; c < size; ++c) {
      const double key = keys.kappa[c], count = keys.count[c], value_sum = keys.sum[c];
      const V weight = weight_of<T>(hn::Mul(t, hn::Sub(hn::Set(d, key), best)));
      total = hn::MulAdd(weight, hn::Set(d, count), total);
      sum = hn::MulAdd(weight, hn::Set(d, value_sum), sum);
      keeper.keep(key, count, value_sum);
    }
    for (unsigned rest = bits[0]; rest != 0; rest &= rest - 1) {
      const auto at = static_cast<std::size_t>(std::countr_zero(rest));
      const double key = rows.kappa[p + at], value = static_cast<double>(rows.v[p + at]);
      V weight = weight_of<T>(hn::Mul(t, hn::Sub(hn::Set(d, key), best)));
      weight = hn::IfThenElseZero(hn::Ge(lane, hn::Set(d, sees[at])), weight);
      total = hn::Add(total, weight);
      sum = hn::MulAdd(weight, hn::Set(d, value), sum);
      keeper.keep(key, 1, value);
    }
    store_mean(sum, total, rows.tiny, rows.out + p);
    size = keeper.kept();
    if (size > kMostCompeting) return false;
  }
  keys.max = hn::GetLane(max_before);
  keys.size = size;
  return true;
}

}  // namespace

// Highway dispatches plain functions, not templates.
bool Pass32(const CandidateRows<float>& rows, CompetingKeys& keys) { return pass(rows, keys); }
bool Pass64(const CandidateRows<double>& rows, CompetingKeys& keys) { return pass(rows, keys); }

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

HWY_EXPORT(Pass32);
HWY_EXPORT(Pass64);

template <>
bool pass_candidates(const CandidateRows<float>& rows, CompetingKeys& keys) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass32)(rows, keys);
}
template <>
bool pass_candidates(const CandidateRows<double>& rows, CompetingKeys& keys) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass64)(rows, keys);
}

}  // namespace quench::run
#endif  // HWY_ONCE
