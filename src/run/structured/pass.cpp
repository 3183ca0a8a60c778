#include "run/structured/pass.h"

#include <fmt/format.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

#include "base/error.h"
#include "model/position.h"

namespace quench::run {

namespace {

// Positions of one word: rows of one parity each, and planes that do not begin a power of two apart, which would crowd
// them into a few sets of the cache.
constexpr std::size_t kWindow = 120 * kLanes;
constexpr std::size_t kTogether = 2048;  // positions of a batch's words
constexpr std::size_t kBlock = 4096;     // positions to a thread
constexpr std::size_t kShort = 64;       // words of a batch up to this length: dense rows across words are faster
constexpr std::size_t kWorthThreads = 1 << 14;
constexpr std::size_t kPartsAtOnce = 4;  // windows under way

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

template <class T>
const std::vector<LayerRows<T>>& rows_of(const PlanePlan& plan) {
  if constexpr (std::is_same_v<T, float>)
    return plan.layers_f32;
  else
    return plan.layers_f64;
}

/// Rows that only pass a coordinate on are looked at where they are.
template <class T, class Needed>
void project_rows(const LanePart<T>& part, const LaneWindow& window, const SumRows<T>& rows, std::size_t count,
                  Planes<T>& planes, std::vector<const T*>& views, const Needed& needed) {
  views.assign(count, nullptr);
  planes.resize(count);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto& [index, first, last] = rows.rows[r];
    if (!needed(index)) continue;
    if (last == first + 1 && rows.terms[first].weight == 1) {
      views[index] = part.h[rows.terms[first].column] + window.begin;
      continue;
    }
    planes[index].resize(window.size());
    sum_row<T>(rows, r, part.h.data(), window.begin, window.size(), planes[index].data());
    views[index] = planes[index].data();
  }
  for (std::size_t index = 0; index < count; ++index)
    if (!views[index] && needed(index)) {
      planes[index].assign(window.size(), T{0});
      views[index] = planes[index].data();
    }
}

}  // namespace

template <class T>
LanePass<T>::LanePass(const PlanePlan& plan, const PlaneOptions& options, const Batch& batch, LaneSpace<T>& space,
                      std::vector<std::vector<HeadMethod>>& methods)
    : plan_(plan.reference),
      layers_(&rows_of<T>(plan)),
      options_(options),
      batch_(batch),
      space_(space),
      methods_(methods) {
  methods_.resize(plan_.layers.size());
  for (std::size_t l = 0; l < plan_.layers.size(); ++l) methods_[l].resize(plan_.layers[l].heads.size());
  const auto is_hard = [](const HeadPlan& head) { return head.weighting != Weighting::soft; };
  for (std::size_t l = 0; l < plan_.layers.size(); ++l)
    if (std::ranges::any_of(plan_.layers[l].heads, is_hard)) hard_layers_ = l + 1;
  space_.parts.resize(kPartsAtOnce);
  tabulate(plan_, *layers_, batch.n, batch.lanes > 1, space_);
}

template <class T>
void LanePass<T>::run(const Visits& visits) {
  if (visits.output_only) layers_ = &space_.lean;
  Part& part = space_.parts[0];
  if (batch_.lanes == 1) {
    if (!visits.all_positions && run_in_windows(visits)) return;
    part.order.take_segments(batch_.n, 0, batch_.n, kWindow, /*backwards=*/false);
    std::vector<std::vector<LaneHead<T>>> heads = make_heads(/*forwards=*/false);
    return run_whole(part, heads, visits);
  }
  const std::size_t words = std::max<std::size_t>(1, kTogether / (batch_.n * kLanes)) * kLanes;
  const auto run_share = [&](std::size_t share, std::size_t shares) {
    std::vector<std::vector<LaneHead<T>>> heads = make_heads(/*forwards=*/false);
    const std::size_t turns = (batch_.lanes + words - 1) / words;
    for (std::size_t turn = turns * share / shares; turn < turns * (share + 1) / shares; ++turn) {
      const std::size_t first = turn * words;
      space_.parts[share].order.take_words(batch_, first, std::min(words, batch_.lanes - first));
      run_whole(space_.parts[share], heads, visits);
    }
  };
  if (options_.parallel && batch_.symbols.size() >= kWorthThreads)
    tbb::parallel_for(std::size_t{0}, kPartsAtOnce, [&](std::size_t share) { run_share(share, kPartsAtOnce); });
  else
    run_share(0, 1);
}

