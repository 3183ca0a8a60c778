#include "run/structured/kernels/candidate_kernel.h"

#include <algorithm>
#include <cstdint>

#include "run/structured/kernels/no_subnormals.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "run/structured/kernels/candidate_kernel.cpp"
// clang-format off
#include <hwy/foreach_target.h>  // compiles this file again for every instruction set; must come before highway.h
#include <hwy/highway.h>
// clang-format on

#include "run/structured/kernels/candidate_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace quench::run::HWY_NAMESPACE {
namespace {

/// One run over the positions of CandidateRows, block by block: as many queries as a vector of L holds.
///
/// First all keys: the prefix maxima, and which keys count when they come; only those are looked at again. Then all
/// queries. A key is negligible for good once it is, so those that compete are a range of the keys that counted, which
/// only moves on.
template <class T, class L>
class Run {
 public:
  Run(const CandidateRows<T, L>& rows, CompetingKeys& keys)
      : rows_(rows),
        keys_(keys),
        cutoff_(hn::Set(Lanes(), static_cast<L>(rows.cutoff))),
        near_cutoff_(hn::Set(Lanes(), static_cast<L>(rows.near_cutoff))) {}

  bool run() {
    take_over();
    if (!add_keys()) return false;
    for (std::size_t b = 0; b < blocks_;) {
      b = is_hard(b) ? answer_hard(b) : rows_.strict ? answer_soft<true>(b) : answer_soft<false>(b);
      if (refused_) return false;
    }
    hand_over();
    return true;
  }

 private:
  using Rows = CandidateRows<T, L>;
  using Lanes = Tag<L>;
  using W = hn::Vec<Lanes>;
  static constexpr bool kNarrow = sizeof(L) == 4;
  static constexpr std::size_t kBlock = hn::MaxLanes(Lanes()), kHardBlock = hn::MaxLanes(D());
  static constexpr std::size_t kFront = 1;  // room for the sums of a hard block
  // M before the first key; twice that is a key that is not there.
  static constexpr L kNone = static_cast<L>(kNarrow ? -2 * kFloatRange : kNoMax);

  void take_over() {
    blocks_ = (rows_.size + kBlock - 1) / kBlock;
    max_[0] = std::max(kNone, static_cast<L>(keys_.max / rows_.unit));
    last_ = first_ = kFront;
    for (std::size_t c = 0; c < keys_.size; ++c) put(last_++, keys_.keys[c]);
  }

  /// In lanes of L, or of double.
  template <class Other>
  static HWY_INLINE hn::Vec<Other> kappa_at(Other d, const Rows& rows, std::size_t p) {
    const auto factor = hn::Set(d, static_cast<hn::TFromD<Other>>(rows.factor));
    if constexpr (sizeof(hn::TFromD<Other>) == 4)
      return hn::Mul(hn::LoadU(d, rows.key + p), factor);
    else
      return hn::Mul(rows.key ? load(rows.key + p) : load(rows.kappa + p), factor);
  }

  static HWY_INLINE W value_at(const Rows& rows, std::size_t p) {
    if constexpr (kNarrow)
      return hn::LoadU(Lanes(), rows.v + p);
    else
      return load(rows.v + p);
  }

  void put(std::size_t at, const CompetingKey& key) {
    kappa_[at] = static_cast<L>(key.kappa / rows_.unit);
    count_[at] = static_cast<L>(key.count);
    sum_[at] = static_cast<L>(key.sum);
    if constexpr (kNarrow) {
      count_rest_[at] = static_cast<L>(key.count - static_cast<double>(count_[at]));
      sum_rest_[at] = static_cast<L>(key.sum - static_cast<double>(sum_[at]));
    }
  }

  CompetingKey key(std::size_t at) const {
    const auto both = [&](const L* first, const L* rest) {
      return static_cast<double>(first[at]) + (kNarrow ? static_cast<double>(rest[at]) : 0.0);
    };
    return {kappa_[at] * rows_.unit, both(count_, count_rest_), both(sum_, sum_rest_)};
  }

