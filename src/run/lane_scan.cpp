#include "run/lane_scan.h"

#include <algorithm>
#include <cmath>

#include "base/lanes.h"
#include "run/lane_exp.h"

namespace quench::run {

namespace {

// A key that is not there and the maximum over no keys: differences with real scores underflow or overflow to weights 0
// and 1.
constexpr double kNoKey = -0x1p1001, kNoMax = -0x1p1000;

/// Every segment from its own beginning: keep and add of each step, and (m, Z) after it.
QUENCH_LANES void local_steps(const double* kappa, std::size_t steps, double* keep, double* add, double* max,
                              double* total) {
  double m[kLanes], z[kLanes];
  for (std::size_t s = 0; s < kLanes; ++s) m[s] = kNoMax, z[s] = 0;
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t p = t * kLanes + s;
      const double x = kappa[p] - m[s];
      const double e = lane_exp(x > 0 ? -x : x);
      keep[p] = x > 0 ? e : 1.0;
      add[p] = x > 0 ? 1.0 : e;
      m[s] = x > 0 ? kappa[p] : m[s];
      z[s] = z[s] * keep[p] + add[p];
      max[p] = m[s];
      total[p] = z[s];
    }
}

/// N ← keep·N + add·v
QUENCH_LANES void local_values(const double* v, const double* keep, const double* add, std::size_t steps,
                               double* values) {
  double sum[kLanes] = {};
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t p = t * kLanes + s;
      sum[s] = sum[s] * keep[p] + add[p] * v[p];
      values[p] = sum[s];
    }
}

/// Where all weights are equal: Z ← Z + add, N ← N + add·v (v null: 1).
QUENCH_LANES void local_sums(const double* v, const double* add, std::size_t steps, double* values) {
  double sum[kLanes] = {};
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t p = t * kLanes + s;
      sum[s] += v ? add[p] * v[p] : add[p];
      values[p] = sum[s];
    }
}

/// Works (before, z_before) into (max, total), lane by lane, and leaves the factors of the two sides in `keep` and
/// `add`. Returns the first step from which on nothing that came before the segment matters.
QUENCH_LANES std::size_t join(const double* before, const double* z_before, double cutoff, std::size_t steps,
                              double* max, double* total, double* keep, double* add) {
  for (std::size_t t = 0; t < steps; ++t) {
    int far = 1;
    for (std::size_t s = 0; s < kLanes; ++s) far &= max[t * kLanes + s] - before[s] > cutoff ? 1 : 0;
    if (far) return t;  // and so it stays: max does not fall
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t p = t * kLanes + s;
      const double x = before[s] - max[p];
      const double e = lane_exp(x > 0 ? -x : x);
      keep[p] = x > 0 ? e : 1.0;
      add[p] = x > 0 ? 1.0 : e;
      max[p] = x > 0 ? before[s] : max[p];
      total[p] = total[p] * keep[p] + z_before[s] * add[p];
    }
  }
  return steps;
}

QUENCH_LANES void join_values(const double* before, const double* keep, const double* add, std::size_t steps,
                              double* values) {
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) {
      const std::size_t p = t * kLanes + s;
      values[p] = values[p] * keep[p] + before[s] * add[p];
    }
}

QUENCH_LANES void add_to_lanes(const double* before, std::size_t steps, double* values) {
  for (std::size_t t = 0; t < steps; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) values[t * kLanes + s] += before[s];
}

