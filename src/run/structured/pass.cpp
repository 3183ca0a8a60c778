#include "run/structured/pass.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_pipeline.h>

#include <algorithm>
#include <atomic>
#include <type_traits>

namespace quench::run {

namespace {

// Positions of one word: rows of one parity each, and planes that do not begin a power of two apart, which would crowd
// them into a few sets of the cache.
constexpr std::size_t kWindow = 120 * kLanes;
constexpr std::size_t kTogether = 2048;  // positions of a batch's words
constexpr std::size_t kBlock = 4096;     // positions to a thread
constexpr std::size_t kWorthThreads = 1 << 14;
constexpr std::size_t kPartsAtOnce = 4;  // windows under way
constexpr std::size_t kSideBySide = 4;   // heads, at least, that one thread feeds windows to

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
const std::vector<LayerRows<T>>& rows_of(const StructuredPlan& plan) {
  if constexpr (std::is_same_v<T, float>)
    return plan.layers_f32;
  else
    return plan.layers_f64;
}

}  // namespace

template <class T>
LanePass<T>::LanePass(const StructuredPlan& plan, const StructuredOptions& options, const Batch& batch,
                      LaneSpace<T>& space, std::vector<std::vector<HeadMethod>>& methods)
    : plan_(plan.reference),
      layers_(&rows_of<T>(plan)),
      options_(options),
      batch_(batch),
      space_(space),
      attention_(plan_, *layers_, options, batch, space, methods) {
  space_.parts.resize(kPartsAtOnce);
  tabulate(plan_, *layers_, batch.n, batch.words > 1, space_);
}

template <class T>
void LanePass<T>::run(const Visits& visits) {
  if (visits.output_only) {
    layers_ = &space_.lean;
    attention_.use(space_.lean);
  }
  Part& part = space_.parts[0];
  if (batch_.words == 1) {
    if (!visits.all_positions && run_in_windows(visits)) return;
    part.order.take_segments(batch_.n, 0, batch_.n, kWindow, /*backwards=*/false);
    std::vector<std::vector<LaneHead<T>>> heads = make_heads(/*forwards=*/false);
    return run_whole(part, heads, visits);
  }
  const std::size_t words = std::max<std::size_t>(1, kTogether / (batch_.n * kLanes)) * kLanes;
  const auto run_share = [&](std::size_t share, std::size_t shares) {
    std::vector<std::vector<LaneHead<T>>> heads = make_heads(/*forwards=*/false);
    const std::size_t turns = (batch_.words + words - 1) / words;
    for (std::size_t turn = turns * share / shares; turn < turns * (share + 1) / shares; ++turn) {
      const std::size_t first = turn * words;
      space_.parts[share].order.take_words(batch_, first, std::min(words, batch_.words - first));
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
  embed(plan_, batch_, space_, part, visits.every_sublayer, !visits.output_only);
  visit(part, 0, visits);
  for (std::size_t l = 0; l < layers_->size(); ++l) run_layer(part, l, heads[l], IfNotLinear::run, visits);
}

template <class T>
std::vector<std::vector<LaneHead<T>>> LanePass<T>::make_heads(bool forwards) const {
  std::vector<std::vector<LaneHead<T>>> heads;
  for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
    heads.emplace_back();
    for (std::size_t h = 0; h < plan_.layers[l].heads.size(); ++h)
      heads.back().push_back(attention_.make_head(l, h, forwards));
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
    embed(plan_, batch_, space_, *part, visits.every_sublayer, !visits.output_only);
    visit(*part, 0, visits);
  };
  if (!threads) {
    while (Part* part = next()) {
      begin(part);
      for (std::size_t l = 0; l < layers_->size(); ++l)
        if (!run_layer(*part, l, heads[l], IfNotLinear::give_up, visits)) return false;
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
      if (!gave_up && !run_layer(*part, l, heads[l], IfNotLinear::give_up, visits)) gave_up = true;
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
bool LanePass<T>::run_layer(Part& part, std::size_t l, std::vector<LaneHead<T>>& runners, IfNotLinear otherwise,
                            const Visits& visits) {
  const std::size_t heads = (*layers_)[l].heads.size();
  part.heads.resize(std::max(part.heads.size(), heads));
  part.columns.keep_only(space_.steady);  // the layer before may have written others
  for (HeadSpace<T>& space : part.heads) space.side_by_side.reset();
  if (otherwise == IfNotLinear::run && worth_threads(part)) {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, heads, kSideBySide), [&](const auto& range) {
      attention_.feed_side_by_side(part, l, range.begin(), range.end(), runners);
    });
    tbb::parallel_for(std::size_t{0}, heads, [&](std::size_t h) { attention_.run(part, l, h, runners[h], otherwise); });
  } else {
    if (otherwise == IfNotLinear::run) attention_.feed_side_by_side(part, l, 0, heads, runners);
    for (std::size_t h = 0; h < heads; ++h)
      if (!attention_.run(part, l, h, runners[h], otherwise)) return false;
  }
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