  bool add_keys() {
    const Lanes d;
    const Rows rows = rows_;  // a copy, since the compiler must take stores to change rows_
    const W lane = hn::Iota(d, 0);
    const auto last_lane = from_last(d);
    const Lookup<Lanes> back[] = {from_before(d, 1), from_before(d, 2), from_before(d, 4), from_before(d, 8)};
    W max_before = hn::Set(d, max_[0]);
    std::size_t size = last_;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t p = b * kBlock, left = rows.size - p;
      const W t = hn::LoadU(d, rows.t + p);
      W kappa = kappa_at(d, rows, p);
      auto fits = hn::Ge(t, hn::LoadU(d, rows.t + p - 1));
      if (left < kBlock) {
        const auto there = hn::FirstN(d, left);
        kappa = hn::IfThenElse(there, kappa, hn::Set(d, 2 * kNone));
        fits = hn::Or(fits, hn::Not(there));
      }
      if (!hn::AllTrue(d, fits)) return false;
      W max = kappa;
      for (std::size_t step = 0; std::size_t{1} << step < kBlock; ++step)
        max = hn::Max(max, hn::TableLookupLanes(max, back[step]));
      max = hn::Max(max, max_before);
      hn::StoreU(max, d, max_ + p + 1);
      auto counts = hn::Le(hn::Mul(t, hn::Sub(max, kappa)), cutoff_);
      if (left < kBlock) counts = hn::And(counts, hn::FirstN(d, left));
      store_chosen(d, kappa, counts, kappa_ + size);
      store_chosen(d, value_at(rows, p), counts, sum_ + size);
      store_chosen(d, lane, counts, lane_ + size);
      size += hn::CountTrue(d, counts);
      end_[b] = static_cast<std::uint32_t>(size);
      max_before = hn::TableLookupLanes(max, last_lane);
    }
    std::fill(count_ + last_, count_ + size, L{1});
    if constexpr (kNarrow) {
      std::fill(count_rest_ + last_, count_rest_ + size, L{0});
      std::fill(sum_rest_ + last_, sum_rest_ + size, L{0});
    }
    keys_.max = hn::GetLane(max_before) * rows.unit;
    return true;
  }

  /// Whether only keys with κ = M count in block b and before it.
  bool is_hard(std::size_t b) const {
    const auto is_best = [&](L kappa) { return kappa == max_[b * kBlock]; };
    return (alike_ || std::all_of(kappa_ + first_, kappa_ + last_, is_best)) && hardens(b);
  }

  /// Whether the keys of block b that count have κ = M when they come, and leave all others behind where M rises.
  HWY_INLINE bool hardens(std::size_t b) const {
    const Lanes d;
    const std::size_t p = b * kBlock;
    const W t = hn::LoadU(d, rows_.t + p), kappa = kappa_at(d, rows_, p);
    const W before = hn::LoadU(d, max_ + p), max = hn::LoadU(d, max_ + p + 1);
    const auto behind = [&](W x) { return hn::Or(hn::Eq(x, max), hn::Gt(hn::Mul(t, hn::Sub(max, x)), cutoff_)); };
    auto hard = hn::And(behind(kappa), behind(before));
    if (rows_.size - p < kBlock) hard = hn::Or(hard, hn::Not(hn::FirstN(d, rows_.size - p)));
    return hn::AllTrue(d, hard);
  }

  /// From block b on, up to one that is hard.
  template <bool kStrict>
  HWY_NOINLINE std::size_t answer_soft(std::size_t b) {
    if (alike_) {
      alike_ = false;
      first_ = last_ - 1;
      put(first_, {max_[b * kBlock] * rows_.unit, alike_count_, alike_sum_});
    }
    const Lanes d;
    const Rows rows = rows_;
    const W lane = hn::Iota(d, 0);
    const L* const best_at = max_ + (kStrict ? 0 : 1);
    std::size_t first = first_, begin = first_, last = last_;
    do {
      const std::size_t p = b * kBlock, older = last;
      const W t = hn::LoadU(d, rows.t + p), best = hn::LoadU(d, best_at + p);
      last = end_[b];
      W total = hn::Zero(d), sum = hn::Zero(d);
      for (std::size_t c = begin; c < older; ++c) {
        const W weight = weight_of<T>(hn::Mul(t, hn::Sub(hn::Set(d, kappa_[c]), best)));
        total = hn::MulAdd(weight, hn::Set(d, count_[c]), total);
        sum = hn::MulAdd(weight, hn::Set(d, sum_[c]), sum);
      }
      for (std::size_t c = older; c < last; ++c) {  // the block's own, seen by some (in a loop of its own)
        const W all = weight_of<T>(hn::Mul(t, hn::Sub(hn::Set(d, kappa_[c]), best))), own = hn::Set(d, lane_[c]);
        const W weight = hn::IfThenElseZero(kStrict ? hn::Gt(lane, own) : hn::Ge(lane, own), all);
        total = hn::Add(total, weight);
        sum = hn::MulAdd(weight, hn::Set(d, sum_[c]), sum);
      }
      store_means(sum, total, rows.out + p);
      move_on(last_position(b), last, first, begin);
      ++b;
    } while (b < blocks_ && last - first <= kMostCompeting && !(kappa_[first] == max_[b * kBlock] && hardens(b)));
    first_ = first;
    last_ = last;
    refused_ = last - first > kMostCompeting && !thin_out(last_position(b - 1));
    return b;
  }