QUENCH_LANES void add_product(double factor, const double* x, std::size_t count, double* total) {
  for (std::size_t p = 0; p < count; ++p) total[p] += factor * x[p];
}
QUENCH_LANES void add_product(double factor, const float* x, std::size_t count, double* total) {
  for (std::size_t p = 0; p < count; ++p) total[p] += factor * static_cast<double>(x[p]);
}
QUENCH_LANES void multiply(const double* by, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] *= by[p];
}
QUENCH_LANES void scale_all(double by, std::size_t count, double* x) {
  for (std::size_t p = 0; p < count; ++p) x[p] *= by;
}
QUENCH_LANES void select(const double* class_of, double c, const double* x, double otherwise, std::size_t count,
                         double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = class_of[p] == c ? x[p] : otherwise;
}
QUENCH_LANES void raise(const double* x, const double* y, std::size_t count, double* sum, double* best) {
  for (std::size_t p = 0; p < count; ++p) {
    sum[p] = x[p] + y[p];
    best[p] = sum[p] > best[p] ? sum[p] : best[p];
  }
}
QUENCH_LANES void exponentials(const double* x, const double* best, std::size_t count, double* e) {
  for (std::size_t p = 0; p < count; ++p) e[p] = lane_exp(x[p] - best[p]);
}
QUENCH_LANES void add_products(const double* x, const double* y, std::size_t count, double* total) {
  for (std::size_t p = 0; p < count; ++p) total[p] += x[p] * y[p];
}
/// Results below `tiny` become 0.
QUENCH_LANES void divide(const double* x, const double* by, double tiny, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) {
    const double y = x[p] / by[p];
    out[p] = y < tiny && -y < tiny ? 0.0 : y;
  }
}
QUENCH_LANES void divide(const double* x, const double* by, double tiny, std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) {
    const double y = x[p] / by[p];
    out[p] = static_cast<float>(y < tiny && -y < tiny ? 0.0 : y);
  }
}
QUENCH_LANES std::size_t count_other(const double* x, double value, std::size_t count) {
  std::size_t other = 0;
  for (std::size_t p = 0; p < count; ++p) other += x[p] == value ? 0 : 1;
  return other;
}
QUENCH_LANES std::size_t count_other(const float* x, float value, std::size_t count) {
  std::size_t other = 0;
  for (std::size_t p = 0; p < count; ++p) other += x[p] == value ? 0 : 1;
  return other;
}
/// class_of = c where x has the value, and is not decided against.
QUENCH_LANES void mark(const double* x, double value, double c, std::size_t count, double* class_of) {
  for (std::size_t p = 0; p < count; ++p) class_of[p] = x[p] == value ? c : class_of[p];
}
QUENCH_LANES void mark(const float* x, float value, double c, std::size_t count, double* class_of) {
  for (std::size_t p = 0; p < count; ++p) class_of[p] = x[p] == value ? c : class_of[p];
}
template <class T>
bool finite(const T* x, std::size_t count) {
  return std::isfinite(greatest_size(x, count));
}

QUENCH_LANES void widen(const float* x, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = static_cast<double>(x[p]);
}
QUENCH_LANES void mark_keys(const double* kappa, std::size_t count, double* add) {
  for (std::size_t p = 0; p < count; ++p) add[p] = kappa[p] == 0 ? 1.0 : 0.0;
}
const double* as_doubles(const std::vector<double>& x, std::size_t, std::vector<double>&) { return x.data(); }
const double* as_doubles(const std::vector<float>& x, std::size_t count, std::vector<double>& room) {
  room.resize(count);
  widen(x.data(), count, room.data());
  return room.data();
}

}  // namespace

template <class T>
LaneScan<T>::LaneScan(std::size_t components, std::size_t values, double cutoff)
    : values_(values), cutoff_(cutoff), kinds_(components, Kind::unknown), query_(components), greatest_(values) {}

template <class T>
bool LaneScan<T>::feed(const Planes& q, const Planes& k, const Planes& v, const std::vector<double>& scale,
                       double steady, std::size_t steps, std::size_t live, Planes& out) {
  const std::size_t size = steps * kLanes;
  for (std::size_t x = 0; x < values_; ++x) {
    greatest_[x] = std::max(greatest_[x], greatest_size(v[x].data(), size));
    if (!std::isfinite(greatest_[x])) return false;
  }
  if (!split(q, scale.empty(), size) || !classify(k, size) || !make_kappa(k, steady, steps, live)) return false;
  windows_.resize(classes_.size());
  while (states_.size() < classes_.size()) states_.push_back({kNoMax, 0, std::vector<double>(values_)});
  for (std::size_t c = 0; c < classes_.size(); ++c) scan_class(c, v, steps);
  answer(q, scale, steady, steps, out);
  return true;
}

