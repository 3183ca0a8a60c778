#include "run/lane_candidates.h"

#include <algorithm>
#include <cmath>

#include "run/head_work.h"
#include "run/lane_runs.h"

namespace quench::run {

namespace {

/// Rows of kLanes positions to the lanes' positions one after the other, the last ones first if backwards.
template <class T>
void to_scan_order(const T* rows, std::size_t steps, bool backwards, T* to) {
  rows_to_runs(rows, steps, to);
  if (backwards) std::reverse(to, to + steps * kLanes);
}

template <class T>
void from_scan_order(T* from, std::size_t steps, bool backwards, T* rows) {
  if (backwards) std::reverse(from, from + steps * kLanes);
  runs_to_rows(from, steps, rows);
}

}  // namespace

template <class T>
LaneCandidates<T>::LaneCandidates(std::size_t values, double cutoff, Mask mask)
    : cutoff_(cutoff), mask_(mask), greatest_(values), before_(values) {}

template <class T>
bool LaneCandidates<T>::feed(const LaneWindow& window, const Views& q, const Views& k, const Views& v,
                             const std::vector<double>& scale, double steady, const std::vector<T*>& out) {
  const ScanOrder order(mask_);
  if (!order.masked || !fold(q, k, scale, steady, window.size())) return false;
  for (std::size_t x = 0; x < v.size(); ++x) {
    greatest_[x] = std::max(greatest_[x], greatest_size(v[x], window.size()));
    if (!std::isfinite(greatest_[x])) return false;
  }
  const std::size_t size = window.steps * kLanes;
  for (std::vector<double>* plane : {&scan_t_, &scan_kappa_}) plane->resize(size + 2 * kLanes);
  for (std::vector<T>* plane : {&scan_v_, &scan_out_}) plane->resize(size + 2 * kLanes);
  double* const t = scan_t_.data() + kLanes;
  // Positions that do not exist are the last, so they come first in backward order.
  const std::size_t holes = window.segments && order.backwards ? size - window.live : 0;
  for (std::size_t g = 0; g < window.groups; ++g) {
    to_scan_order(t_.data() + g * size, window.steps, order.backwards, t);
    to_scan_order(kappa_.data() + g * size, window.steps, order.backwards, scan_kappa_.data());
    for (std::size_t x = 0; x < v.size(); ++x) {
      to_scan_order(v[x] + g * size, window.steps, order.backwards, scan_v_.data());
      CandidateRows<T> rows;
      rows.strict = order.strict;
      rows.cutoff = cutoff_;
      rows.tiny = kTinyMean * greatest_[x];
      const auto run = [&](std::size_t first, std::size_t count, double t_before, CompetingKeys& keys) {
        for (std::size_t end = first + count; first < end; first += rows.size) {
          rows.size = std::min(kCandidateRun, end - first);
          rows.t = t + first;
          rows.kappa = scan_kappa_.data() + first;
          rows.v = scan_v_.data() + first;
          rows.out = scan_out_.data() + first;
          std::swap(t[first - 1], t_before);
          const bool ran = pass_candidates(rows, keys);
          std::swap(t[first - 1], t_before);
          if (!ran) return false;
          t_before = t[first + rows.size - 1];
        }
        return true;
      };
      if (window.segments) {
        if (!run(holes, window.live, last_t_, before_[x])) return false;
      } else {
        for (std::size_t s = 0; s < kLanes; ++s) {
          CompetingKeys none;
          if (!run(s * window.steps, window.steps, 0, none)) return false;
        }
      }
      from_scan_order(scan_out_.data(), window.steps, order.backwards, out[x] + g * size);
    }
    if (window.segments) last_t_ = t[holes + window.live - 1];
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

template class LaneCandidates<float>;
template class LaneCandidates<double>;

}  // namespace quench::run
