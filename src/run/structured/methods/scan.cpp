#include "run/structured/methods/scan.h"

#include <algorithm>
#include <cmath>

#include "base/number/multiversion.h"
#include "run/structured/kernels/lane_exp.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void exponentials(double* x) {
  for (std::size_t s = 0; s < kLanes; ++s) x[s] = lane_exp(x[s]);
}

}  // namespace

template <class T>
LaneScan<T>::LaneScan(const MethodSetting<T>& setting)
    : values_(setting.values),
      cutoff_(setting.cutoff),
      mask_(setting.in_order),
      kinds_(setting.components, Kind::unknown),
      query_(setting.components),
      last_(setting.values),
      foreseen_(setting.foreseen && setting.foreseen->scan ? setting.foreseen : nullptr) {
  if (!foreseen_) return;
  for (std::size_t l = 0; l < setting.components; ++l) {
    kinds_[l] = foreseen_->query[l] ? Kind::common : Kind::other;
    query_[l] = foreseen_->query[l].value_or(T{0});
  }
  for (const T key : foreseen_->keys) classes_.push_back({key});
  if (classes_.empty()) classes_.emplace_back();
}

template <class T>
bool LaneScan<T>::feed(const HeadWindow<T>& head) {
  const auto& [window, position, q, k, v, scale, steady, out, phase] = head;
  const std::size_t size = window.size(), rows_per_group = window.steps * kLanes;
  const ScanOrder order(mask_);
  if (looks_back()) {
    for (std::size_t x = 0; x < values_; ++x) copy_from_before(window, v[x], out[x], last_[x]);
    begun_ = true;
    return true;
  }
  if (phase == LanePhase::queries && answers_alike()) {
    rows_.steps = window.steps;
    rows_.out = out;
    rows_.offset.clear();
    rows_.v.resize(values_);  // not looked at, and by rank there was no need of them
    spread_state(sums_);
    ask_queries(rows_, sums_);
    return true;
  }
  if (by_rank(window)) return window.segments ? feed_segments(head) : feed_ranks(window, k[0], v, out);
  if (foreseen_) {
    for (std::size_t l = 0; l < kinds_.size() && !knows_scores(); ++l)
      if (kinds_[l] == Kind::other) mark_ = k[l];
  } else {
    if (!split(q, scale.empty(), size) || !classify(k, size)) return false;
  }
  if (!knows_scores() && (!make_kappa(window, k, steady) || !make_offsets(q, scale.rows, steady, size))) return false;
  const bool by_steps = foreseen_ && foreseen_->by_position && order.masked && !window.segments;
  if (by_steps && !knows_scores()) steps_ = ScanSteps<T>(scores_by_position(window.steps), mask_);
  ScanRows<T>& rows = rows_;
  rows.steps = window.steps;
  rows.backwards = order.backwards;
  rows.strict = order.strict;
  rows.v.resize(values_);
  rows.out.resize(values_);
  rows.offset.resize(offsets_.size());
  rows.class_mark.resize(classes_.size());
  for (std::size_t c = 0; c < classes_.size(); ++c)
    rows.class_mark[c] = classes_[c].size() == 1 ? static_cast<double>(classes_[c][0]) : static_cast<double>(c);
  std::vector<ClassSums>& sums = sums_;
  while (sums.size() < classes_.size()) sums.emplace_back(values_);
  for (std::size_t g = 0; g < window.groups; ++g) {
    const std::size_t at = g * rows_per_group;
    for (std::size_t x = 0; x < values_; ++x) {
      rows.v[x] = v[x] + at;
      rows.out[x] = out[x] + at;
    }
    if (by_steps) {
      steps_.run(rows);
      continue;
    }
    if (!window.segments)
      for (ClassSums& one : sums) one.clear();
    rows.kappa = flat_ ? nullptr : kappa_.data() + at;
    rows.mark = classes_.size() > 1 ? mark_ + at : nullptr;
    for (std::size_t c = 0; c < offsets_.size(); ++c) rows.offset[c] = offsets_[c].data() + at;
    if (phase != LanePhase::queries && (window.segments || !order.masked)) {
      add_keys(rows, cutoff_, sums);
      if (window.segments) join_segments(sums);
    }
    if (phase == LanePhase::keys) continue;
    if (window.segments && !order.masked) spread_state(sums);
    order.masked ? scan_keys(rows, sums) : ask_queries(rows, sums);
  }
  return true;
}

template <class T>
bool LaneScan<T>::feed_ranks(const LaneWindow& window, const T* rank, const Views& v,
                             const std::vector<T*>& out) const {
  const ScanOrder order(mask_);
  RankRows<T> rows{window.steps, order.backwards, order.strict, nullptr, nullptr, nullptr};
  for (std::size_t at = 0; at < window.size(); at += window.steps * kLanes)
    for (std::size_t x = 0; x < values_; ++x) {
      rows.rank = rank + at;
      rows.v = v[x] + at;
      rows.out = out[x] + at;
      if (!scan_ranks(*foreseen_->ranks, rows)) return false;
    }
  return true;
}