/// Common components are those where the scaled query is one number for all positions.
template <class T>
bool LaneScan<T>::split(const Planes& q, bool steady, std::size_t size) {
  for (std::size_t l = 0; l < kinds_.size(); ++l) {
    if (kinds_[l] == Kind::other) {
      if (!finite(q[l].data(), size)) return false;
      continue;
    }
    const bool first = kinds_[l] == Kind::unknown;
    if (first) query_[l] = q[l][0];
    const bool common = steady && count_other(q[l].data(), query_[l], size) == 0;
    if (!common && !first) return false;
    kinds_[l] = common ? Kind::common : Kind::other;
    if (!finite(q[l].data(), size)) return false;
  }
  return true;
}

template <class T>
bool LaneScan<T>::classify(const Planes& k, std::size_t size) {
  std::vector<std::size_t> other;
  for (std::size_t l = 0; l < kinds_.size(); ++l)
    if (kinds_[l] == Kind::other) other.push_back(l);
  if (other.empty()) {
    classes_.assign(1, {});
    return true;
  }
  class_of_.assign(size, -1.0);
  const auto mark_class = [&](std::size_t c) {
    if (other.size() == 1)
      return mark(k[other[0]].data(), classes_[c][0], static_cast<double>(c), size, class_of_.data());
    for (std::size_t p = 0; p < size; ++p) {
      bool same = true;
      for (std::size_t l = 0; l < other.size(); ++l) same &= k[other[l]][p] == classes_[c][l];
      if (same) class_of_[p] = static_cast<double>(c);
    }
  };
  for (std::size_t c = 0; c < classes_.size(); ++c) mark_class(c);
  while (true) {
    const auto stranger = std::find(class_of_.begin(), class_of_.end(), -1.0);
    if (stranger == class_of_.end()) return true;
    if (classes_.size() == kMostClasses) return false;
    std::vector<T> key;
    for (const std::size_t l : other) key.push_back(k[l][static_cast<std::size_t>(stranger - class_of_.begin())]);
    if (!finite(key.data(), key.size())) return false;
    classes_.push_back(std::move(key));
    mark_class(classes_.size() - 1);
  }
}

template <class T>
bool LaneScan<T>::make_kappa(const Planes& k, double steady, std::size_t steps, std::size_t live) {
  const std::size_t size = steps * kLanes;
  kappa_.assign(size, 0.0);
  flat_ = true;
  for (std::size_t l = 0; l < kinds_.size(); ++l) {
    if (kinds_[l] != Kind::common || query_[l] == 0) continue;
    add_product(static_cast<double>(query_[l]), k[l].data(), size, kappa_.data());
    flat_ = false;
  }
  if (!flat_) scale_all(steady, size, kappa_.data());
  if (!finite(kappa_.data(), size)) return false;
  if (live < size)
    for (std::size_t s = 0; s < kLanes; ++s)
      for (std::size_t t = live <= s * steps ? 0 : std::min(steps, live - s * steps); t < steps; ++t)
        kappa_[t * kLanes + s] = kNoKey;
  return true;
}

template <class T>
void LaneScan<T>::scan_class(std::size_t c, const Planes& v, std::size_t steps) {
  const std::size_t size = steps * kLanes;
  Window& window = windows_[c];
  window.max.resize(size);
  window.total.resize(size);
  window.values.resize(values_);
  for (std::vector<double>& plane : window.values) plane.resize(size);
  keep_.resize(size);
  add_.resize(size);
  const double* kappa = kappa_.data();
  if (classes_.size() > 1) {
    masked_.resize(size);
    select(class_of_.data(), static_cast<double>(c), kappa_.data(), kNoKey, size, masked_.data());
    kappa = masked_.data();
  }
  if (flat_) {
    mark_keys(kappa, size, add_.data());
    local_sums(nullptr, add_.data(), steps, window.total.data());
    for (std::size_t x = 0; x < values_; ++x)
      local_sums(as_doubles(v[x], size, offset_), add_.data(), steps, window.values[x].data());
  } else {
    local_steps(kappa, steps, keep_.data(), add_.data(), window.max.data(), window.total.data());
    for (std::size_t x = 0; x < values_; ++x)
      local_values(as_doubles(v[x], size, offset_), keep_.data(), add_.data(), steps, window.values[x].data());
  }
  join_segments(c, steps);
}

