// Heads that no method in lanes takes: from lanes to the plain order of whole words (methods/whole_words.h), and back.
#include <algorithm>
#include <type_traits>
#include <utility>

#include "model/position.h"
#include "run/structured/attention/attention_stage.h"
#include "run/structured/methods/whole_words.h"

namespace quench::run {

namespace {

constexpr std::size_t kShort = 64;  // words of a batch up to this length: dense rows across words are faster

}  // namespace

template <class T>
void AttentionStage<T>::run_on_whole_words(Part& part, std::size_t layer, std::size_t head, HeadMethod& how) {
  {
    const std::scoped_lock lock(mutex_);
    embed_spared(plan_, space_, part);
  }
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  const LaneOrder& order = part.order;
  HeadSpace<T>& space = part.heads[head];
  HeadWork work;
  work.mask = plan.mask;
  work.weighting = plan.weighting;
  work.n = batch_.n;
  work.words = order.segments() ? 1 : order.windows[0].groups * kLanes;
  work.precision = std::is_same_v<T, float> ? 24 : 53;
  const auto scale = [&](std::size_t i) {
    return plan.score_scale * model::inverse_temperature(plan.temperature, i, batch_.n);
  };
  work.scale.assign(1, scale(1));
  if (!space_.temperatures[static_cast<std::size_t>(plan.temperature)].empty())
    for (std::size_t i = 2; i <= batch_.n; ++i) work.scale.push_back(scale(i));
  const typename LayerRows<T>::Head& rows = (*layers_)[layer].heads[head];
  const PlanesInLanes<T> lanes{order, part.h, work.n, work.words};
  work.q.resize(plan.components);
  work.k.resize(plan.components);
  work.v.resize(plan.d_v);
  work.out.resize(plan.d_v);
  work.q_columns = part.columns.columns(lanes, rows.q, plan.components);
  work.k_columns = part.columns.columns_of_keys(lanes, rows.k, work.q_columns);
  work.v_columns = part.columns.columns(lanes, rows.v, plan.d_v);
  work.make_out = [&] { return take_plane(work.size()); };
  const auto make = [&](const SumRows<T>& of, std::size_t component) {
    Plane plane = take_plane(work.size());
    plain_row(lanes, of, component, plane);
    return plane;
  };
  work.make_q = [&](std::size_t l) { return make(rows.q, l); };
  work.make_k = [&](std::size_t l) { return make(rows.k, l); };
  work.make_v = [&](std::size_t x) { return make(rows.v, x); };
  if (order.segments())
    work.put = [&](std::size_t x, std::size_t, std::size_t first, const std::vector<double>& means) {
      order.put_in_lanes(means, first, space.out[x]);
    };
  HeadSizes sizes;
  for (const auto& column : work.q_columns) sizes.q.push_back(column->size);
  for (const auto& column : work.k_columns) sizes.k.push_back(column->size);
  for (const auto& column : work.v_columns) sizes.v = std::max(sizes.v, column->size);

  WholeWords request;
  request.by_definition = needs_definition(layer, plan);
  request.single = std::is_same_v<T, float>;
  request.dense = options_.dense;
  request.exact_sums = options_.exact_sums;
  request.many_short = !order.segments() && batch_.n <= kShort;
  request.parallel = options_.parallel && batch_.n > kShort;
  how = run_whole_words(plan, request, how.name, far_from_the_end<T>(plan, batch_.n, sizes), work);
  for (const LaneWindow& window : order.windows)
    for (std::size_t x = 0; x < plan.d_v; ++x)
      if (!work.out[x].empty())
        order.for_plain(window, [&](std::size_t p, std::size_t plain) {
          space.out[x][window.begin + p] = static_cast<T>(work.out[x][plain]);
        });
  for (std::vector<Plane>* planes : {&work.q, &work.k, &work.v, &work.out}) give_planes(*planes);
}

template <class T>
Plane AttentionStage<T>::take_plane(std::size_t size) {
  Plane plane;
  {
    const std::scoped_lock lock(mutex_);
    if (!spares_.empty()) {
      plane = std::move(spares_.back());
      spares_.pop_back();
    }
  }
  plane.resize(size);
  return plane;
}

template <class T>
void AttentionStage<T>::give_planes(std::vector<Plane>& planes) {
  const std::scoped_lock lock(mutex_);
  for (Plane& plane : planes)
    if (!plane.empty()) spares_.push_back(std::move(plane));
}

template void AttentionStage<float>::run_on_whole_words(Part&, std::size_t, std::size_t, HeadMethod&);
template Plane AttentionStage<float>::take_plane(std::size_t);
template void AttentionStage<float>::give_planes(std::vector<Plane>&);
template void AttentionStage<double>::run_on_whole_words(Part&, std::size_t, std::size_t, HeadMethod&);
template Plane AttentionStage<double>::take_plane(std::size_t);
template void AttentionStage<double>::give_planes(std::vector<Plane>&);

}  // namespace quench::run