  std::size_t last_position(std::size_t b) const {
    const std::size_t end = (b + 1) * kBlock;
    return (end < rows_.size ? end : rows_.size) - 1;
  }

  /// `first` to the first key of [first, last) that is not negligible after position p, and `begin` to the first after
  /// it whose weight is above e^{−T'}, or past the vector of keys that were looked at: so fewer than kBlock keys with
  /// weights between e^{−T} and e^{−T'} are left out at a time, which sum to less than kBlock·e^{−T'}.
  HWY_INLINE void move_on(std::size_t p, std::size_t last, std::size_t& first, std::size_t& begin) const {
    const Lanes d;
    const W t = hn::Set(d, rows_.t[p]), max = hn::Set(d, max_[p + 1]);
    for (; first < last; first += kBlock) {
      const W below = hn::Mul(t, hn::Sub(max, hn::LoadU(d, kappa_ + first)));
      const auto live = hn::Le(below, cutoff_), counts = hn::Le(below, near_cutoff_);
      if (hn::AllFalse(d, live)) continue;
      const std::size_t next =
          hn::AllFalse(d, counts) ? kBlock : static_cast<std::size_t>(hn::FindFirstTrue(d, counts));
      begin = std::min(last, first + next);
      first = std::min(last, first + static_cast<std::size_t>(hn::FindFirstTrue(d, live)));
      return;
    }
    first = begin = last;
  }

  /// Leaves out all keys that have become negligible, and joins those with the same κ.
  bool thin_out(std::size_t p) {
    std::size_t begin = last_;
    for (std::size_t c = last_; c-- > first_;) {
      if (rows_.t[p] * (max_[p + 1] - kappa_[c]) > static_cast<L>(rows_.cutoff)) continue;
      std::size_t same = begin;
      while (same < last_ && kappa_[same] != kappa_[c]) ++same;
      CompetingKey joined = key(c);
      if (same < last_) {
        joined.count += key(same).count;
        joined.sum += key(same).sum;
      } else {
        same = --begin;
      }
      put(same, joined);
    }
    first_ = begin;
    return last_ - first_ <= kMostCompeting;
  }

