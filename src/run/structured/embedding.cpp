#include "run/structured/embedding.h"

#include <algorithm>
#include <functional>
#include <string>

#include "base/error.h"
#include "base/number/multiversion.h"
#include "model/position.h"
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

/// Most coordinates are for one symbol, and need no gathers.
template <class T>
void embed_symbols(const AlignedVector<T>& table, const std::vector<std::uint32_t>& symbols, T* h) {
  const T elsewhere = table[0] == table[1] || table[0] == table.back() ? table[0] : table[1];
  const auto differs = [&](T x) { return x != elsewhere; };
  const auto one = std::find_if(table.begin(), table.end(), differs);
  if (std::find_if(one + 1, table.end(), differs) != table.end())
    return look_up(table.data(), symbols.data(), symbols.size(), h);
  tell_apart(symbols.data(), static_cast<std::uint32_t>(one - table.begin()), *one, elsewhere, symbols.size(), h);
}

template <class T>
bool all_equal(const AlignedVector<T>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

/// The values, each once, or none if they are many.
template <class T>
std::vector<T> few_of(const AlignedVector<T>& values) {
  std::vector<T> few;
  for (const T x : values)
    if (std::find(few.begin(), few.end(), x) == few.end()) {
      if (few.size() == kMostScanClasses) return {};
      few.push_back(x);
    }
  return few;
}

/// What the tables say of the coordinates before the first layer.
template <class T>
std::vector<Coordinate<T>> coordinates(const ReferencePlan& plan, const LaneSpace<T>& space) {
  using Of = typename Coordinate<T>::Of;
  std::vector<Coordinate<T>> result(plan.width);
  for (std::size_t c = 0; c < plan.width; ++c) {
    const AlignedVector<T>& table = space.table[c];
    result[c].of = all_equal(table) ? Of::nothing : Of::word;
    result[c].values = few_of(table);
    result[c].size = greatest_size(table.data(), table.size());
    if (!table.empty()) {
      result[c].low = *std::ranges::min_element(table);
      result[c].high = *std::ranges::max_element(table);
    }
    if (table.empty()) result[c].values = {T{0}};
    if (result[c].of == Of::nothing) result[c].constant = result[c].values[0];
  }
  for (std::size_t e = 0; e < plan.position_encodings.size(); ++e) {
    Coordinate<T>& at = result[plan.position_encodings[e].coordinate];
    std::vector<T> few = at.of == Of::nothing ? few_of(space.positions[e]) : std::vector<T>{};
    for (T& x : few) x += at.values[0];
    // Two encodings in one coordinate: as if it depended on the word.
    at.added = at.of == Of::nothing ? space.positions[e].data() : nullptr;
    at.of = at.of == Of::nothing ? Of::position : Of::word;
    at.values = std::move(few);
    at.size += greatest_size(space.positions[e].data(), space.positions[e].size());
    at.low += *std::ranges::min_element(space.positions[e]);
    at.high += *std::ranges::max_element(space.positions[e]);
  }
  return result;
}

}  // namespace

