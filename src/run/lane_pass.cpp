#include "run/lane_pass.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <functional>
#include <type_traits>

#include "base/lanes.h"
#include "model/position.h"

namespace quench::run {

namespace {

constexpr std::size_t kWindow = 2048;    // positions of one word
constexpr std::size_t kTogether = 4096;  // positions of a batch's words
constexpr std::size_t kBlock = 4096;     // positions to a thread
constexpr std::size_t kShort = 64;       // words of a batch up to this length: dense rows across words are faster
constexpr std::size_t kWorthThreads = 1 << 14;

/// The one side all heads look to, if they do.
bool one_sided(const ReferencePlan& plan, bool& backwards) {
  bool future = false, past = false;
  for (const LayerPlan& layer : plan.layers)
    for (const HeadPlan& head : layer.heads) {
      if (head.weighting != Weighting::soft || (head.mask != Mask::future && head.mask != Mask::past)) return false;
      (head.mask == Mask::future ? future : past) = true;
    }
  backwards = past;
  return !(future && past);
}

QUENCH_LANES void look_up(const float* table, const std::uint32_t* index, std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = table[index[p]];
}
QUENCH_LANES void look_up(const double* table, const std::uint32_t* index, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = table[index[p]];
}
QUENCH_LANES void add_looked_up(const float* table, const std::uint32_t* index, std::size_t count, float* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += table[index[p]];
}
QUENCH_LANES void add_looked_up(const double* table, const std::uint32_t* index, std::size_t count, double* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += table[index[p]];
}

template <class T>
const std::vector<LayerRows<T>>& rows_of(const PlanePlan& plan) {
  if constexpr (std::is_same_v<T, float>)
    return plan.layers_f32;
  else
    return plan.layers_f64;
}

}  // namespace

template <class T>
LanePass<T>::LanePass(const PlanePlan& plan, const PlaneOptions& options, const Batch& batch, LaneSpace<T>& space,
                      std::vector<std::vector<HeadMethod>>& methods)
    : plan_(plan.reference),
      layers_(rows_of<T>(plan)),
      options_(options),
      batch_(batch),
      space_(space),
      methods_(methods) {
  methods_.resize(plan_.layers.size());
  for (std::size_t l = 0; l < plan_.layers.size(); ++l) methods_[l].resize(plan_.layers[l].heads.size());
  space_.residual.resize(plan_.width);
  tabulate();
}

template <class T>
void LanePass<T>::run(const Visits& visits) {
  if (batch_.lanes == 1) {
    if (!visits.all_positions && run_in_windows(visits)) return;
    order_.take_segments(batch_.n, 0, batch_.n, /*backwards=*/false);
    run_layers(nullptr, visits);
    return;
  }
  const std::size_t words = std::max<std::size_t>(1, kTogether / (batch_.n * kLanes)) * kLanes;
  for (std::size_t first = 0; first < batch_.lanes; first += words) {
    order_.take_words(batch_, first, std::min(words, batch_.lanes - first));
    run_layers(nullptr, visits);
  }
}

template <class T>
bool LanePass<T>::run_in_windows(const Visits& visits) {
  bool backwards = false;
  if (options_.dense || !one_sided(plan_, backwards)) return false;
  std::vector<LaneScan<T>> scans;
  for (const LayerPlan& layer : plan_.layers)
    for (const HeadPlan& head : layer.heads) scans.push_back(make_scan(head, Mask::future));
  for (std::size_t first = 0; first < batch_.n; first += kWindow) {
    order_.take_segments(batch_.n, first, std::min(kWindow, batch_.n - first), backwards);
    if (!run_layers(&scans, visits)) return false;
  }
  return true;
}

template <class T>
bool LanePass<T>::run_layers(std::vector<LaneScan<T>>* scans, const Visits& visits) {
  const auto visit = [&](std::size_t sublayer) {
    if (visits.every_sublayer || sublayer == 2 * layers_.size()) visits.visitor(sublayer, space_.residual, order_);
  };
  embed();
  visit(0);
  std::size_t nth = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const std::size_t heads = layers_[l].heads.size();
    space_.heads.resize(std::max(space_.heads.size(), heads));
    if (!scans && worth_threads())
      tbb::parallel_for(std::size_t{0}, heads, [&](std::size_t h) { attend(l, h, nullptr); });
    else
      for (std::size_t h = 0; h < heads; ++h)
        if (!attend(l, h, scans ? &(*scans)[nth++] : nullptr)) return false;
    space_.outputs.clear();
    for (std::size_t h = 0; h < heads; ++h)
      for (const std::vector<T>& plane : space_.heads[h].out) space_.outputs.push_back(plane.data());
    for_blocks([&](std::size_t first, std::size_t count) {
      add_outputs<T>(layers_[l], space_.outputs.data(), first, count, space_.h.data());
    });
    visit(2 * l + 1);
    for_blocks(
        [&](std::size_t first, std::size_t count) { add_feed_forward<T>(layers_[l], first, count, space_.h.data()); });
    visit(2 * l + 2);
  }
  return true;
}

