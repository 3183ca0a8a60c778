#include "run/lane_candidates.h"

#include <algorithm>
#include <cmath>

#include "run/head_work.h"

namespace quench::run {

template <class T>
LaneCandidates<T>::LaneCandidates(std::size_t values, double cutoff, Mask mask)
    : cutoff_(cutoff), mask_(mask), greatest_(values), carried_(values) {}

template <class T>
bool LaneCandidates<T>::feed(const LaneWindow& window, const Views& q, const Views& k, const Views& v,
                             const std::vector<double>& scale, double steady, const std::vector<T*>& out) {
  const ScanOrder order(mask_);
  if (!order.masked || !fold(q, k, scale, steady, window.size()) || !rises(window)) return false;
  if (window.has_holes(mask_)) window.leave_out_holes(kappa_.data());
  for (std::size_t x = 0; x < v.size(); ++x) {
    greatest_[x] = std::max(greatest_[x], greatest_size(v[x], window.size()));
    if (!std::isfinite(greatest_[x])) return false;
    for (std::size_t g = 0; g < window.groups; ++g) {
      const std::size_t at = g * window.steps * kLanes;
      CandidateRows<T> rows;
      rows.steps = window.steps;
      rows.backwards = order.backwards;
      rows.strict = order.strict;
      rows.t = t_.data() + at;
      rows.kappa = kappa_.data() + at;
      rows.v = v[x] + at;
      rows.cutoff = cutoff_;
      rows.tiny = kTinyMean * greatest_[x];
      LaneList<T> list;
      if (window.segments) {
        LaneList<T> segments;
        if (!pass_candidates(rows, segments) || !carry(window, segments, carried_[x], list)) return false;
      }
      rows.out = out[x] + at;
      if (!pass_candidates(rows, list)) return false;
    }
  }
  return true;
}

/// t_i and κ_j as one component: the queries of the others are multiples of the first one's.
template <class T>
bool LaneCandidates<T>::fold(const Views& q, const Views& k, const std::vector<double>& scale, double steady,
                             std::size_t size) {
  if (q.empty() || q[0][0] == 0) return false;
  if (ratio_.empty())
    for (const T* plane : q) ratio_.push_back(static_cast<double>(plane[0]) / static_cast<double>(q[0][0]));
  for (std::size_t l = 1; l < q.size(); ++l)
    for (std::size_t p = 0; p < size; ++p)
      if (static_cast<double>(q[l][p]) != ratio_[l] * static_cast<double>(q[0][p])) return false;
  t_.resize(size);
  kappa_.resize(size);
  if (!make_scores<T>({q.data(), 1}, std::vector{1.0}, scale.empty() ? steady : 1.0, size, t_.data())) return false;
  for (std::size_t p = 0; !scale.empty() && p < size; ++p) t_[p] *= scale[p];
  return make_scores<T>(k, ratio_, 1.0, size, kappa_.data()) && std::isfinite(greatest_size(t_.data(), size));
}

/// t ≥ 0, and it does not fall from one query to the next.
template <class T>
bool LaneCandidates<T>::rises(const LaneWindow& window) {
  const ScanOrder order(mask_);
  const std::size_t rows = window.steps * kLanes;
  for (std::size_t g = 0; g < window.groups; ++g) {
    const double* t = t_.data() + g * rows;
    double before = window.segments ? last_t_ : 0;
    for (std::size_t step = 0; step < kLanes; ++step) {
      const std::size_t s = order.at(step, kLanes);
      if (!window.segments) before = 0;
      for (std::size_t row = 0; row < window.steps; ++row) {
        const double here = t[order.at(row, window.steps) * kLanes + s];
        if (!(here >= before)) return false;
        before = here;
      }
    }
    last_t_ = before;
  }
  return true;
}

/// From what the segments leave to what each finds at its beginning; `carried` moves on.
template <class T>
bool LaneCandidates<T>::carry(const LaneWindow& window, const LaneList<T>& segments, Carried& carried,
                              LaneList<T>& before) const {
  const ScanOrder order(mask_);
  for (std::size_t step = 0; step < kLanes; ++step) {
    const std::size_t s = order.at(step, kLanes);
    const double t = t_[order.at(0, window.steps) * kLanes + s];  // of the segment's first query
    std::erase_if(carried.keys, [&](const Key& key) { return t * (carried.max - key.kappa) > cutoff_; });
    if (carried.keys.size() > kSlots<T>) return false;
    before.max[s] = carried.max;
    for (std::size_t c = 0; c < carried.keys.size(); ++c) {
      before.kappa[c * kLanes + s] = carried.keys[c].kappa;
      before.count[c * kLanes + s] = carried.keys[c].count;
      before.sum[c * kLanes + s] = carried.keys[c].sum;
    }
    before.next[s] = static_cast<double>(carried.keys.size() % kSlots<T>);
    const auto leave = [&](double kappa, double count, double sum) {
      if (count == 0) return;
      const auto equal =
          std::find_if(carried.keys.begin(), carried.keys.end(), [&](const Key& key) { return key.kappa == kappa; });
      if (equal == carried.keys.end()) return carried.keys.push_back({kappa, count, sum});
      equal->count += count;
      equal->sum += sum;
    };
    for (std::size_t c = 0; c < kSlots<T>; ++c) {  // the oldest first
      const std::size_t slot = (static_cast<std::size_t>(segments.next[s]) + c) % kSlots<T>, at = slot * kLanes + s;
      leave(segments.kappa[at], segments.count[at], segments.sum[at]);
    }
    leave(segments.newest_kappa[s], segments.newest_count[s], segments.newest_sum[s]);
    carried.max = std::max(carried.max, segments.max[s]);
  }
  return true;
}

template class LaneCandidates<float>;
template class LaneCandidates<double>;

}  // namespace quench::run
