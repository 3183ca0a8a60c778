#include "run/structured/methods/candidates/candidates.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/number/multiversion.h"
#include "run/structured/lane_stretches.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

constexpr double kLeastFactor = 0x1p-500;  // whose inverse is far from the end of the range
constexpr std::size_t kLanesAtOnce = 4;  // what a few hundred positions take stays in the nearest cache

template <class T>
std::vector<T>& with_room(std::vector<T>& plane, std::size_t size) {
  if (plane.size() < size + 2 * kLanes) plane.resize(size + 2 * kLanes);
  return plane;
}

template <class T>
void to_scan_order(const T* rows, std::size_t steps, bool backwards, T* to) {
  rows_to_stretches(rows, steps, kLanesAtOnce, to);
  if (backwards) std::reverse(to, to + steps * kLanesAtOnce);
}

template <class T>
void from_scan_order(T* from, std::size_t steps, bool backwards, T* rows) {
  if (backwards) std::reverse(from, from + steps * kLanesAtOnce);
  stretches_to_rows(from, steps, kLanesAtOnce, rows);
}

QUENCH_MULTIVERSION bool is_multiple(const float* x, double ratio, const float* y, std::size_t count) {
  int differ = 0;
  for (std::size_t p = 0; p < count; ++p) differ |= static_cast<double>(x[p]) != ratio * static_cast<double>(y[p]);
  return differ == 0;
}
QUENCH_MULTIVERSION bool is_multiple(const double* x, double ratio, const double* y, std::size_t count) {
  int differ = 0;
  for (std::size_t p = 0; p < count; ++p) differ |= x[p] != ratio * y[p];
  return differ == 0;
}

/// factor·x and then c times that, rounded to float
QUENCH_MULTIVERSION void to_floats(const double* x, double factor, double c, std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = static_cast<float>(factor * x[p] * c);
}

}  // namespace

template <class T>
LaneCandidates<T>::LaneCandidates(const MethodSetting<T>& setting)
    : cutoff_(setting.cutoff),
      near_cutoff_(std::min(cutoff_, negligible(sizeof(T) == 4 ? 24 : 53, kLanes))),
      mask_(setting.in_order),
      exact_sums_(setting.exact_sums),
      greatest_(setting.values),
      before_(setting.values) {}

template <class T>
bool LaneCandidates<T>::feed(const HeadWindow<T>& head) {
  const auto& [window, position, q, k, v, scale, steady, out, phase] = head;
  const ScanOrder order(mask_);
  if (!order.masked || !find_ratios(q, window.size())) return false;
  for (std::size_t x = 0; x < v.size(); ++x) {
    greatest_[x] = std::max(greatest_[x], greatest_size(v[x], window.size()));
    if (!std::isfinite(greatest_[x])) return false;
  }
  if (k.size() == 1) greatest_key_ = std::max(greatest_key_, greatest_size(k[0], window.size()));
  if (!std::isfinite(factor_ * greatest_key_)) return false;
  in_floats_ = floats_suffice(window, q, scale, steady);
  for (std::size_t g = 0; g < window.groups; ++g)
    for (std::size_t step = 0; step < kLanes / kLanesAtOnce; ++step) {
      const std::size_t s = order.at(step, kLanes / kLanesAtOnce) * kLanesAtOnce;
      if (!run_lanes(window, g * window.steps * kLanes + s, q, k, v, scale, steady, out)) return false;
    }
  return true;
}

/// The queries of the other components are multiples of the first one's.
template <class T>
bool LaneCandidates<T>::find_ratios(const Views& q, std::size_t size) {
  if (q.empty() || !(std::fabs(q[0][0]) >= kLeastFactor)) return false;
  if (ratio_.empty())
    for (const T* plane : q) ratio_.push_back(static_cast<double>(plane[0]) / static_cast<double>(q[0][0]));
  for (std::size_t l = 1; l < q.size(); ++l)
    if (!is_multiple(q[l], ratio_[l], q[0], size)) return false;
  if (factor_ == 0) factor_ = static_cast<double>(q[0][0]);
  const T factor = static_cast<T>(factor_);
  one_query_ = all_among<T>(q[0], {&factor, 1}, size);
  return true;
}

