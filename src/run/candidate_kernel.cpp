#include "run/candidate_kernel.h"

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

/// The lists of the lanes [lane, lane + Lanes).
template <class T>
class Lists {
 public:
  HWY_INLINE Lists(LaneList<T>& list, std::size_t lane, double cutoff)
      : list_(list),
        lane_(lane),
        cutoff_(hn::Set(D(), cutoff)),
        newest_kappa_(load(list.newest_kappa + lane)),
        newest_count_(load(list.newest_count + lane)),
        newest_sum_(load(list.newest_sum + lane)),
        max_(load(list.max + lane)),
        next_(load(list.next + lane)) {}

  HWY_INLINE void store() const {
    hn::StoreU(newest_kappa_, D(), list_.newest_kappa + lane_);
    hn::StoreU(newest_count_, D(), list_.newest_count + lane_);
    hn::StoreU(newest_sum_, D(), list_.newest_sum + lane_);
    hn::StoreU(max_, D(), list_.max + lane_);
    hn::StoreU(next_, D(), list_.next + lane_);
  }

  /// False: a key that counts would have to make room.
  HWY_INLINE bool add(V t, V kappa, V value) {
    const D d;
    const V one = hn::Set(d, 1.0), zero = hn::Zero(d);
    max_ = hn::Max(max_, kappa);
    const auto counts = hn::Le(hn::Mul(t, hn::Sub(max_, kappa)), cutoff_);
    const auto same = hn::Eq(kappa, newest_kappa_);
    newest_count_ = hn::Add(newest_count_, hn::IfThenElseZero(same, one));
    newest_sum_ = hn::Add(newest_sum_, hn::IfThenElseZero(same, value));
    const auto fresh = hn::AndNot(same, counts);
    const auto push = hn::And(fresh, hn::Gt(newest_count_, zero));
    const hn::RebindToSigned<D> whole;
    const V slot = hn::IfThenElse(push, next_, hn::Set(d, static_cast<double>(kSlots<T>)));
    const auto index = hn::Add(hn::ConvertTo(whole, hn::MulAdd(slot, hn::Set(d, static_cast<double>(kLanes)), zero)),
                               hn::Iota(whole, static_cast<std::int64_t>(lane_)));
    const V leaving = hn::GatherIndex(d, list_.kappa, index);
    const auto missed = hn::And(push, hn::Le(hn::Mul(t, hn::Sub(max_, leaving)), cutoff_));
    hn::ScatterIndex(newest_kappa_, d, list_.kappa, index);
    hn::ScatterIndex(newest_count_, d, list_.count, index);
    hn::ScatterIndex(newest_sum_, d, list_.sum, index);
    const V following = hn::Add(next_, one);
    next_ = hn::IfThenElse(
        push, hn::IfThenZeroElse(hn::Ge(following, hn::Set(d, static_cast<double>(kSlots<T>))), following), next_);
    newest_kappa_ = hn::IfThenElse(fresh, kappa, newest_kappa_);
    newest_count_ = hn::IfThenElse(fresh, one, newest_count_);
    newest_sum_ = hn::IfThenElse(fresh, value, newest_sum_);
    return hn::AllFalse(d, missed);
  }

  HWY_INLINE void answer(V t, double tiny, T* out) const {
    const V weight = exponential<T>(hn::Mul(t, hn::Sub(newest_kappa_, max_)));
    V total = hn::Mul(weight, newest_count_), sum = hn::Mul(weight, newest_sum_);
    for (std::size_t c = 0; c < kSlots<T>; ++c) {
      const std::size_t at = c * kLanes + lane_;
      const V x = hn::Mul(t, hn::Sub(load(list_.kappa + at), max_));
      if (hn::AllTrue(D(), hn::Lt(x, hn::Set(D(), kLowest<T>)))) continue;
      const V w = exponential<T>(x);
      total = hn::MulAdd(w, load(list_.count + at), total);
      sum = hn::MulAdd(w, load(list_.sum + at), sum);
    }
    store_mean(sum, total, tiny, out);
  }

 private:
  LaneList<T>& list_;
  const std::size_t lane_;
  const V cutoff_;
  V newest_kappa_, newest_count_, newest_sum_, max_, next_;
};

template <class T>
bool pass(const CandidateRows<T>& rows, LaneList<T>& list) {
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(D())) {
    Lists<T> lists(list, lane, rows.cutoff);
    for (std::size_t step = 0; step < rows.steps; ++step) {
      const std::size_t p = (rows.backwards ? rows.steps - 1 - step : step) * kLanes + lane;
      const V t = load(rows.t + p);
      if (rows.out && rows.strict) lists.answer(t, rows.tiny, rows.out + p);
      if (!lists.add(t, load(rows.kappa + p), load(rows.v + p))) return false;
      if (rows.out && !rows.strict) lists.answer(t, rows.tiny, rows.out + p);
    }
    lists.store();
  }
  return true;
}

}  // namespace

// Highway dispatches plain functions, not templates.
bool Pass32(const CandidateRows<float>& rows, LaneList<float>& list) { return pass(rows, list); }
bool Pass64(const CandidateRows<double>& rows, LaneList<double>& list) { return pass(rows, list); }

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

HWY_EXPORT(Pass32);
HWY_EXPORT(Pass64);

template <>
bool pass_candidates(const CandidateRows<float>& rows, LaneList<float>& list) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass32)(rows, list);
}
template <>
bool pass_candidates(const CandidateRows<double>& rows, LaneList<double>& list) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass64)(rows, list);
}

}  // namespace quench::run
#endif  // HWY_ONCE
