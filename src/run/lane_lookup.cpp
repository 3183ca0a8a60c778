#include "run/lane_lookup.h"

#include <algorithm>
#include <cmath>

#include "run/lookup_kernel.h"

namespace quench::run {

namespace {

constexpr std::size_t kWidestReach = 512;
constexpr std::size_t kShortest = 3;  // below, j and j² need not differ

}  // namespace

template <class T>
LaneLookup<T>::LaneLookup(std::size_t values, double cutoff, Mask mask, std::size_t n)
    : cutoff_(cutoff), mask_(mask), n_(n), greatest_(values) {}

template <class T>
bool LaneLookup<T>::feed(const LaneWindow& window, const std::uint32_t* position, const Views& q, const Views& k,
                         const Views& v, const std::vector<double>& scale, double steady, const std::vector<T*>& out,
                         LanePhase phase) {
  const ScanOrder order(mask_);
  if (q.size() != 2 || n_ < kShortest || order.strict || !find_parabola(k, position, window.size())) return false;
  for (std::size_t x = 0; x < v.size(); ++x) {
    greatest_[x] = std::max(greatest_[x], greatest_size(v[x], window.size()));
    if (!std::isfinite(greatest_[x])) return false;
  }
  if (window.segments && phase != LanePhase::queries) remember(window, position, v);
  if (phase == LanePhase::keys) return true;
  for (std::vector<double>* plane : {&sharpness_, &centre_, &nearest_}) plane->resize(window.size());
  LookupRows<T> rows;
  rows.size = window.size();
  rows.position = position;
  rows.linear = q[linear_];
  rows.square = q[1 - linear_];
  rows.linear_factor = factor_[linear_];
  rows.square_factor = factor_[1 - linear_];
  rows.scale = scale.empty() ? nullptr : scale.data();
  rows.steady = steady;
  rows.from_own = order.masked && order.backwards;
  rows.to_own = order.masked && !order.backwards;
  rows.n = n_;
  rows.sharpness = sharpness_.data();
  rows.centre = centre_.data();
  rows.nearest = nearest_.data();
  const LookupReach found = find_nearest(rows);
  if (!found.fits) return false;
  std::size_t reach = 0;
  const auto falls_short = [&](double r) { return found.least_b * r * (r - 2 * found.greatest_shift) < cutoff_; };
  while (falls_short(static_cast<double>(reach + 1)))
    if (++reach > kWidestReach) return false;
  for (std::size_t x = 0; x < v.size(); ++x) {
    const double tiny = kTinyMean * greatest_[x];
    if (window.segments) {
      mix_values(rows, reach, memory_[x].data(), 1, tiny, out[x]);
      continue;
    }
    for (std::size_t g = 0; g < window.groups; ++g) {
      const std::size_t at = g * window.steps * kLanes;
      LookupRows<T> group = rows;
      group.size = window.steps * kLanes;
      group.position += at;
      group.sharpness += at;
      group.centre += at;
      group.nearest += at;
      mix_values(group, reach, v[x] + at, kLanes, tiny, out[x] + at);
    }
  }
  return true;
}

template <class T>
bool LaneLookup<T>::find_parabola(const Views& k, const std::uint32_t* position, std::size_t size) {
  const auto fits = [&](std::size_t linear) {
    return is_power(k[linear], position, size, factor_[linear], 1) &&
           is_power(k[1 - linear], position, size, factor_[1 - linear], 2);
  };
  if (linear_ < 2) return fits(linear_);
  if (first_.empty() && position[0] == 0) introduce(k);
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
  memory_.resize(v.size());
  for (std::size_t x = 0; x < v.size(); ++x) {
    memory_[x].resize(n_);
    if (window.live < window.size() || (window.steps > 1 && position[0] > position[kLanes])) {
      for (std::size_t p = 0; p < window.size(); ++p) memory_[x][position[p]] = v[x][p];
      continue;
    }
    for (std::size_t s = 0; s < kLanes; ++s) {
      T* to = memory_[x].data() + position[s];
      for (std::size_t t = 0; t < window.steps; ++t) to[t] = v[x][t * kLanes + s];
    }
  }
}

template class LaneLookup<float>;
template class LaneLookup<double>;

}  // namespace quench::run