template <class T>
bool LaneCandidates<T>::floats_suffice(const LaneWindow& window, const Views& q, const LaneScale& scale,
                                       double steady) const {
  if (exact_sums_ || sizeof(T) != 4 || ratio_.size() != 1 || greatest_key_ > kFloatRange) return false;
  const auto in_range = [](double v) { return v == 0 || (v >= 1 / kFloatRange && v <= kFloatRange); };
  if (!std::all_of(greatest_.begin(), greatest_.end(), in_range)) return false;
  // Where t does not fall, as it must not, the greatest of a run is at one of its ends.
  const double greatest_scale = scale.stretch ? scale.factor * std::max(scale.stretch[0], scale.stretch[window.size() - 1])
                                : scale.rows.empty() ? steady
                                                     : greatest_size(scale.rows.data(), window.size());
  const double greatest_query = one_query_ ? std::fabs(factor_) : greatest_size(q[0], window.size());
  return std::fabs(greatest_scale) * greatest_query * std::numbers::log2e <= kFloatRange;
}

/// The lanes from index `at` of the first row on.
template <class T>
bool LaneCandidates<T>::run_lanes(const LaneWindow& window, std::size_t at, const Views& q, const Views& k,
                                  const Views& v, const LaneScale& scale, double steady, const std::vector<T*>& out) {
  const ScanOrder order(mask_);
  const std::size_t steps = window.steps, size = steps * kLanesAtOnce, lane = at % kLanes;
  // Of a word in segments, positions that do not exist are the last; backwards they come first.
  const std::size_t before = lane * steps;
  const std::size_t live = !window.segments ? size : std::min(size, window.live - std::min(window.live, before));
  if (live == 0) return true;
  if (!fold(at, steps, q, k, scale, steady)) return false;
  T* const values = with_room(scan_v_, size).data();
  T* const means = with_room(scan_out_, size).data();
  const std::size_t first = order.backwards ? size - live : 0;
  for (std::size_t x = 0; x < v.size(); ++x) {
    to_scan_order(v[x] + at, steps, order.backwards, values);
    const auto pass = [&](std::size_t from, std::size_t count, double t_before, CompetingKeys& keys) {
      if constexpr (sizeof(T) == 4)
        if (in_floats_) return run<float>(from, count, t_before, means, keys);
      return run<double>(from, count, t_before, means, keys);
    };
    if (window.segments) {
      if (!pass(first, live, last_t_, before_[x])) return false;
    } else {
      for (std::size_t s = 0; s < kLanesAtOnce; ++s) {
        CompetingKeys none;
        if (!pass(s * steps, steps, 0, none)) return false;
      }
    }
    from_scan_order(means, steps, order.backwards, out[x] + at);
  }
  if (window.segments) {
    const std::size_t last = first + live - 1, in_run = at * steps + (order.backwards ? size - 1 - last : last);
    last_t_ = one_query_ && scale.stretch ? scale.factor * scale.stretch[in_run] : t_[kLanes + last];
  }
  return true;
}