/// Position encodings by position, embeddings by symbol (the first is the unmentioned one).
template <class T>
void LanePass<T>::tabulate() {
  if (space_.owner == plan_.serial && space_.length == batch_.n) return;
  space_.owner = 0;  // a predicate may throw halfway
  space_.positions.assign(plan_.position_encodings.size(), {});
  for (std::size_t e = 0; e < plan_.position_encodings.size(); ++e)
    for (std::size_t i = 1; i <= batch_.n; ++i)
      space_.positions[e].push_back(
          static_cast<T>(model::position_value(plan_.position_encodings[e].formula, i, batch_.n)));
  space_.table.assign(plan_.width, {});
  for (std::size_t row = 0; row < plan_.embedding.size(); ++row)
    for (const auto& [column, value] : plan_.embedding[row]) {
      space_.table[column].resize(plan_.symbols + 1);
      space_.table[column][row == plan_.symbols ? 0 : row + 1] = static_cast<T>(value);
    }
  space_.owner = plan_.serial;
  space_.length = batch_.n;
}

template <class T>
void LanePass<T>::embed() {
  const std::size_t size = order_.size();
  std::vector<std::uint32_t>& symbols = space_.symbols;
  symbols.resize(size);
  for (std::size_t p = 0; p < size; ++p) symbols[p] = static_cast<std::uint32_t>(batch_.symbols[order_.place[p]] + 1);
  space_.h.clear();
  for (std::size_t c = 0; c < plan_.width; ++c) {
    std::vector<T>& h = space_.residual[c];
    h.resize(size);
    space_.h.push_back(h.data());
    const std::vector<T>& table = space_.table[c];
    if (std::adjacent_find(table.begin(), table.end(), std::not_equal_to<>()) == table.end())
      std::fill(h.begin(), h.end(), table.empty() ? T{0} : table[0]);
    else
      look_up(table.data(), symbols.data(), size, h.data());
  }
  const std::uint32_t* position = order_.position();
  for (std::size_t e = 0; e < plan_.position_encodings.size(); ++e) {
    add_looked_up(space_.positions[e].data(), position, size, space_.h[plan_.position_encodings[e].coordinate]);
  }
}

/// False: `kept` gave up.
template <class T>
bool LanePass<T>::attend(std::size_t layer, std::size_t head, LaneScan<T>* kept) {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  const typename LayerRows<T>::Head& rows = layers_[layer].heads[head];
  HeadSpace<T>& space = space_.heads[head];
  project(rows.q, plan.components, space.q, space.q_view);
  project(rows.k, plan.components, space.k, space.k_view);
  project(rows.v, plan.d_v, space.v, space.v_view);
  space.out.resize(plan.d_v);
  for (std::vector<T>& plane : space.out) plane.resize(order_.size());
  HeadMethod& how = methods_[layer][head];
  how.reason.clear();
  how.method = "scan";
  const bool scanned = plan.weighting == Weighting::soft && !options_.dense && [&] {
    if (kept) return scan(plan, space, *kept);
    LaneScan<T> fresh = make_scan(plan, plan.mask);
    return scan(plan, space, fresh);
  }();
  if (!scanned && kept) return false;
  if (!scanned) run_otherwise(plan, space, how);
  for (std::vector<T>& plane : space.out) order_.fill_up(plane.data());
  return true;
}

