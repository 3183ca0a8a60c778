#include "run/structured/attention/attention_stage.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <set>
#include <type_traits>
#include <utility>

#include "model/position.h"

namespace quench::run {

namespace {

bool any_shared(const std::vector<std::uint32_t>& rows) {
  return std::ranges::any_of(rows, [](std::uint32_t shared) { return shared != SharedRows<float>::kNone; });
}

/// Rows that only pass a coordinate on are looked at where they are, and so are shared ones (SharedRows::of).
template <class T, class Needed>
void project_rows(const LanePart<T>& part, const LaneWindow& window, const SumRows<T>& rows,
                  const std::vector<std::uint32_t>& shared, std::size_t count, Planes<T>& planes,
                  std::vector<const T*>& views, const Needed& needed) {
  views.assign(count, nullptr);
  planes.resize(count);
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto& [index, first, last] = rows.rows[r];
    if (!needed(index)) continue;
    if (shared[r] != SharedRows<T>::kNone) {
      views[index] = part.shared[shared[r]].data() + window.begin;
      continue;
    }
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
AttentionStage<T>::AttentionStage(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers,
                                  const StructuredOptions& options, const Batch& batch, const LaneSpace<T>& space,
                                  std::vector<std::vector<HeadMethod>>& methods)
    : plan_(plan), layers_(&layers), options_(options), batch_(batch), space_(space), methods_(methods) {
  methods_.resize(plan_.layers.size());
  for (std::size_t l = 0; l < plan_.layers.size(); ++l) methods_[l].resize(plan_.layers[l].heads.size());
  const auto is_hard = [](const HeadPlan& head) { return head.weighting != Weighting::soft; };
  for (std::size_t l = 0; l < plan_.layers.size(); ++l)
    if (std::ranges::any_of(plan_.layers[l].heads, is_hard)) hard_layers_ = l + 1;
}

/// Hard attention can go from one key to another where a score changes by one rounding; so it gets, and gets its input
/// from, the reference's very numbers.
template <class T>
const char* AttentionStage<T>::needs_definition(std::size_t layer, const HeadPlan& head) const {
  if (head.weighting != Weighting::soft) return "hard attention, by definition";
  if (layer + 1 < hard_layers_) return "hard attention in a later layer, so by definition";
  return nullptr;
}

template <class T>
bool AttentionStage<T>::by_methods(const Part& part, std::size_t layer, std::size_t head) const {
  if (options_.dense || needs_definition(layer, plan_.layers[layer].heads[head])) return false;
  return !part.order.segments() || !asks_for_codes(part, layer, head);
}

/// Whether queries and keys vary in so many components, and keys in so many ways, that there are more classes of keys
/// than methods in lanes take: those would see that late, where the positions' higher bits change. Judged by a few
/// positions, so it may be false where it should be true.
template <class T>
bool AttentionStage<T>::asks_for_codes(const Part& part, std::size_t layer, std::size_t head) const {
  constexpr std::size_t kFewestComponents = std::bit_width(kMostScanClasses);  // with fewer, it is a lookup or a series
  const typename LayerRows<T>::Head& rows = (*layers_)[layer].heads[head];
  if (std::min(rows.q.rows.size(), rows.k.rows.size()) < kFewestComponents) return false;
  std::vector<std::size_t> few{0};
  for (std::size_t p = 1; p < part.order.size(); p *= 2)
    for (const std::size_t index : {p, p + p / 2}) few.push_back(std::min(index, part.order.size() - 1));
  using Shared = typename SharedRows<T>::Of;
  const auto at = [&](Shared what, std::size_t r, std::size_t index) {
    const std::uint32_t shared = space_.shared.of(layer, head, what)[r];
    if (shared != SharedRows<T>::kNone) return space_.shared_at[shared][part.order.position()[index]];
    const SumRows<T>& of = what == Shared::queries ? rows.q : rows.k;
    T sum{0};
    for (std::uint32_t t = of.rows[r].first; t < of.rows[r].last; ++t)
      sum += of.terms[t].weight * part.h[of.terms[t].column][index];
    return sum;
  };
  const auto varies = [&](Shared what, std::size_t r) {
    return std::ranges::any_of(
        few, [&, first = at(what, r, few[0])](std::size_t index) { return at(what, r, index) != first; });
  };
  std::set<std::uint32_t> asked;
  for (std::size_t r = 0; r < rows.q.rows.size(); ++r)
    if (varies(Shared::queries, r)) asked.insert(rows.q.rows[r].index);
  std::vector<std::size_t> told;
  for (std::size_t r = 0; r < rows.k.rows.size(); ++r)
    if (asked.contains(rows.k.rows[r].index) && varies(Shared::keys, r)) told.push_back(r);
  if (told.size() < kFewestComponents) return false;
  std::set<std::vector<T>> classes;
  for (const std::size_t index : few) {
    std::vector<T> keys;
    for (const std::size_t r : told) keys.push_back(at(Shared::keys, r, index));
    classes.insert(std::move(keys));
  }
  return classes.size() > kMostScanClasses;
}

/// Where the head's means go.
template <class T>
void AttentionStage<T>::find_place(Part& part, std::size_t layer, std::size_t head) const {
  HeadSpace<T>& space = part.heads[head];
  const std::size_t values = plan_.layers[layer].heads[head].d_v;
  space.own_out.resize(values);
  space.out.clear();
  for (std::size_t x = 0; x < values; ++x) {
    const std::uint32_t coordinate = (*layers_)[layer].heads[head].into[x];
    const bool own = coordinate == LayerRows<T>::kNone;
    if (own) space.own_out[x].resize(part.order.size());
    space.out.push_back(own ? space.own_out[x].data() : part.h[coordinate]);
  }
}

template <class T>
bool AttentionStage<T>::run(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner,
                            IfNotLinear otherwise) {
  HeadSpace<T>& space = part.heads[head];
  HeadMethod how;  // other threads have other words of the batch
  {
    const std::scoped_lock lock(mutex_);
    how.name = methods_[layer][head].name;
  }
  const bool by_methods = space.side_by_side || this->by_methods(part, layer, head);
  if (!space.side_by_side) find_place(part, layer, head);
  bool fed = by_methods && feed(part, layer, head, runner);
  if (!fed && otherwise == IfNotLinear::give_up) return false;
  if (!fed && by_methods && !part.order.segments() && runner.settled()) {  // by other words of the batch
    runner = make_head(layer, head, /*forwards=*/false);
    fed = feed(part, layer, head, runner);
  }
  how.method = runner.method();
  if (!fed) run_on_whole_words(part, layer, head, how);
  for (T* plane : space.out) part.order.fill_up(plane);
  const std::scoped_lock lock(mutex_);
  methods_[layer][head] = std::move(how);
  return true;
}

template <class T>
void AttentionStage<T>::project(Part& part, const LaneWindow& window, std::size_t layer, std::size_t head,
                                Want want) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  const typename LayerRows<T>::Head& rows = (*layers_)[layer].heads[head];
  HeadSpace<T>& space = part.heads[head];
  const ForeseenHead<T>& foreseen = space_.foreseen.heads[layer][head];
  using Shared = typename SharedRows<T>::Of;
  const auto shared = [&](Shared of) -> const auto& { return space_.shared.of(layer, head, of); };
  const auto always = [](std::size_t) { return true; };
  if (want == Want::all || want == Want::not_foreseen || any_shared(shared(Shared::values))) {
    const std::scoped_lock lock(mutex_);
    embed_shared(space_, window, part);
  }
  if (want == Want::ranks) space.k_view.assign(1, part.h[foreseen.rank_of] + window.begin);
  if (want == Want::all || want == Want::not_foreseen) {
    project_rows(part, window, rows.q, shared(Shared::queries), plan.components, space.q, space.q_view,
                 [&](std::size_t l) { return want == Want::all || !foreseen.scan || !foreseen.query[l]; });
    project_rows(part, window, rows.k, shared(Shared::keys), plan.components, space.k, space.k_view, always);
  }
  project_rows(part, window, rows.v, shared(Shared::values), plan.d_v, space.v, space.v_view, always);
}

template <class T>
LaneHead<T> AttentionStage<T>::make_head(std::size_t layer, std::size_t head, bool forwards) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  return LaneHead<T>(plan, forwards ? Mask::future : plan.mask,
                     negligible(std::is_same_v<T, float> ? 24 : 53, batch_.n), batch_.n,
                     &space_.foreseen.heads[layer][head], options_.exact_sums);
}

template <class T>
bool AttentionStage<T>::feed_window(Part& part, const LaneWindow& window, std::size_t layer, std::size_t head,
                                    LaneHead<T>& runner, LanePhase phase) const {
  const HeadPlan& plan = plan_.layers[layer].heads[head];
  HeadSpace<T>& space = part.heads[head];
  const double steady = plan.score_scale * model::inverse_temperature(plan.temperature, 1, batch_.n);
  const std::vector<double>& temperatures = space_.temperatures[static_cast<std::size_t>(plan.temperature)];
  const std::uint32_t* position = part.order.position() + window.begin;
  const auto once = [&] {
    if (phase != LanePhase::queries || !runner.answers_alike())
      project(part, window, layer, head,
              runner.by_rank(window)  ? Want::ranks
              : runner.knows_scores() ? Want::values
                                      : Want::not_foreseen);
    space.scale.clear();
    if (!temperatures.empty()) runner.set_scale(window, position, temperatures, plan.score_scale, space.scale);
    space.out_view.clear();
    for (T* plane : space.out) space.out_view.push_back(plane + window.begin);
    return runner.feed(window, position, space, steady, space.out_view, phase);
  };
  if (once()) return true;
  if (!window.segments || !runner.by_rank(window)) return false;
  runner.give_up_ranks();  // the windows before stay as they are
  return once();
}

template <class T>
bool AttentionStage<T>::feed_windows(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const {
  const Mask mask = plan_.layers[layer].heads[head].mask;
  const auto through_windows = [&](LanePhase phase) {
    const ScanOrder order(mask);
    for (std::size_t step = 0; step < part.order.windows.size(); ++step) {
      const LaneWindow& window = part.order.windows[order.at(step, part.order.windows.size())];
      if (!feed_window(part, window, layer, head, runner, phase)) return false;
    }
    return true;
  };
  if (mask == Mask::none && part.order.segments())
    return through_windows(LanePhase::keys) && through_windows(LanePhase::queries);
  return through_windows(LanePhase::both);
}

/// What the method has to know of a word whose windows come last to first.
template <class T>
void AttentionStage<T>::introduce(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const {
  if (!ScanOrder(plan_.layers[layer].heads[head].mask).backwards || !part.order.segments()) return;
  if (part.order.windows.size() == 1) return;
  project(part, part.order.windows[0], layer, head, Want::all);
  runner.introduce(part.heads[head].k_view);
}

template <class T>
bool AttentionStage<T>::feed(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const {
  std::optional<bool> fed = std::exchange(part.heads[head].side_by_side, std::nullopt);
  if (!fed) {
    if (!part.order.segments()) runner.forget_sizes();
    introduce(part, layer, head, runner);
    fed = feed_windows(part, layer, head, runner);
  }
  while (!*fed) {
    if (runner.by_rank(part.order.windows[0]))
      runner.give_up_ranks();
    else if (part.order.windows.size() == 1 || !runner.restart())
      return false;
    fed = feed_windows(part, layer, head, runner);
  }
  return true;
}

/// Window by window, in the order that heads want: from the left under the future mask and for keys that all see, from
/// the right under the past mask, then from the left for queries that see all.
template <class T>
void AttentionStage<T>::feed_side_by_side(Part& part, std::size_t layer, std::size_t first, std::size_t last,
                                          std::vector<LaneHead<T>>& runners) const {
  const std::size_t windows = part.order.windows.size();
  if (!part.order.segments() || windows == 1) return;
  const auto mask = [&](std::size_t h) { return plan_.layers[layer].heads[h].mask; };
  std::vector<std::size_t> heads;
  for (std::size_t h = first; h < last; ++h)
    if (by_methods(part, layer, h)) heads.push_back(h);
  for (const std::size_t h : heads) {
    find_place(part, layer, h);
    introduce(part, layer, h, runners[h]);
    part.heads[h].side_by_side = true;
  }
  const auto feed_all = [&](bool backwards, const auto& phase_of) {
    for (std::size_t step = 0; step < windows; ++step)
      for (const std::size_t h : heads) {
        HeadSpace<T>& space = part.heads[h];
        const std::optional<LanePhase> phase = phase_of(mask(h));
        if (!phase || !*space.side_by_side) continue;
        HeadSpace<T>& projections = part.heads[heads[0]];  // all use the same memory, which stays in the cache
        if (&space != &projections) space.swap_projections(projections);
        space.side_by_side =
            feed_window(part, part.order.windows[backwards ? windows - 1 - step : step], layer, h, runners[h], *phase);
        if (&space != &projections) space.swap_projections(projections);
      }
  };
  using Phase = std::optional<LanePhase>;
  feed_all(false, [](Mask m) {
    return m == Mask::none ? Phase(LanePhase::keys) : ScanOrder(m).backwards ? Phase() : Phase(LanePhase::both);
  });
  feed_all(true, [](Mask m) { return ScanOrder(m).backwards ? Phase(LanePhase::both) : Phase(); });
  feed_all(false, [](Mask m) { return m == Mask::none ? Phase(LanePhase::queries) : Phase(); });
}

template class AttentionStage<float>;
template class AttentionStage<double>;

}  // namespace quench::run