/// t_i and κ_j as one component: κ_j = q_0 Σ_l ratio_l k_l(j) with the first query's q_0, t_i = scale_i where all have
/// it.
template <class T>
bool LaneCandidates<T>::fold(std::size_t at, std::size_t steps, const Views& q, const Views& k, const LaneScale& scale,
                             double steady) {
  const bool backwards = ScanOrder(mask_).backwards;
  const std::size_t size = steps * kLanesAtOnce;
  const std::size_t rounded = (size + kLanes - 1) / kLanes * kLanes;  // scores are made by the row
  scan_k_.resize(k.size());
  key_views_.clear();
  for (std::size_t l = 0; l < k.size(); ++l) {
    T* const plane = with_room(scan_k_[l], size).data();
    to_scan_order(k[l] + at, steps, backwards, plane);
    key_views_.push_back(plane);
  }
  if (k.size() > 1 && !make_scores<T>(key_views_, ratio_, factor_, rounded, with_room(kappa_, size).data()))
    return false;
  const double in_bits = std::fabs(factor_) * std::numbers::log2e;
  float* const float_t = in_floats_ ? with_room(float_t_, size).data() + kLanes : nullptr;
  if (in_floats_ && one_query_ && scale.stretch) {
    to_floats(scale.stretch + at * steps, scale.factor, in_bits, size, float_t);
    if (backwards) std::reverse(float_t, float_t + size);
    return true;
  }
  fold_scale(at, steps, q, scale, steady);
  if (in_floats_) to_floats(t_.data() + kLanes, 1, in_bits, size, float_t);
  return true;
}

template <class T>
void LaneCandidates<T>::fold_scale(std::size_t at, std::size_t steps, const Views& q, const LaneScale& scale,
                                   double steady) {
  const bool backwards = ScanOrder(mask_).backwards;
  const std::size_t size = steps * kLanesAtOnce;
  const std::size_t rounded = (size + kLanes - 1) / kLanes * kLanes;  // scores are made by the row
  double* const t = with_room(t_, size).data() + kLanes;
  double* const changing = one_query_ ? t : with_room(scale_, size).data();
  if (scale.stretch) {  // in order already
    const double* const stretch = scale.stretch + at * steps;
    std::transform(stretch, stretch + size, changing, [&](double x) { return scale.factor * x; });
    if (backwards) std::reverse(changing, changing + size);
  } else if (!scale.empty()) {
    to_scan_order(scale.rows.data() + at, steps, backwards, changing);
  }
  if (!one_query_ || scale.empty()) {
    to_scan_order(q[0] + at, steps, backwards, with_room(scan_q_, size).data());
    const T* const query = scan_q_.data();
    make_scores<T>({&query, 1}, std::vector{1.0}, (scale.empty() ? steady : 1.0) / factor_, rounded, t);
    if (!scale.empty()) multiply(scale_.data(), size, t);
  }
}

/// Positions [first, first + count) of what is in scan order, in lanes of L.
template <class T>
template <class L>
bool LaneCandidates<T>::run(std::size_t first, std::size_t count, double t_before, T* out,
                            CompetingKeys& keys) {
  constexpr bool kFloats = sizeof(L) == 4;
  const double in_bits = kFloats ? std::numbers::log2e : 1;
  L* t;
  if constexpr (kFloats)
    t = float_t_.data() + kLanes;
  else
    t = t_.data() + kLanes;
  CandidateRows<T, L> rows;
  rows.strict = ScanOrder(mask_).strict;
  rows.cutoff = in_bits * cutoff_;
  rows.near_cutoff = in_bits * near_cutoff_;
  rows.factor = ratio_.size() > 1 ? 1 : kFloats ? std::copysign(1.0, factor_) : factor_;
  if (kFloats) rows.unit = std::fabs(factor_);
  L before = static_cast<L>(kFloats ? t_before * std::fabs(factor_) * in_bits : t_before);
  bool ran = std::isfinite(t[first + count - 1]);
  for (const std::size_t end = first + count; first < end && ran; first += rows.size) {
    rows.size = std::min(kCandidateStretch, end - first);
    rows.t = t + first;
    if (ratio_.size() == 1)
      rows.key = scan_k_[0].data() + first;
    else
      rows.kappa = kappa_.data() + first;
    rows.v = scan_v_.data() + first;
    rows.out = out + first;
    L& last_before = *(t + first - 1);  // t begins kLanes into its plane, and `first` may be 0
    std::swap(last_before, before);
    ran = pass_candidates(rows, keys);
    std::swap(last_before, before);
    before = t[first + rows.size - 1];
  }
  return ran;
}

template class LaneCandidates<float>;
template class LaneCandidates<double>;

}  // namespace quench::run
