#include "run/candidate_kernel.h"

#include <bit>
#include <limits>

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

/// One run over the positions of CandidateRows, block by block: as many queries as a vector holds.
///
/// First all keys: the prefix maxima, and which keys count when they come; only those are looked at again. Then all
/// queries, whose loops do not have to wait for decisions on keys. A key
/// is negligible for good once it is, so those that compete are a range of the keys that counted, which only moves on.
template <class T>
class Run {
 public:
  Run(const CandidateRows<T>& rows, CompetingKeys& keys)
      : rows_(rows), keys_(keys), cutoff_(hn::Set(D(), rows.cutoff)) {}

  bool run() {
    take_over();
    if (!add_keys()) return false;
    for (std::size_t b = 0; b < blocks_; ++b)
      if (!answer_block(b)) return false;
    hand_over();
    return true;
  }

 private:
  static constexpr std::size_t kSteps = kBlock >= 8 ? 3 : kBlock >= 4 ? 2 : kBlock >= 2 ? 1 : 0;
  static constexpr std::size_t kFront = 1;     // room for the sums of a hard block
  static constexpr std::size_t kTogether = 3;  // keys

  void take_over() {
    blocks_ = (rows_.size + kBlock - 1) / kBlock;
    max_[0] = keys_.max;
    last_ = first_ = kFront;
    for (std::size_t c = 0; c < keys_.size; ++c) put(last_++, keys_.keys[c]);
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
    V max_before = hn::Set(d, keys_.max);
    std::size_t size = last_;
    for (std::size_t b = 0; b < blocks_; ++b) {
      const std::size_t p = b * kBlock, left = rows_.size - p;
      const V t = load(rows_.t + p), value = load(rows_.v + p);
      V kappa = load(rows_.kappa + p);
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
      const V position = hn::Add(hn::Set(d, static_cast<double>(rows_.strict ? p + 1 : p)), hn::Iota(d, 0.0));
      hn::CompressStore(kappa, counts, d, kappa_ + size);
      hn::CompressStore(value, counts, d, sum_ + size);
      hn::CompressStore(position, counts, d, from_ + size);
      hn::StoreU(one, d, count_ + size);
      size += hn::CountTrue(d, counts);
      const V before =
          kBlock == 1 ? max_before : hn::IfThenElse(hn::FirstN(d, 1), max_before, hn::TableLookupLanes(max, back[0]));
      const auto kills = hn::Gt(hn::Mul(t, hn::Sub(max, before)), cutoff_);
      const bool hard = hn::AllTrue(d, hn::Or(hn::Eq(kappa, max), hn::Not(counts))) &&
                        hn::AllTrue(d, hn::Or(hn::Eq(before, max), kills));
      end_[b] = static_cast<std::uint32_t>(size);
      hard_[b] = hard;
      max_before = hn::TableLookupLanes(max, from_last);
    }
    keys_.max = hn::GetLane(max_before);
    for (std::size_t c = size; c < size + kTogether; ++c) {  // in sight of nobody
      put(c, {keys_.max, 0, 0});
      from_[c] = std::numeric_limits<double>::infinity();
    }
    return true;
  }

  /// Whether all keys that compete have κ = M.
  bool all_alike(double max) const {
    for (std::size_t c = first_; c < last_; ++c)
      if (kappa_[c] != max) return false;
    return true;
  }

  HWY_INLINE bool answer_block(std::size_t b) {
    const std::size_t p = b * kBlock;
    if (hard_[b] && (alike_ || all_alike(max_[p]))) {
      answer_hard(b);
      return true;
    }
    if (alike_) {
      alike_ = false;
      first_ = last_ - 1;
      put(first_, {max_[p], alike_count_, alike_sum_});
    }
    last_ = end_[b];
    const D d;
    const V t = load(rows_.t + p), best = hn::LoadU(d, max_ + p + (rows_.strict ? 0 : 1));
    const V position = hn::Add(hn::Set(d, static_cast<double>(p)), hn::Iota(d, 0.0));
    V total = hn::Zero(d), sum = hn::Zero(d);
    for (std::size_t begin = first_; begin < last_; begin += kTogether)  // those after the last are not in sight
      for (std::size_t c = begin; c < begin + kTogether; ++c) {
        V weight = weight_of<T>(hn::Mul(t, hn::Sub(hn::Set(d, kappa_[c]), best)));
        weight = hn::IfThenElseZero(hn::Ge(position, hn::Set(d, from_[c])), weight);
        total = hn::MulAdd(weight, hn::Set(d, count_[c]), total);
        sum = hn::MulAdd(weight, hn::Set(d, sum_[c]), sum);
      }
    store_mean(sum, total, rows_.tiny, rows_.out + p);
    return move_on(b);
  }