  /// Where t is so great that only keys with κ = M_i count, weights are 0 or 1: sums over the keys with κ_j = M_i, j ≤
  /// i, which are those since M rose to M_i. From block b on, up to one that is not hard. In double lanes.
  HWY_NOINLINE std::size_t answer_hard(std::size_t b) {
    if (!alike_) {
      alike_ = true;
      alike_count_ = alike_sum_ = 0;
      for (std::size_t c = first_; c < last_; ++c) {
        alike_count_ += key(c).count;
        alike_sum_ += key(c).sum;
      }
    }
    const D d;
    const Rows rows = rows_;
    const V lane = hn::Iota(d, 0.0), one = hn::Set(d, 1.0);
    const Lookup<D> back[] = {from_before(d, 1), from_before(d, 2), from_before(d, 4)};
    const auto last_lane = from_last(d);
    V count_before = hn::Set(d, alike_count_), sum_before = hn::Set(d, alike_sum_);
    do {
      const std::size_t end = std::min(rows.size, (b + 1) * kBlock);
      for (std::size_t p = b * kBlock; p < end; p += kHardBlock) {
        const std::size_t left = rows.size - p;
        const V max = load(max_ + p + 1);
        auto own = hn::Eq(kappa_at(d, rows, p), max);
        if (left < kHardBlock) own = hn::And(own, hn::FirstN(d, left));
        V total = hn::IfThenElseZero(own, one), sum = hn::IfThenElseZero(own, load(rows.v + p));
        for (std::size_t step = 0; std::size_t{1} << step < kHardBlock; ++step) {
          const auto goes_on = hn::And(hn::Eq(max, hn::TableLookupLanes(max, back[step])),
                                       hn::Ge(lane, hn::Set(d, static_cast<double>(1 << step))));
          total = hn::Add(total, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(total, back[step])));
          sum = hn::Add(sum, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(sum, back[step])));
        }
        const auto as_before = hn::Eq(max, hn::Set(d, static_cast<double>(max_[p])));
        total = hn::Add(total, hn::IfThenElseZero(as_before, count_before));
        sum = hn::Add(sum, hn::IfThenElseZero(as_before, sum_before));
        V seen_total = total, seen_sum = sum;
        if (rows.strict) {
          const auto first = hn::FirstN(d, 1);
          seen_total = hn::IfThenElse(first, count_before, hn::TableLookupLanes(total, back[0]));
          seen_sum = hn::IfThenElse(first, sum_before, hn::TableLookupLanes(sum, back[0]));
        }
        store_mean(seen_sum, seen_total, rows.out + p);
        count_before = hn::TableLookupLanes(total, last_lane);
        sum_before = hn::TableLookupLanes(sum, last_lane);
      }
      ++b;
    } while (b < blocks_ && hardens(b));
    alike_count_ = hn::GetLane(count_before);
    alike_sum_ = hn::GetLane(sum_before);
    last_ = end_[b - 1];
    return b;
  }

  void hand_over() {
    keys_.size = 0;
    const auto leave = [&](const CompetingKey& key) {
      if (key.count > 0) keys_.keys[keys_.size++] = key;
    };
    if (alike_) return leave({keys_.max, alike_count_, alike_sum_});
    for (std::size_t c = first_; c < last_; ++c) leave(key(c));
  }

  const CandidateRows<T, L>& rows_;
  CompetingKeys& keys_;
  const W cutoff_, near_cutoff_;  // T, T'
  std::size_t blocks_ = 0;
  // Keys that counted when they came, and their lane in the block then; M before position p at p; by block, where its
  // keys end.
  static constexpr std::size_t kSpace = kFront + kMostCompeting + kCandidateStretch + 2 * kLanes;
  L kappa_[kSpace], count_[kSpace], sum_[kSpace], lane_[kSpace], max_[kCandidateStretch + 2 * kLanes];
  L count_rest_[kNarrow ? kSpace : 1], sum_rest_[kNarrow ? kSpace : 1];  // what rounding to L took away
  std::uint32_t end_[kCandidateStretch / kBlock + 1];
  std::size_t first_ = 0, last_ = 0;  // those that compete
  bool refused_ = false;
  bool alike_ = false;  // all of them have κ = M, and are summed up
  double alike_count_ = 0, alike_sum_ = 0;
};

}  // namespace

// Highway dispatches plain functions, not templates.
bool PassFloats(const CandidateRows<float, float>& rows, CompetingKeys& keys) {
  return Run<float, float>(rows, keys).run();
}
bool Pass32(const CandidateRows<float, double>& rows, CompetingKeys& keys) {
  return Run<float, double>(rows, keys).run();
}
bool Pass64(const CandidateRows<double, double>& rows, CompetingKeys& keys) {
  return Run<double, double>(rows, keys).run();
}

}  // namespace quench::run::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace quench::run {

HWY_EXPORT(PassFloats);
HWY_EXPORT(Pass32);
HWY_EXPORT(Pass64);

template <>
bool pass_candidates(const CandidateRows<float, float>& rows, CompetingKeys& keys) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(PassFloats)(rows, keys);
}
template <>
bool pass_candidates(const CandidateRows<float, double>& rows, CompetingKeys& keys) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass32)(rows, keys);
}
template <>
bool pass_candidates(const CandidateRows<double, double>& rows, CompetingKeys& keys) {
  const NoSubnormals guard;
  return HWY_DYNAMIC_DISPATCH(Pass64)(rows, keys);
}

}  // namespace quench::run
#endif  // HWY_ONCE