/// One word by rank. If this fails, nothing has become of the window.
template <class T>
bool LaneScan<T>::feed_segments(const HeadWindow<T>& head) {
  const ScanOrder order(mask_);
  const std::size_t end = (head.window.steps - 1) * kLanes;
  SegmentRows<T> rows{head.window.steps, order.backwards, order.strict, {}, {}, head.k[0], nullptr, nullptr};
  for (std::size_t s = 0; s < kLanes; ++s) {
    rows.first[s] = head.position[s + (order.backwards ? end : 0)];
    rows.last[s] = head.position[s + (order.backwards ? 0 : end)];
  }
  const auto for_values = [&](const auto& work) {
    bool all = true;
    for (std::size_t x = 0; x < values_; ++x) {
      rows.v = head.v[x];
      rows.out = head.out[x];
      all = work(x) && all;
    }
    return all;
  };
  if (sums_.empty()) sums_.emplace_back(values_);
  if (!for_values([&](std::size_t x) { return add_ranked_keys(*foreseen_->slope, rows, x, sums_[0]); })) return false;
  join_segments(sums_);
  if (head.phase == LanePhase::keys) return true;
  return for_values([&](std::size_t x) { return scan_ranked_keys(*foreseen_->slope, rows, x, sums_[0]), true; });
}

/// What ForeseenHead::looks_back promises. `last`: the value at the end of the windows before, afterwards of this one.
template <class T>
void LaneScan<T>::copy_from_before(const LaneWindow& window, const T* v, T* out, T& last) const {
  const bool backwards = ScanOrder(mask_).backwards;
  const std::size_t rows = window.steps * kLanes, end = rows - kLanes;
  if (!window.segments) {
    for (std::size_t at = 0; at < window.size(); at += rows) {
      const std::size_t begin = at + (backwards ? end : 0);
      std::copy_n(v + begin, kLanes, out + begin);
      std::copy_n(v + at + (backwards ? kLanes : 0), end, out + at + (backwards ? 0 : kLanes));
    }
    return;
  }
  const std::size_t last_index = (window.live - 1) % window.steps * kLanes + (window.live - 1) / window.steps;
  if (backwards) {
    std::copy_n(v + kLanes, end, out);
    std::copy_n(v + 1, kLanes - 1, out + end);
    out[last_index] = begun_ ? last : v[last_index];
    last = v[0];
  } else {
    std::copy_n(v, end, out + kLanes);
    std::copy_n(v + end, kLanes - 1, out + 1);
    out[0] = begun_ ? last : v[0];
    last = v[last_index];
  }
}

/// Scores that depend on the position alone are the same in all lanes of a batch: those of lane 0.
template <class T>
StepScores LaneScan<T>::scores_by_position(std::size_t count) const {
  StepScores scores;
  const auto by_row = [&](const AlignedVector<double>& plane) {
    std::vector<double> values;
    for (std::size_t t = 0; t < count; ++t) values.push_back(plane[t * kLanes]);
    return values;
  };
  if (!flat_) scores.kappa = by_row(kappa_);
  for (const AlignedVector<double>& offset : offsets_) scores.offset.push_back(by_row(offset));
  scores.class_of.resize(count);
  for (std::size_t t = 0; t < count && classes_.size() > 1; ++t)
    while (classes_[scores.class_of[t]][0] != mark_[t * kLanes]) ++scores.class_of[t];
  return scores;
}

template <class T>
bool LaneScan<T>::restart() {
  if (!learned_) return false;
  learned_ = false;
  for (Kind& kind : kinds_)
    if (kind == Kind::common) kind = Kind::unknown;
  classes_.clear();
  state_.clear();
  sums_.clear();
  return true;
}

/// Common components are those where the scaled query is one number for all positions.
template <class T>
bool LaneScan<T>::split(const Views& q, bool steady, std::size_t size) {
  for (std::size_t l = 0; l < kinds_.size(); ++l) {
    const bool first = kinds_[l] == Kind::unknown;
    if (first) query_[l] = q[l][0];
    if (kinds_[l] != Kind::other && steady && all_among<T>(q[l], {&query_[l], 1}, size)) {
      kinds_[l] = Kind::common;
      if (!std::isfinite(query_[l])) return false;
    } else {
      learned_ = kinds_[l] == Kind::common;
      kinds_[l] = Kind::other;
      if (learned_) return false;
    }
  }
  return true;
}

