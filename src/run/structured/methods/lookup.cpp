#include "run/structured/methods/lookup.h"

#include <algorithm>
#include <cmath>

#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

constexpr std::size_t kWidestReach = 512;
constexpr std::size_t kShortest = 3;      // below, j and j² need not differ
constexpr std::size_t kWidestMeans = 24;  // reach; more keys are not worth it
constexpr std::size_t kMostShapes = 4;    // each costs means around all positions so far

}  // namespace

template <class T>
bool LaneLookup<T>::feed(const HeadWindow<T>& head) {
  const auto& [window, position, q, k, v, scale, steady, out, phase] = head;
  const ScanOrder order(mask_);
  if (q.size() != 2 || n_ < kShortest || order.strict || !find_parabola(k, position, window.size())) return false;
  if (window.segments && phase != LanePhase::queries) remember(window, position, v);
  if (phase == LanePhase::keys) return true;
  LookupRows<T> rows;
  rows.size = window.size();
  rows.position = position;
  rows.linear = q[linear_];
  rows.square = q[1 - linear_];
  rows.linear_factor = factor_[linear_];
  rows.square_factor = factor_[1 - linear_];
  rows.scale = scale.empty() ? nullptr : scale.rows.data();
  rows.steady = steady;
  rows.from_own = order.masked && order.backwards;
  rows.to_own = order.masked && !order.backwards;
  rows.n = n_;
  if (window.segments) prepare(window, rows);
  const LookupReach left = take_ready(rows, ready_, out, rest_);
  fitting_ = rest_.size() * kLanes < rows.size;  // vectors are at most kLanes/2 long
  if (rest_.empty()) return true;
  if (!left.fits) return false;
  const std::size_t widest = reach(left.least_b, left.greatest_shift);
  if (widest > kWidestReach) return false;
  for (std::size_t x = 0; x < v.size(); ++x) {
    if (window.segments) {
      mix_values(rows, rest_, widest, memory_[x].data(), 1, out[x]);
      continue;
    }
    const std::size_t size = window.steps * kLanes;
    for (std::size_t g = 0, first = 0; g < window.groups; ++g) {
      std::vector<std::uint32_t> which;
      for (; first < rest_.size() && rest_[first] < (g + 1) * size; ++first) which.push_back(rest_[first]);
      mix_values(rows, which, widest, v[x] + g * size, kLanes, out[x]);
    }
  }
  return true;
}

/// The least R with b(R + 1)(R + 1 − 2δ) ≥ T; above kWidestReach if that is.
template <class T>
std::size_t LaneLookup<T>::reach(double least_b, double greatest_shift) const {
  const auto falls_short = [&](double r) { return least_b * r * (r - 2 * greatest_shift) < cutoff_; };
  std::size_t result = 0;
  while (result <= kWidestReach && falls_short(static_cast<double>(result + 1))) ++result;
  return result;
}

/// Means around the positions known so far, for the rows' shape, if they have one.
template <class T>
void LaneLookup<T>::prepare(const LaneWindow& window, const LookupRows<T>& rows) {
  if (!fitting_) {
    if (shapes_ == kMostShapes) return;
    ++shapes_;
    ready_.first = ready_.last = 0;
    const std::size_t last = window.live - 1;
    ready_.shape = shape_of(rows, last % window.steps * kLanes + last / window.steps);
    const auto& [b, x] = ready_.shape;
    if (!(b > 0) || !(std::fabs(x) <= 1)) return;
    ready_.reach = reach(b, std::fabs(x) / 2);
    if (ready_.reach > kWidestMeans || 2 * ready_.reach >= n_) return;
    weight_.clear();
    for (double d = -static_cast<double>(ready_.reach); d <= static_cast<double>(ready_.reach); ++d)
      weight_.push_back(std::exp(-b * d * (d + x)));
    means_.resize(memory_.size());
    for (std::vector<T>& plane : means_) plane.resize(n_ + kLanes);
  }
  // At the ends of the word there are fewer keys, elsewhere those that are not known yet are missed.
  const std::size_t from = known_from_ == 0 ? 0 : known_from_ + ready_.reach;
  const std::size_t to = known_to_ == n_ ? n_ : std::max(known_to_, ready_.reach) - ready_.reach;
  if (ready_.reach > kWidestMeans || 2 * ready_.reach >= n_ || from >= to) return;
  if (ready_.first == ready_.last) ready_.first = ready_.last = from;
  if (from < ready_.first) find_means(from, ready_.first);
  if (ready_.last < to) find_means(ready_.last, to);
  ready_.first = from;
  ready_.last = to;
  ready_.means.clear();
  for (const std::vector<T>& plane : means_) ready_.means.push_back(plane.data());
}