  std::size_t last_position(std::size_t b) const {
    const std::size_t end = (b + 1) * kBlock;
    return (end < rows_.size ? end : rows_.size) - 1;
  }

  /// Leaves out the first keys that have become negligible.
  HWY_INLINE bool move_on(std::size_t b) {
    const D d;
    const std::size_t p = last_position(b);
    // Keys of later blocks, which come after the range, are not negligible yet.
    const V below = hn::Sub(hn::Set(d, max_[p + 1]), hn::LoadU(d, kappa_ + first_));
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, hn::Gt(hn::Mul(hn::Set(d, rows_.t[p]), below), cutoff_), bits);
    first_ += static_cast<std::size_t>(std::countr_one(bits[0]));
    if (first_ > last_) first_ = last_;
    return last_ - first_ <= kMostCompeting || thin_out(p);
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
  /// i, which are those since M rose to M_i.
  HWY_INLINE void answer_hard(std::size_t b) {
    const D d;
    const std::size_t p = b * kBlock, left = rows_.size - p;
    if (!alike_) {
      alike_ = true;
      alike_count_ = alike_sum_ = 0;
      for (std::size_t c = first_; c < last_; ++c) alike_count_ += count_[c], alike_sum_ += sum_[c];
    }
    const V max = hn::LoadU(d, max_ + p + 1), lane = hn::Iota(d, 0.0);
    auto own = hn::Eq(load(rows_.kappa + p), max);
    if (left < kBlock) own = hn::And(own, hn::FirstN(d, left));
    V total = hn::IfThenElseZero(own, hn::Set(d, 1.0)), sum = hn::IfThenElseZero(own, load(rows_.v + p));
    const Lookup back[] = {from_before(1), from_before(2), from_before(4)};
    for (std::size_t step = 0; step < kSteps; ++step) {
      const auto goes_on = hn::And(hn::Eq(max, hn::TableLookupLanes(max, back[step])),
                                   hn::Ge(lane, hn::Set(d, static_cast<double>(1 << step))));
      total = hn::Add(total, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(total, back[step])));
      sum = hn::Add(sum, hn::IfThenElseZero(goes_on, hn::TableLookupLanes(sum, back[step])));
    }
    const auto as_before = hn::Eq(max, hn::Set(d, max_[p]));
    const V count_before = hn::Set(d, alike_count_), sum_before = hn::Set(d, alike_sum_);
    total = hn::Add(total, hn::IfThenElseZero(as_before, count_before));
    sum = hn::Add(sum, hn::IfThenElseZero(as_before, sum_before));
    const Lookup from_last = hn::IndicesFromVec(d, hn::Set(Index(), static_cast<std::int64_t>(kBlock - 1)));
    alike_count_ = hn::GetLane(hn::TableLookupLanes(total, from_last));
    alike_sum_ = hn::GetLane(hn::TableLookupLanes(sum, from_last));
    if (rows_.strict) {
      const auto first = hn::FirstN(d, 1);
      total = hn::IfThenElse(first, count_before, hn::TableLookupLanes(total, back[0]));
      sum = hn::IfThenElse(first, sum_before, hn::TableLookupLanes(sum, back[0]));
    }
    store_mean(sum, total, rows_.tiny, rows_.out + p);
    last_ = end_[b];
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
  const V cutoff_;
  std::size_t blocks_ = 0;
  // Keys that counted when they came, and the first query that sees them; M before position p at p; by block, where its
  // keys end and whether it is hard.
  static constexpr std::size_t kSpace = kFront + kMostCompeting + kCandidateRun + 2 * kLanes;
  double kappa_[kSpace], count_[kSpace], sum_[kSpace], from_[kSpace], max_[kCandidateRun + 2 * kLanes];
  std::uint32_t end_[kCandidateRun / kBlock + 1];
  bool hard_[kCandidateRun / kBlock + 1];
  std::size_t first_ = 0, last_ = 0;  // those that compete
  bool alike_ = false;                // all of them have κ = M, and are summed up
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
