#include "run/structured/embedding.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/number/multiversion.h"
#include "run/structured/lane_stretches.h"

namespace quench::run {

namespace {

QUENCH_MULTIVERSION void fill(float value, std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = value;
}
QUENCH_MULTIVERSION void fill(double value, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = value;
}
QUENCH_MULTIVERSION void fetch(const Symbol* symbols, const std::uint32_t* place, std::size_t count,
                               std::uint32_t* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = static_cast<std::uint32_t>(symbols[place[p]]) + 1;
}
/// The same for words side by side, `apart` in the batch; lanes beyond the last word repeat it. The next words will be
/// needed soon (LaneOrder::ahead).
QUENCH_MULTIVERSION void fetch_rows(const Symbol* symbols, std::size_t steps, std::size_t lanes, std::size_t apart,
                                    std::size_t ahead, std::uint32_t* out) {
  for (std::size_t t = 0; t < steps; ++t, symbols += apart, out += kLanes) {
    __builtin_prefetch(symbols + ahead);
    if (lanes == kLanes)
      for (std::size_t s = 0; s < kLanes; ++s) out[s] = static_cast<std::uint32_t>(symbols[s]) + 1;
    else
      for (std::size_t s = 0; s < kLanes; ++s) out[s] = static_cast<std::uint32_t>(symbols[std::min(s, lanes - 1)]) + 1;
  }
}
QUENCH_MULTIVERSION std::uint32_t greatest_of(const std::uint32_t* x, std::size_t count) {
  std::uint32_t greatest = 0;
  for (std::size_t p = 0; p < count; ++p) greatest = std::max(greatest, x[p]);
  return greatest;
}
QUENCH_MULTIVERSION void look_up(const float* table, const std::uint32_t* index, std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = table[index[p]];
}
QUENCH_MULTIVERSION void look_up(const double* table, const std::uint32_t* index, std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = table[index[p]];
}
QUENCH_MULTIVERSION void add_looked_up(const float* table, const std::uint32_t* index, std::size_t count, float* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += table[index[p]];
}
QUENCH_MULTIVERSION void add_looked_up(const double* table, const std::uint32_t* index, std::size_t count,
                                       double* sum) {
  for (std::size_t p = 0; p < count; ++p) sum[p] += table[index[p]];
}

QUENCH_MULTIVERSION void tell_apart(const std::uint32_t* index, std::uint32_t one, float at_one, float elsewhere,
                                    std::size_t count, float* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = index[p] == one ? at_one : elsewhere;
}
QUENCH_MULTIVERSION void tell_apart(const std::uint32_t* index, std::uint32_t one, double at_one, double elsewhere,
                                    std::size_t count, double* out) {
  for (std::size_t p = 0; p < count; ++p) out[p] = index[p] == one ? at_one : elsewhere;
}
/// The same number for all lanes of a row.
QUENCH_MULTIVERSION void add_to_rows(const float* by_row, std::size_t rows, float* sum) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) sum[t * kLanes + s] += by_row[t];
}
QUENCH_MULTIVERSION void add_to_rows(const double* by_row, std::size_t rows, double* sum) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) sum[t * kLanes + s] += by_row[t];
}
QUENCH_MULTIVERSION void spread_to_rows(const float* by_row, std::size_t rows, float* out) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) out[t * kLanes + s] = by_row[t];
}
QUENCH_MULTIVERSION void spread_to_rows(const double* by_row, std::size_t rows, double* out) {
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t s = 0; s < kLanes; ++s) out[t * kLanes + s] = by_row[t];
}

/// Most coordinates are for one symbol, and need no gathers.
template <class T>
void embed_symbols(const AlignedVector<T>& table, const std::uint32_t* symbols, std::size_t count, T* h) {
  const T elsewhere = table[0] == table[1] || table[0] == table.back() ? table[0] : table[1];
  const auto differs = [&](T x) { return x != elsewhere; };
  const auto one = std::find_if(table.begin(), table.end(), differs);
  if (std::find_if(one + 1, table.end(), differs) != table.end()) return look_up(table.data(), symbols, count, h);
  tell_apart(symbols, static_cast<std::uint32_t>(one - table.begin()), *one, elsewhere, count, h);
}