template <class T>
void LaneLookup<T>::find_means(std::size_t first, std::size_t last) {
  const std::size_t inner = std::max(first, ready_.reach), end = std::min(last, n_ - ready_.reach);
  for (std::size_t x = 0; x < means_.size(); ++x) {
    if (inner < end) mix_around(memory_[x].data(), weight_, inner, end, means_[x].data());
    const auto mix_at_end = [&](std::size_t j) {
      double sum = 0, total = 0;
      for (std::size_t l = 0; l < weight_.size(); ++l) {
        const std::size_t at = j + l - ready_.reach;
        if (at >= n_) continue;  // below 0 too
        sum += weight_[l] * static_cast<double>(memory_[x][at]);
        total += weight_[l];
      }
      means_[x][j] = static_cast<T>(sum) / static_cast<T>(total);
    };
    for (std::size_t j = first; j < last && j < ready_.reach; ++j) mix_at_end(j);
    for (std::size_t j = std::max(first, n_ - ready_.reach); j < last; ++j) mix_at_end(j);
  }
}

template <class T>
bool LaneLookup<T>::find_parabola(const Views& k, const std::uint32_t* position, std::size_t size) {
  const auto fits = [&](std::size_t linear) {
    return is_power(k[linear], position, size, factor_[linear], 1) &&
           is_power(k[1 - linear], position, size, factor_[1 - linear], 2);
  };
  if (linear_ < 2) return fits(linear_);
  if (first_.empty() && position[0] == 0) first_ = {static_cast<double>(k[0][0]), static_cast<double>(k[1][0])};
  if (first_.empty()) return false;
  for (const std::size_t l : {std::size_t{0}, std::size_t{1}}) {
    factor_[l] = first_[l];
    if (factor_[l] == 0 || !std::isfinite(factor_[l])) return false;
  }
  for (const std::size_t linear : {std::size_t{0}, std::size_t{1}})
    if (fits(linear)) {
      linear_ = linear;
      return true;
    }
  return false;
}

template <class T>
void LaneLookup<T>::remember(const LaneWindow& window, const std::uint32_t* position, const Views& v) {
  const bool whole = window.live == window.size(), rising = window.steps == 1 || position[0] < position[kLanes];
  const std::size_t last = window.live - 1;
  const std::size_t a = position[0], b = position[last % window.steps * kLanes + last / window.steps];
  const std::size_t from = std::min(a, b), to = std::max(a, b) + 1;
  if (known_from_ == known_to_) known_from_ = from, known_to_ = to;
  known_from_ = std::min(known_from_, from);
  known_to_ = std::max(known_to_, to);
  memory_.resize(v.size());
  for (std::size_t x = 0; x < v.size(); ++x) {
    memory_[x].resize(n_ + kLanes);
    if (whole && rising)
      rows_to_stretches(v[x], window.steps, kLanes, memory_[x].data() + a);
    else
      for (std::size_t p = 0; p < window.size(); ++p) memory_[x][position[p]] = v[x][p];
  }
}

template class LaneLookup<float>;
template class LaneLookup<double>;

}  // namespace quench::run
