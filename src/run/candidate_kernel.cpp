#include "run/candidate_kernel.h"

#include <algorithm>
#include <bit>
#include <numeric>

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

/// e^x for x ≤ 0; where it is too small to count, anything that is. For float a polynomial of degree 6 within
/// 1.06e−8 < 2^−26.4 of e^r relative for |r| ≤ ½ ln 2, with e^0 = 1 (sollya: fpminimax of (e^r − 1 − r)/r²).
template <class T>
HWY_INLINE V weight_of(V x) {
  const D d;
  const Reduced<T> reduced(hn::Max(x, hn::Set(d, kLowest<T>)));
  if constexpr (sizeof(T) == 4) {
    const V r = reduced.r, one = hn::Set(d, 1.0);
    V sum = hn::MulAdd(hn::Set(d, 0x1.6d753adffbf62p-10), r, hn::Set(d, 0x1.120b661a771ep-7));
    sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.5554b8e13d108p-5));
    sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.5554dcfe26afep-3));
    sum = hn::MulAdd(sum, r, hn::Set(d, 0x1.0000001722e7ep-1));
    return reduced.times_power(hn::MulAdd(hn::MulAdd(sum, r, one), r, one));
  } else {
    return reduced.times_power(taylor<T, 0>(reduced.r));
  }
}

/// The chosen lanes to the front of to[0, kBlock), anything after them. Not by Highway's Compress, which copies a table
/// each time (the whole head took 1.8× as long with AVX-512), nor its CompressStore (2.2× with AVX2).
HWY_INLINE void store_chosen(V x, hn::Mask<D> chosen, double* to) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86_64
  hn::StoreU(V{_mm512_maskz_compress_pd(chosen.raw, x.raw)}, D(), to);
#else
  std::uint8_t bits[8] = {};
  hn::StoreMaskBits(D(), chosen, bits);
  double lanes[kBlock];
  hn::StoreU(x, D(), lanes);
  for (std::size_t l = 0; l < kBlock; ++l) {
    *to = lanes[l];
    to += bits[0] >> l & 1;
  }
#endif
}

/// One run over the positions of CandidateRows, block by block: as many queries as a vector holds.
///
/// First all keys: the prefix maxima, and which keys count when they come; only those are looked at again. Then all
/// queries. A key is negligible for good once it is, so those that compete are a range of the keys that counted, which
/// only moves on.
template <class T>
class Run {
 public:
  Run(const CandidateRows<T>& rows, CompetingKeys& keys)
      : rows_(rows), keys_(keys), cutoff_(hn::Set(D(), rows.cutoff)), near_cutoff_(hn::Set(D(), rows.near_cutoff)) {}

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
  static constexpr std::size_t kSteps = kBlock >= 8 ? 3 : kBlock >= 4 ? 2 : kBlock >= 2 ? 1 : 0;
  static constexpr std::size_t kFront = 1;  // room for the sums of a hard block

  void take_over() {
    blocks_ = (rows_.size + kBlock - 1) / kBlock;
    max_[0] = keys_.max;
    last_ = first_ = kFront;
    for (std::size_t c = 0; c < keys_.size; ++c) put(last_++, keys_.keys[c]);
  }

  HWY_INLINE V kappa_at(std::size_t p) const {
    return hn::Mul(rows_.key ? load(rows_.key + p) : load(rows_.kappa + p), hn::Set(D(), rows_.factor));
  }

  void put(std::size_t at, const CompetingKey& key) {
    kappa_[at] = key.kappa;
    count_[at] = key.count;
    sum_[at] = key.sum;
    from_[at] = -1;
  }