template <class T>
void LanePass<T>::run_whole(Part& part, std::vector<std::vector<LaneHead<T>>>& heads, const Visits& visits) {
  embed(plan_, batch_, space_, part, visits.every_sublayer);
  visit(part, 0, visits);
  for (std::size_t l = 0; l < layers_->size(); ++l) run_layer(part, l, heads[l], Otherwise::run, visits);
}

template <class T>
std::vector<std::vector<LaneHead<T>>> LanePass<T>::make_heads(bool forwards) const {
  std::vector<std::vector<LaneHead<T>>> heads;
  for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
    heads.emplace_back();
    for (std::size_t h = 0; h < plan_.layers[l].heads.size(); ++h) heads.back().push_back(make_head(l, h, forwards));
  }
  return heads;
}

/// Windows follow each other through the layers as on a conveyor: each layer takes them in order, so that its heads'
/// sums are the same however many threads there are.
template <class T>
bool LanePass<T>::run_in_windows(const Visits& visits) {
  bool backwards = false;
  if (options_.dense || !one_sided(plan_, backwards)) return false;
  std::vector<std::vector<LaneHead<T>>> heads = make_heads(/*forwards=*/true);
  const bool threads = options_.parallel && batch_.n >= kWorthThreads;
  std::size_t first = 0, nth = 0;
  const auto next = [&]() -> Part* {
    if (first >= batch_.n) return nullptr;
    Part& part = space_.parts[threads ? nth++ % kPartsAtOnce : 0];
    part.order.take_segments(batch_.n, first, std::min(first + kWindow, batch_.n), kWindow, backwards);
    first += kWindow;
    return &part;
  };
  const auto begin = [&](Part* part) {
    embed(plan_, batch_, space_, *part, visits.every_sublayer);
    visit(*part, 0, visits);
  };
  if (!threads) {
    while (Part* part = next()) {
      begin(part);
      for (std::size_t l = 0; l < layers_->size(); ++l)
        if (!run_layer(*part, l, heads[l], Otherwise::give_up, visits)) return false;
    }
    return true;
  }
  std::atomic<bool> gave_up = false;
  const auto in_order = tbb::filter_mode::serial_in_order;
  tbb::filter<Part*, Part*> conveyor = tbb::make_filter<Part*, Part*>(in_order, [&](Part* part) {
    if (!gave_up) begin(part);
    return part;
  });
  for (std::size_t l = 0; l < layers_->size(); ++l)
    conveyor &= tbb::make_filter<Part*, Part*>(in_order, [&, l](Part* part) {
      if (!gave_up && !run_layer(*part, l, heads[l], Otherwise::give_up, visits)) gave_up = true;
      return part;
    });
  const auto source = tbb::make_filter<void, Part*>(in_order, [&](tbb::flow_control& control) {
    Part* part = gave_up ? nullptr : next();
    if (!part) control.stop();
    return part;
  });
  tbb::parallel_pipeline(kPartsAtOnce, source & conveyor & tbb::make_filter<Part*, void>(in_order, [](Part*) {}));
  return !gave_up;
}

template <class T>
void LanePass<T>::visit(const Part& part, std::size_t sublayer, const Visits& visits) const {
  if (visits.every_sublayer || sublayer == 2 * layers_->size()) visits.visitor(sublayer, part.residual, part.order);
}

template <class T>
bool LanePass<T>::run_layer(Part& part, std::size_t l, std::vector<LaneHead<T>>& lanes, Otherwise otherwise,
                            const Visits& visits) {
  const std::size_t heads = (*layers_)[l].heads.size();
  part.heads.resize(std::max(part.heads.size(), heads));
  if (otherwise == Otherwise::run && worth_threads(part))
    tbb::parallel_for(std::size_t{0}, heads, [&](std::size_t h) { attend(part, l, h, lanes[h], otherwise); });
  else
    for (std::size_t h = 0; h < heads; ++h)
      if (!attend(part, l, h, lanes[h], otherwise)) return false;
  part.outputs.clear();
  for (std::size_t h = 0; h < heads; ++h)
    part.outputs.insert(part.outputs.end(), part.heads[h].out.begin(), part.heads[h].out.end());
  for_blocks(part, [&](std::size_t first, std::size_t count) {
    add_outputs<T>((*layers_)[l], part.outputs.data(), first, count, part.h.data());
  });
  visit(part, 2 * l + 1, visits);
  for_blocks(part, [&](std::size_t first, std::size_t count) {
    add_feed_forward<T>((*layers_)[l], first, count, part.h.data());
  });
  visit(part, 2 * l + 2, visits);
  return true;
}