template <class T>
void tabulate(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers, std::size_t n, bool many,
              LaneSpace<T>& space) {
  if (space.owner == plan.serial && space.length == n && space.many == many) return;
  const bool same_plan = space.owner == plan.serial;
  space.owner = 0;  // a predicate may throw halfway
  space.positions.assign(plan.position_encodings.size(), {});
  for (std::size_t e = 0; e < plan.position_encodings.size(); ++e) {
    const std::vector<double> values = model::position_values(plan.position_encodings[e].formula, n);
    space.positions[e].assign(values.begin(), values.end());
  }
  space.temperatures.clear();
  for (const LayerPlan& layer : plan.layers)
    for (const HeadPlan& head : layer.heads) {
      const auto inverse = [&](std::size_t i) { return model::inverse_temperature(head.temperature, i, n); };
      const auto kind = static_cast<std::size_t>(head.temperature);
      space.temperatures.resize(std::max(space.temperatures.size(), kind + 1));
      std::vector<double>& values = space.temperatures[kind];
      if (!values.empty() || inverse(1) == inverse(n)) continue;
      for (std::size_t i = 1; i <= n; ++i) values.push_back(inverse(i));
    }
  space.table.assign(plan.width, {});
  for (std::size_t row = 0; row < plan.embedding.size(); ++row)
    for (const auto& [column, value] : plan.embedding[row]) {
      space.table[column].resize(plan.symbols + 1);
      space.table[column][row == plan.symbols ? 0 : row + 1] = static_cast<T>(value);
    }
  space.alone.clear();
  for (const auto& one : plan.position_encodings)
    space.alone.push_back(
        std::ranges::count(plan.position_encodings, one.coordinate, &model::PositionEncoding::coordinate) == 1);
  space.fresh.assign(plan.width, false);
  for (const LayerRows<T>& layer : layers)
    for (const std::uint32_t c : layer.fresh) space.fresh[c] = true;
  space.steady.clear();
  for (const AlignedVector<T>& values : space.table) space.steady.push_back(all_equal(values));
  for (const LayerRows<T>& layer : layers) {
    for (const auto& target : layer.targets) space.steady[target.coordinate] = false;
    for (const FlatRows::Row& row : layer.written.rows) space.steady[row.index] = false;
    for (const auto& head : layer.heads)
      for (const std::uint32_t c : head.into)
        if (c != LayerRows<T>::kNone) space.steady[c] = false;
  }
  space.shared = SharedRows<T>(layers, space.steady);
  space.foreseen = foresee(plan, layers, n, many, coordinates(plan, space));
  if (!same_plan || space.lean_by != space.foreseen.rows) {
    space.lean_by = space.foreseen.rows;
    space.lean = make_layer_rows<T>(plan, space.lean_by);
  }
  space.owner = plan.serial;
  space.length = n;
  space.many = many;
}

template <class T>
void embed(const ReferencePlan& plan, const Batch& batch, const LaneSpace<T>& space, LanePart<T>& part,
           bool fresh_too) {
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
  const std::tuple steady_for(order.segments() ? 0 : space.owner, space.length, size);
  const bool as_before = !order.segments() && part.steady_for == steady_for;
  part.steady_for = steady_for;
  for (std::size_t c = 0; c < plan.width; ++c) {
    AlignedVector<T>& h = part.residual[c];
    h.resize(size);
    part.h.push_back(h.data());
    const AlignedVector<T>& table = space.table[c];
    if ((space.fresh[c] && !fresh_too) || (space.steady[c] && as_before)) continue;
    if (all_equal(table))
      fill(table.empty() ? T{0} : table[0], size, h.data());
    else
      embed_symbols(table, part.symbols, h.data());
  }
  for (std::size_t e = 0; e < plan.position_encodings.size(); ++e) {
    const std::size_t c = plan.position_encodings[e].coordinate;
    if (space.steady[c] && as_before) continue;
    const T* encoding = space.positions[e].data();
    for (const LaneWindow& window : order.windows) {
      const std::uint32_t* position = order.position() + window.begin;
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
  const SumRows<T>& shared = space.shared.rows();
  part.shared.resize(shared.rows.size());
  for (AlignedVector<T>& plane : part.shared) plane.resize(size);
  if (as_before) return;
  for (const LaneWindow& window : order.windows)
    for (std::size_t r = 0; r < shared.rows.size(); ++r)
      sum_row<T>(shared, r, part.h.data(), window.begin, window.size(), part.shared[r].data() + window.begin);
}

template void tabulate(const ReferencePlan&, const std::vector<LayerRows<float>>&, std::size_t, bool,
                       LaneSpace<float>&);
template void tabulate(const ReferencePlan&, const std::vector<LayerRows<double>>&, std::size_t, bool,
                       LaneSpace<double>&);
template void embed(const ReferencePlan&, const Batch&, const LaneSpace<float>&, LanePart<float>&, bool);
template void embed(const ReferencePlan&, const Batch&, const LaneSpace<double>&, LanePart<double>&, bool);

}  // namespace quench::run