/// The coordinates that are wanted, window by window, so that its symbols stay in the cache.
template <class T, class Wanted>
void embed_planes(const ReferencePlan& plan, const LaneSpace<T>& space, LanePart<T>& part, const Wanted& wanted) {
  for (const LaneWindow& window : part.order.windows) {
    const std::uint32_t* position = part.order.position() + window.begin;
    for (std::size_t c = 0; c < plan.width; ++c) {
      if (!wanted(c)) continue;
      const AlignedVector<T>& table = space.table[c];
      T* h = part.h[c] + window.begin;
      if (is_one_number(table))
        fill(table.empty() ? T{0} : table[0], window.size(), h);
      else
        embed_symbols(table, part.symbols.data() + window.begin, window.size(), h);
    }
    for (std::size_t e = 0; e < plan.position_encodings.size(); ++e) {
      const std::size_t c = plan.position_encodings[e].coordinate;
      if (!wanted(c)) continue;
      const T* encoding = space.positions[e].data();
      T* h = part.h[c] + window.begin;
      if (!window.segments)
        for (std::size_t g = 0; g < window.groups; ++g)
          add_to_rows(encoding, window.steps, h + g * window.steps * kLanes);
      else if (window.is_one_stretch(position) && space.table[c].empty() && space.alone[e])
        stretches_to_rows(encoding + position[0], window.steps, kLanes, h);
      else
        add_looked_up(encoding, position, window.size(), h);
    }
  }
}

}  // namespace

template <class T>
void embed(const ReferencePlan& plan, const Batch& batch, const LaneSpace<T>& space, LanePart<T>& part,
           bool fresh_too, bool spared_too) {
  const LaneOrder& order = part.order;
  const std::size_t size = order.size();
  part.symbols.resize(size);
  if (order.segments())
    fetch(batch.symbols.data(), order.position(), size, part.symbols.data());
  else
    order.for_groups([&](std::size_t index, std::size_t place, std::size_t lanes) {
      fetch_rows(batch.symbols.data() + place, batch.n, lanes, order.apart(), order.ahead(place),
                 part.symbols.data() + index);
    });
  if (greatest_of(part.symbols.data(), size) > plan.symbols)  // below −1 they are great
    throw UserError("the word has a symbol outside the model's alphabet of " + std::to_string(plan.symbols));
  part.residual.resize(plan.width);
  part.columns.clear();
  part.h.clear();
  const std::tuple steady_for(order.is_whole(batch.n) ? space.owner : 0, space.length, size, order.backwards());
  const bool as_before = order.is_whole(batch.n) && part.steady_for == steady_for;
  part.steady_for = steady_for;
  const bool spared_before = as_before && part.spared_there;
  part.spared_there = spared_too || spared_before;
  for (std::size_t c = 0; c < plan.width; ++c) {
    if (!space.spared[c] || spared_too) part.residual[c].resize(size);
    part.h.push_back(part.residual[c].data());
  }
  embed_planes(plan, space, part, [&](std::size_t c) -> bool {
    if (space.spared[c]) return spared_too && !spared_before;
    return !(space.fresh[c] && !fresh_too) && !(space.steady[c] && as_before);
  });
  part.shared.resize(space.shared_at.size());
  for (AlignedVector<T>& plane : part.shared) plane.resize(size);
  if (!as_before) part.shared_there.assign(order.windows.size(), false);
}

template <class T>
void embed_spared(const ReferencePlan& plan, const LaneSpace<T>& space, LanePart<T>& part) {
  if (part.spared_there) return;
  part.spared_there = true;
  for (std::size_t c = 0; c < plan.width; ++c)
    if (space.spared[c]) {
      part.residual[c].resize(part.order.size());
      part.h[c] = part.residual[c].data();
    }
  embed_planes(plan, space, part, [&](std::size_t c) -> bool { return space.spared[c]; });
}

template <class T>
void embed_shared(const LaneSpace<T>& space, const LaneWindow& window, LanePart<T>& part) {
  std::uint8_t& there = part.shared_there[window.begin / part.order.windows[0].size()];
  if (there) return;
  there = true;
  const std::uint32_t* position = part.order.position() + window.begin;
  for (std::size_t r = 0; r < part.shared.size(); ++r) {
    const T* sums = space.shared_at[r].data();
    T* out = part.shared[r].data() + window.begin;
    if (!window.segments)
      for (std::size_t g = 0; g < window.groups; ++g)
        spread_to_rows(sums, window.steps, out + g * window.steps * kLanes);
    else if (window.is_one_stretch(position))
      stretches_to_rows(sums + position[0], window.steps, kLanes, out);
    else
      look_up(sums, position, window.size(), out);
  }
}

template void embed(const ReferencePlan&, const Batch&, const LaneSpace<float>&, LanePart<float>&, bool, bool);
template void embed(const ReferencePlan&, const Batch&, const LaneSpace<double>&, LanePart<double>&, bool, bool);
template void embed_spared(const ReferencePlan&, const LaneSpace<float>&, LanePart<float>&);
template void embed_spared(const ReferencePlan&, const LaneSpace<double>&, LanePart<double>&);
template void embed_shared(const LaneSpace<float>&, const LaneWindow&, LanePart<float>&);
template void embed_shared(const LaneSpace<double>&, const LaneWindow&, LanePart<double>&);

}  // namespace quench::run