/// What lies before each segment, from the state and the segments before it; then everything joined, and the state
/// moved on.
template <class T>
void LaneScan<T>::join_segments(std::size_t c, std::size_t steps) {
  Window& window = windows_[c];
  ScanState& state = states_[c];
  double max[kLanes], total[kLanes];
  std::vector<double> values(values_ * kLanes);
  for (std::size_t s = 0; s < kLanes; ++s) {
    max[s] = state.max;
    total[s] = state.total;
    const std::size_t end = (steps - 1) * kLanes + s;
    const double m = flat_ ? (window.total[end] > 0 ? 0.0 : kNoMax) : window.max[end];
    const double x = m - state.max;
    const double e = lane_exp(x > 0 ? -x : x), keep = x > 0 ? e : 1.0, add = x > 0 ? 1.0 : e;
    state.max = std::max(state.max, m);
    state.total = state.total * keep + window.total[end] * add;
    for (std::size_t y = 0; y < values_; ++y) {
      values[y * kLanes + s] = state.values[y];
      state.values[y] = state.values[y] * keep + window.values[y][end] * add;
    }
  }
  if (flat_) {
    add_to_lanes(total, steps, window.total.data());
    for (std::size_t y = 0; y < values_; ++y) add_to_lanes(values.data() + y * kLanes, steps, window.values[y].data());
    if (classes_.size() > 1)
      for (std::size_t p = 0; p < window.max.size(); ++p) window.max[p] = window.total[p] > 0 ? 0.0 : kNoMax;
    return;
  }
  const std::size_t near =
      join(max, total, cutoff_, steps, window.max.data(), window.total.data(), keep_.data(), add_.data());
  for (std::size_t y = 0; y < values_; ++y)
    join_values(values.data() + y * kLanes, keep_.data(), add_.data(), near, window.values[y].data());
}

template <class T>
void LaneScan<T>::answer(const Planes& q, const std::vector<double>& scale, double steady, std::size_t steps,
                         Planes& out) {
  const std::size_t size = steps * kLanes;
  if (classes_.size() == 1 && classes_[0].empty()) {
    for (std::size_t y = 0; y < values_; ++y)
      divide(windows_[0].values[y].data(), windows_[0].total.data(), tiny(y), size, out[y].data());
    return;
  }
  // The classes put together with the weights e^{o_c(i)} of each query.
  masked_.assign(size, kNoKey);  // the best score
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    offset_.assign(size, 0.0);
    std::size_t nth = 0;
    for (std::size_t l = 0; l < kinds_.size(); ++l)
      if (kinds_[l] == Kind::other)
        add_product(static_cast<double>(classes_[c][nth++]), q[l].data(), size, offset_.data());
    if (scale.empty())
      scale_all(steady, size, offset_.data());
    else
      multiply(scale.data(), size, offset_.data());
    raise(offset_.data(), windows_[c].max.data(), size, windows_[c].max.data(), masked_.data());
  }
  keep_.assign(size, 0.0);  // the sum of the weights
  sums_.assign(values_, {});
  for (std::vector<double>& sum : sums_) sum.assign(size, 0.0);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    exponentials(windows_[c].max.data(), masked_.data(), size, add_.data());
    add_products(add_.data(), windows_[c].total.data(), size, keep_.data());
    for (std::size_t y = 0; y < values_; ++y)
      add_products(add_.data(), windows_[c].values[y].data(), size, sums_[y].data());
  }
  for (std::size_t y = 0; y < values_; ++y) divide(sums_[y].data(), keep_.data(), tiny(y), size, out[y].data());
}

template class LaneScan<float>;
template class LaneScan<double>;

}  // namespace quench::run