/// Hard attention can go from one key to another where a score changes by one rounding; so it gets, and gets its input
/// from, the reference's very numbers.
template <class T>
const char* LanePass<T>::needs_definition(std::size_t layer, const HeadPlan& head) const {
  if (head.weighting != Weighting::soft) return "hard attention, by definition";
  if (layer + 1 < hard_layers_) return "hard attention in a later layer, so by definition";
  return nullptr;
}

/// False: it gave up.
template <class T>
bool LanePass<T>::attend(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& lanes, Otherwise otherwise) {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  HeadSpace<T>& space = part.heads[head];
  space.own_out.resize(plan.d_v);
  space.out.clear();
  for (std::size_t x = 0; x < plan.d_v; ++x) {
    const std::uint32_t coordinate = (*layers_)[layer].heads[head].into[x];
    const bool own = coordinate == LayerRows<T>::kNone;
    if (own) space.own_out[x].resize(part.order.size());
    space.out.push_back(own ? space.own_out[x].data() : part.h[coordinate]);
  }
  HeadMethod& how = methods_[layer][head];
  how.reason.clear();
  const bool by_methods = !options_.dense && !needs_definition(layer, plan);
  bool fed = by_methods && feed(part, layer, head, lanes);
  if (!fed && otherwise == Otherwise::give_up) return false;
  if (!fed && by_methods && lanes.settled()) {  // by other words of the batch
    lanes = make_head(layer, head, /*forwards=*/false);
    fed = feed(part, layer, head, lanes);
  }
  how.method = lanes.method();
  if (!fed) run_otherwise(part, layer, head, how);
  for (T* plane : space.out) part.order.fill_up(plane);
  return true;
}

template <class T>
void LanePass<T>::project(Part& part, const LaneWindow& window, std::size_t layer, std::size_t head, Want want) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  const typename LayerRows<T>::Head& rows = (*layers_)[layer].heads[head];
  HeadSpace<T>& space = part.heads[head];
  const ForeseenHead<T>& foreseen = space_.foreseen.heads[layer][head];
  const auto always = [](std::size_t) { return true; };
  if (want == Want::ranks) space.k_view.assign(1, part.h[foreseen.rank_of] + window.begin);
  if (want == Want::all || want == Want::not_foreseen) {
    project_rows(part, window, rows.q, plan.components, space.q, space.q_view,
                 [&](std::size_t l) { return want == Want::all || !foreseen.scan || !foreseen.query[l]; });
    project_rows(part, window, rows.k, plan.components, space.k, space.k_view, always);
  }
  project_rows(part, window, rows.v, plan.d_v, space.v, space.v_view, always);
}

template <class T>
LaneHead<T> LanePass<T>::make_head(std::size_t layer, std::size_t head, bool forwards) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  return LaneHead<T>(plan, forwards ? Mask::future : plan.mask,
                     negligible(std::is_same_v<T, float> ? 24 : 53, batch_.n), batch_.n,
                     &space_.foreseen.heads[layer][head], options_.exact_sums);
}

template <class T>
bool LanePass<T>::feed(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& lanes) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  HeadSpace<T>& space = part.heads[head];
  const double steady = plan.score_scale * model::inverse_temperature(plan.temperature, 1, batch_.n);
  if (!part.order.segments()) lanes.forget_sizes();
  const std::vector<double>& temperatures = space_.temperatures[static_cast<std::size_t>(plan.temperature)];
  const auto through_windows = [&](LanePhase phase) {
    const ScanOrder order(plan.mask);
    for (std::size_t step = 0; step < part.order.windows.size(); ++step) {
      const LaneWindow& window = part.order.windows[order.at(step, part.order.windows.size())];
      const std::uint32_t* position = part.order.position() + window.begin;
      project(part, window, layer, head,
              lanes.by_rank(window)  ? Want::ranks
              : lanes.knows_scores() ? Want::values
                                     : Want::not_foreseen);
      space.scale.clear();
      if (!temperatures.empty()) lanes.set_scale(window, position, temperatures, plan.score_scale, space.scale);
      space.out_view.clear();
      for (T* plane : space.out) space.out_view.push_back(plane + window.begin);
      if (!lanes.feed(window, position, space, steady, space.out_view, phase)) return false;
    }
    return true;
  };
  if (ScanOrder(plan.mask).backwards && part.order.segments() && part.order.windows.size() > 1) {
    project(part, part.order.windows[0], layer, head, Want::all);
    lanes.introduce(space.k_view);
  }
  const auto feed_all = [&] {
    if (plan.mask == Mask::none && part.order.segments())
      return through_windows(LanePhase::keys) && through_windows(LanePhase::queries);
    return through_windows(LanePhase::both);
  };
  while (!feed_all()) {
    if (lanes.by_rank(part.order.windows[0]))
      lanes.give_up_ranks();
    else if (part.order.windows.size() == 1 || !lanes.restart())
      return false;
  }
  return true;
}