/// Rows that only pass a coordinate on are looked at where they are.
template <class T>
void LanePass<T>::project(const SumRows<T>& rows, std::size_t count, Planes& planes, std::vector<const T*>& views) {
  views.assign(count, nullptr);
  planes.resize(count);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto& [index, first, last] = rows.rows[r];
    if (last == first + 1 && rows.terms[first].weight == 1) {
      views[index] = space_.h[rows.terms[first].column];
      continue;
    }
    planes[index].resize(order_.size());
    sum_row<T>(rows, r, space_.h.data(), 0, order_.size(), planes[index].data());
    views[index] = planes[index].data();
  }
  for (std::size_t index = 0; index < count; ++index)
    if (!views[index]) {
      planes[index].assign(order_.size(), T{0});
      views[index] = planes[index].data();
    }
}

template <class T>
LaneScan<T> LanePass<T>::make_scan(const HeadPlan& head, Mask mask) const {
  return LaneScan<T>(head.components, head.d_v, negligible(std::is_same_v<T, float> ? 24 : 53, batch_.n), mask);
}

template <class T>
bool LanePass<T>::scan(const HeadPlan& head, HeadSpace<T>& space, LaneScan<T>& scan) {
  const auto scale = [&](std::size_t i) {
    return head.score_scale * model::inverse_temperature(head.temperature, i, batch_.n);
  };
  space.scale.clear();
  if (scale(1) != scale(batch_.n))
    for (std::size_t p = 0; p < order_.size(); ++p) space.scale.push_back(scale(order_.position()[p] + 1));
  std::vector<T*> out;
  for (std::vector<T>& plane : space.out) out.push_back(plane.data());
  return scan.feed(order_.window, space.q_view, space.k_view, space.v_view, space.scale, scale(1), out);
}

template <class T>
void LanePass<T>::run_otherwise(const HeadPlan& head, HeadSpace<T>& space, HeadMethod& how) {
  HeadWork& work = space.work;
  work.mask = head.mask;
  work.weighting = head.weighting;
  work.n = batch_.n;
  work.lanes = order_.window.segments ? 1 : order_.window.groups * kLanes;
  work.precision = std::is_same_v<T, float> ? 24 : 53;
  work.scale.resize(batch_.n);
  for (std::size_t i = 0; i < batch_.n; ++i)
    work.scale[i] = head.score_scale * model::inverse_temperature(head.temperature, i + 1, batch_.n);
  const auto copy = [&](const std::vector<const T*>& views, std::vector<Plane>& planes) {
    planes.resize(views.size());
    for (std::size_t x = 0; x < views.size(); ++x) {
      planes[x].resize(work.size());
      order_.for_live([&](std::size_t index, std::size_t plain) { planes[x][plain] = views[x][index]; });
    }
  };
  copy(space.q_view, work.q);
  copy(space.k_view, work.k);
  copy(space.v_view, work.v);
  work.out.resize(head.d_v);
  for (Plane& plane : work.out) plane.resize(work.size());

  const auto took = [&](const char* method, const std::optional<std::string>& refusal) {
    if (refusal)
      how.reason += (how.reason.empty() ? "" : "; ") + *refusal;
    else
      how.method = method;
    return !refusal;
  };
  const bool crowd = !order_.window.segments && batch_.n <= kShort;
  if (!options_.dense && !crowd &&
      (took("lookup", run_by_lookup(work)) || took("series", run_by_series(work)) ||
       took("candidates", run_by_candidates(work)))) {
    how.reason.clear();
    drop_tiny_means(work);
  } else {
    run_densely(work, options_.dense && std::is_same_v<T, float>, options_.parallel && batch_.n > kShort);
    how.method = "dense";
    if (options_.dense) how.reason = "asked for";
    if (crowd) how.reason = "short words, all at once";
  }
  for (std::size_t x = 0; x < head.d_v; ++x)
    order_.for_live(
        [&](std::size_t index, std::size_t plain) { space.out[x][index] = static_cast<T>(work.out[x][plain]); });
}

template <class T>
bool LanePass<T>::worth_threads() const {
  return options_.parallel && order_.size() >= kWorthThreads;
}

/// Calls work(first, count) for every block of positions.
template <class T>
template <class Work>
void LanePass<T>::for_blocks(const Work& work) const {
  const std::size_t size = order_.size();
  if (!worth_threads()) return work(0, size);
  tbb::parallel_for(std::size_t{0}, (size + kBlock - 1) / kBlock,
                    [&](std::size_t b) { work(b * kBlock, std::min(kBlock, size - b * kBlock)); });
}

template class LanePass<float>;
template class LanePass<double>;

}  // namespace quench::run