template <class T>
bool LaneScan<T>::classify(const Views& k, std::size_t size) {
  Views other;
  for (std::size_t l = 0; l < kinds_.size(); ++l)
    if (kinds_[l] == Kind::other) other.push_back(k[l]);
  if (other.empty()) {
    classes_.assign(1, {});
    return true;
  }
  if (other.size() == 1) {
    std::vector<T> values;
    for (const std::vector<T>& key : classes_) values.push_back(key[0]);
    mark_ = other[0];
    if (!values.empty() && all_among<T>(mark_, values, size)) return true;
  }
  class_of_.resize(size);
  std::size_t last = 0;
  std::vector<T> key(other.size());
  for (std::size_t p = 0; p < size; ++p) {
    for (std::size_t l = 0; l < key.size(); ++l) key[l] = other[l][p];
    if (classes_.empty() || key != classes_[last]) {
      last = static_cast<std::size_t>(std::find(classes_.begin(), classes_.end(), key) - classes_.begin());
      if (last == classes_.size()) {
        if (last == kMostScanClasses || !std::isfinite(greatest_size(key.data(), key.size()))) return false;
        classes_.push_back(key);
      }
    }
    class_of_[p] = static_cast<T>(last);
  }
  if (other.size() > 1) mark_ = class_of_.data();
  return true;
}

template <class T>
bool LaneScan<T>::make_kappa(const LaneWindow& window, const Views& k, double steady) {
  const std::size_t size = window.size();
  keys_.clear();
  weights_.clear();
  for (std::size_t l = 0; l < kinds_.size(); ++l)
    if (kinds_[l] == Kind::common && query_[l] != 0) {
      keys_.push_back(k[l]);
      weights_.push_back(static_cast<double>(query_[l]));
    }
  const bool holes = window.has_holes(mask_);
  flat_ = keys_.empty() && !holes;
  if (flat_) return true;
  kappa_.resize(size);
  if (!make_scores<T>(keys_, weights_, steady, size, kappa_.data())) return false;
  if (holes) window.leave_out_holes(kappa_.data());
  return true;
}

/// D_c for the classes after the first.
template <class T>
bool LaneScan<T>::make_offsets(const Views& q, const std::vector<double>& scale, double steady, std::size_t size) {
  offsets_.resize(classes_.size() - 1);
  Views other;
  for (std::size_t l = 0; l < kinds_.size(); ++l)
    if (kinds_[l] == Kind::other) other.push_back(q[l]);
  if (classes_.size() == 1)
    return std::all_of(other.begin(), other.end(), [&](const T* x) { return std::isfinite(greatest_size(x, size)); });
  for (std::size_t c = 1; c < classes_.size(); ++c) {
    AlignedVector<double>& offset = offsets_[c - 1];
    offset.resize(size);
    std::vector<double> step;
    for (std::size_t l = 0; l < other.size(); ++l)
      step.push_back(static_cast<double>(classes_[c][l]) - static_cast<double>(classes_[0][l]));
    if (!make_scores<T>(other, step, scale.empty() ? steady : 1.0, size, offset.data())) return false;
    if (!scale.empty()) multiply(scale.data(), size, offset.data());
  }
  return true;
}

/// Turns the sums of each segment into those of everything before it, earlier windows included, and adds this window to
/// what is carried on to the next.
template <class T>
void LaneScan<T>::join_segments(std::vector<ClassSums>& segments) {
  const ScanOrder order(mask_);
  while (state_.size() < segments.size()) state_.emplace_back(values_);
  for (std::size_t c = 0; c < segments.size(); ++c) {
    ClassSums &state = state_[c], &segment = segments[c];
    // The factors first: they depend on the maxima alone, and so can be had all at once.
    double keep[kLanes], add[kLanes];
    double max = state.max[0];
    for (std::size_t step = 0; step < kLanes; ++step) {
      const std::size_t s = order.at(step, kLanes);
      const double higher = std::max(max, segment.max[s]);
      keep[s] = max - higher;
      add[s] = segment.max[s] - higher;
      segment.max[s] = max;
      max = higher;
    }
    state.max[0] = max;
    exponentials(keep);
    exponentials(add);
    const auto join = [&](double& before, double* here) {
      for (std::size_t step = 0; step < kLanes; ++step) {
        const std::size_t s = order.at(step, kLanes);
        const double joined = before * keep[s] + here[s] * add[s];
        here[s] = before;
        before = joined;
      }
    };
    join(state.total[0], segment.total);
    for (std::size_t y = 0; y < values_; ++y) join(state.values[y * kLanes], segment.values.data() + y * kLanes);
  }
}

/// All windows, to every lane.
template <class T>
void LaneScan<T>::spread_state(std::vector<ClassSums>& lanes) const {
  for (std::size_t c = 0; c < lanes.size(); ++c)
    for (std::size_t s = 0; s < kLanes; ++s) {
      lanes[c].max[s] = state_[c].max[0];
      lanes[c].total[s] = state_[c].total[0];
      for (std::size_t y = 0; y < values_; ++y) lanes[c].values[y * kLanes + s] = state_[c].values[y * kLanes];
    }
}

template class LaneScan<float>;
template class LaneScan<double>;

}  // namespace quench::run