template <class T>
void LanePass<T>::run_otherwise(Part& part, std::size_t layer, std::size_t head, HeadMethod& how) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  const LaneOrder& order = part.order;
  HeadSpace<T>& space = part.heads[head];
  HeadWork& work = space.work;
  work.mask = plan.mask;
  work.weighting = plan.weighting;
  work.n = batch_.n;
  work.lanes = order.segments() ? 1 : order.windows[0].groups * kLanes;
  work.precision = std::is_same_v<T, float> ? 24 : 53;
  work.scale.resize(batch_.n);
  for (std::size_t i = 0; i < batch_.n; ++i)
    work.scale[i] = plan.score_scale * model::inverse_temperature(plan.temperature, i + 1, batch_.n);
  for (std::vector<Plane>* planes : {&work.q, &work.k}) planes->resize(plan.components);
  for (std::vector<Plane>* planes : {&work.v, &work.out}) planes->resize(plan.d_v);
  for (std::vector<Plane>* planes : {&work.q, &work.k, &work.v, &work.out})
    for (Plane& plane : *planes) plane.resize(work.size());
  for (const LaneWindow& window : order.windows) {
    project(part, window, layer, head, Want::all);
    const auto copy = [&](const std::vector<const T*>& views, std::vector<Plane>& planes) {
      for (std::size_t x = 0; x < views.size(); ++x)
        order.for_plain(window, [&](std::size_t p, std::size_t plain) { planes[x][plain] = views[x][p]; });
    };
    copy(space.q_view, work.q);
    copy(space.k_view, work.k);
    copy(space.v_view, work.v);
  }

  const bool crowd = !order.segments() && batch_.n <= kShort;
  const char* by_definition = needs_definition(layer, plan);
  if (!by_definition && !far_from_the_end<T>(plan, batch_.n, sizes_of(work)))
    by_definition = "numbers near the end of the format's range, so by definition";
  if (by_definition && options_.exact_sums && plan.weighting == Weighting::soft)  // the definition rounds every sum
    throw UserError(fmt::format(
        "head {} cannot be run with exact sums ({}), so the length certified for them does not hold here; use "
        "--dtype f64, or words within the length certified for any engine",
        how.name, by_definition));
  const auto refusal = [&]() -> std::optional<std::string> {
    if (by_definition) return by_definition;
    if (options_.dense) return "asked for";
    if (crowd) return "short words, all at once";
    const std::optional<std::string> reason = run_by_candidates(work);
    if (!reason) return std::nullopt;
    return "scores that are no few classes of keys, no parabola and no alternating series; " + *reason;
  }();
  if (by_definition)
    run_by_definition(plan, work, options_.parallel && batch_.n > kShort);
  else if (refusal)
    run_densely(work, options_.dense && std::is_same_v<T, float>, options_.parallel && batch_.n > kShort);
  else
    drop_subnormal_means(work);
  how = {how.name, refusal ? Method::dense : Method::candidates, refusal.value_or("")};
  for (const LaneWindow& window : order.windows)
    for (std::size_t x = 0; x < plan.d_v; ++x)
      order.for_plain(window, [&](std::size_t p, std::size_t plain) {
        space.out[x][window.begin + p] = static_cast<T>(work.out[x][plain]);
      });
}

template <class T>
bool LanePass<T>::worth_threads(const Part& part) const {
  return options_.parallel && part.order.size() >= kWorthThreads;
}

/// Calls work(first, count) for every block of positions.
template <class T>
template <class Work>
void LanePass<T>::for_blocks(const Part& part, const Work& work) const {
  const std::size_t size = part.order.size();
  if (!worth_threads(part)) return work(0, size);
  tbb::parallel_for(std::size_t{0}, (size + kBlock - 1) / kBlock,
                    [&](std::size_t b) { work(b * kBlock, std::min(kBlock, size - b * kBlock)); });
}

template class LanePass<float>;
template class LanePass<double>;

}  // namespace quench::run