  bool add_keys() {
    const D d;
    const V one = hn::Set(d, 1.0);
    const Lookup from_last = hn::IndicesFromVec(d, hn::Set(Index(), static_cast<std::int64_t>(kBlock - 1)));
    const Lookup back[] = {from_before(1), from_before(2), from_before(4)};
    V max_before = hn::Set(d, keys_.max), position = hn::Iota(d, rows_.strict ? 1.0 : 0.0);
    std::size_t size = last_;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t p = b * kBlock, left = rows_.size - p;
      const V t = load(rows_.t + p), value = load(rows_.v + p);
      V kappa = kappa_at(p);
      auto fits = hn::Ge(t, load(rows_.t + p - 1));
      if (left < kBlock) {
        const auto there = hn::FirstN(d, left);
        kappa = hn::IfThenElse(there, kappa, hn::Set(d, kNoKey));
        fits = hn::Or(fits, hn::Not(there));
      }
      if (!hn::AllTrue(d, fits)) return false;
      V max = kappa;
      for (std::size_t step = 0; step < kSteps; ++step) max = hn::Max(max, hn::TableLookupLanes(max, back[step]));
      max = hn::Max(max, max_before);
      hn::StoreU(max, d, max_ + p + 1);
      auto counts = hn::Le(hn::Mul(t, hn::Sub(max, kappa)), cutoff_);
      if (left < kBlock) counts = hn::And(counts, hn::FirstN(d, left));
      store_chosen(kappa, counts, kappa_ + size);
      store_chosen(value, counts, sum_ + size);
      store_chosen(position, counts, from_ + size);
      hn::StoreU(one, d, count_ + size);
      size += hn::CountTrue(d, counts);
      end_[b] = static_cast<std::uint32_t>(size);
      max_before = hn::TableLookupLanes(max, from_last);
      position = hn::Add(position, hn::Set(d, static_cast<double>(kBlock)));
    }
    keys_.max = hn::GetLane(max_before);
    return true;
  }

  /// Whether only keys with κ = M count in block b and before it.
  bool is_hard(std::size_t b) const {
    const auto is_best = [&](double kappa) { return kappa == max_[b * kBlock]; };
    return (alike_ || std::all_of(kappa_ + first_, kappa_ + last_, is_best)) && hardens(b);
  }

  /// Whether the keys of block b that count have κ = M when they come, and leave all others behind where M rises.
  HWY_INLINE bool hardens(std::size_t b) const {
    const D d;
    const std::size_t p = b * kBlock;
    const V t = load(rows_.t + p), kappa = kappa_at(p);
    const V before = hn::LoadU(d, max_ + p), max = hn::LoadU(d, max_ + p + 1);
    const auto behind = [&](V x) { return hn::Or(hn::Eq(x, max), hn::Gt(hn::Mul(t, hn::Sub(max, x)), cutoff_)); };
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
      put(first_, {max_[b * kBlock], alike_count_, alike_sum_});
    }
    const D d;
    V position = hn::Add(hn::Set(d, static_cast<double>(b * kBlock)), hn::Iota(d, 0.0));
    const double* const best_at = max_ + (kStrict ? 0 : 1);
    const double tiny = rows_.tiny;
    std::size_t first = first_, begin = first_, last = last_;
    do {
      const std::size_t p = b * kBlock;
      const V t = load(rows_.t + p), best = hn::LoadU(d, best_at + p);
      last = end_[b];
      V total = hn::Zero(d), sum = hn::Zero(d);
      for (std::size_t c = begin; c < last; ++c) {
        const V x = hn::Mul(t, hn::Sub(hn::Set(d, kappa_[c]), best));
        const auto seen = hn::Ge(position, hn::Set(d, from_[c]));
        V weight = weight_of<T>(hn::IfThenElse(seen, x, hn::Set(d, kLowest<T>)));
        if constexpr (kStrict) weight = hn::IfThenElseZero(seen, weight);  // there may be nothing else
        total = hn::MulAdd(weight, hn::Set(d, count_[c]), total);
        sum = hn::MulAdd(weight, hn::Set(d, sum_[c]), sum);
      }
      store_mean(sum, total, tiny, rows_.out + p);
      position = hn::Add(position, hn::Set(d, static_cast<double>(kBlock)));
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
  /// weights between e^{−T} and e^{−T'} are left out at a time, which sum to less than kBlock·e^{−T'} (with
  /// AVX-512 1.05× faster at n = 16,384 where a third of the keys are chosen, 1.1× where all are; measured with a few
  /// instructions less that came with it).
  HWY_INLINE void move_on(std::size_t p, std::size_t last, std::size_t& first, std::size_t& begin) const {
    const D d;
    const V t = hn::Set(d, rows_.t[p]), max = hn::Set(d, max_[p + 1]);
    for (; first < last; first += kBlock) {
      const V below = hn::Mul(t, hn::Sub(max, hn::LoadU(d, kappa_ + first)));
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
      if (rows_.t[p] * (max_[p + 1] - kappa_[c]) > rows_.cutoff) continue;
      std::size_t same = begin;
      while (same < last_ && kappa_[same] != kappa_[c]) ++same;
      if (same < last_) {
        count_[same] += count_[c];
        sum_[same] += sum_[c];
      } else {
        put(--begin, {kappa_[c], count_[c], sum_[c]});
      }
    }
    first_ = begin;
    return last_ - first_ <= kMostCompeting;
  }

  /// Where t is so great that only keys with κ = M_i count, weights are 0 or 1: sums over the keys with κ_j = M_i, j ≤
  /// i, which are those since M rose to M_i. From block b on, up to one that is not hard.
  HWY_NOINLINE std::size_t answer_hard(std::size_t b) {
    if (!alike_) {
      alike_ = true;
      alike_count_ = std::accumulate(count_ + first_, count_ + last_, 0.0);
      alike_sum_ = std::accumulate(sum_ + first_, sum_ + last_, 0.0);
    }
    const D d;
    const V lane = hn::Iota(d, 0.0), one = hn::Set(d, 1.0);
    const Lookup back[] = {from_before(1), from_before(2), from_before(4)};
    const Lookup from_last = hn::IndicesFromVec(d, hn::Set(Index(), static_cast<std::int64_t>(kBlock - 1)));
    const double tiny = rows_.tiny;
    V count_before = hn::Set(d, alike_count_), sum_before = hn::Set(d, alike_sum_);
    do {
      const std::size_t p = b * kBlock, left = rows_.size - p;
      const V max = hn::LoadU(d, max_ + p + 1);
      auto own = hn::Eq(kappa_at(p), max);
      if (left < kBlock) own = hn::And(own, hn::FirstN(d, left));
      V total = hn::IfThenElseZero(own, one), sum = hn::IfThenElseZero(own, load(rows_.v + p));
      for (std::size_t step = 0; step < kSteps; ++step) {
        const auto goes_on = hn::And(hn::Eq(max, hn::TableLookupLanes(max, back[step])),
                                     hn::Ge(lane, hn::Set(d, static_cast<double>(1 << step))));
        total = hn::Add(total, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(total, back[step])));
        sum = hn::Add(sum, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(sum, back[step])));
      }
      const auto as_before = hn::Eq(max, hn::Set(d, max_[p]));
      total = hn::Add(total, hn::IfThenElseZero(as_before, count_before));
      sum = hn::Add(sum, hn::IfThenElseZero(as_before, sum_before));
      V seen_total = total, seen_sum = sum;
      if (rows_.strict) {
        const auto first = hn::FirstN(d, 1);
        seen_total = hn::IfThenElse(first, count_before, hn::TableLookupLanes(total, back[0]));
        seen_sum = hn::IfThenElse(first, sum_before, hn::TableLookupLanes(sum, back[0]));
      }
      store_mean(seen_sum, seen_total, tiny, rows_.out + p);
      count_before = hn::TableLookupLanes(total, from_last);
      sum_before = hn::TableLookupLanes(sum, from_last);
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
    for (std::size_t c = first_; c < last_; ++c) leave({kappa_[c], count_[c], sum_[c]});
  }

  const CandidateRows<T>& rows_;
  CompetingKeys& keys_;
  const V cutoff_, near_cutoff_;  // T, T'
  std::size_t blocks_ = 0;
  // Keys that counted when they came, and the first query that sees them; M before position p at p; by block, where its
  // keys end and whether it is hard.
  static constexpr std::size_t kSpace = kFront + kMostCompeting + kCandidateRun + 2 * kLanes;
  double kappa_[kSpace], count_[kSpace], sum_[kSpace], from_[kSpace], max_[kCandidateRun + 2 * kLanes];
  std::uint32_t end_[kCandidateRun / kBlock + 1];
  std::size_t first_ = 0, last_ = 0;  // those that compete
  bool refused_ = false;
  bool alike_ = false;  // all of them have κ = M, and are summed up
  double alike_count_ = 0, alike_sum_ = 0;
};

}  // namespace

// Highway dispatches plain functions, not templates.
bool Pass32(const CandidateRows<float>& rows, CompetingKeys& keys) { return Run<float>(rows, keys).run(); }
bool Pass64(const CandidateRows<double>& rows, CompetingKeys& keys) { return Run<double>(rows, keys).run(); }

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
