// What a run needs to know of a length: encodings by position, temperatures, shared rows, what is foreseen of heads.
#include <algorithm>

#include "model/position.h"
#include "run/structured/embedding.h"

namespace quench::run {

namespace {

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
    result[c].of = is_one_number(table) ? Of::nothing : Of::word;
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

/// Shared rows by position, as they are summed of planes.
template <class T>
Planes<T> sum_by_position(const ReferencePlan& plan, const LaneSpace<T>& space, std::size_t n) {
  const auto in_rows = [](std::size_t count) { return (count + kLanes - 1) / kLanes * kLanes; };
  const std::size_t most = std::min<std::size_t>(4096, in_rows(n));  // positions whose coordinates stay in the cache
  const SumRows<T>& rows = space.shared.rows();
  Planes<T> sums(rows.rows.size(), AlignedVector<T>(in_rows(n)));
  if (sums.empty()) return sums;
  std::vector<bool> read(plan.width);
  for (const Term<T>& term : rows.terms) read[term.column] = true;
  Planes<T> block(plan.width);
  std::vector<const T*> in(plan.width);
  for (std::size_t from = 0; from < n; from += most) {
    const std::size_t live = std::min(most, n - from);
    for (std::size_t c = 0; c < plan.width; ++c)
      if (read[c]) block[c].assign(most, space.table[c].empty() ? T{0} : space.table[c][0]);
    for (std::size_t e = 0; e < plan.position_encodings.size(); ++e) {
      AlignedVector<T>& h = block[plan.position_encodings[e].coordinate];
      if (h.empty()) continue;
      for (std::size_t p = 0; p < live; ++p) h[p] += space.positions[e][from + p];
    }
    for (std::size_t c = 0; c < plan.width; ++c) in[c] = block[c].data();
    for (std::size_t r = 0; r < sums.size(); ++r)
      sum_row<T>(rows, r, in.data(), 0, in_rows(live), sums[r].data() + from);
  }
  return sums;
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
  for (const AlignedVector<T>& values : space.table) space.steady.push_back(is_one_number(values));
  for (const LayerRows<T>& layer : layers) {
    for (const auto& target : layer.targets) space.steady[target.coordinate] = false;
    for (const FlatRows::Row& row : layer.written.rows) space.steady[row.index] = false;
    for (const auto& head : layer.heads)
      for (const std::uint32_t c : head.into)
        if (c != LayerRows<T>::kNone) space.steady[c] = false;
  }
  space.shared = SharedRows<T>(layers, space.steady);
  space.shared_at = sum_by_position(plan, space, n);
  space.spared.clear();
  for (std::size_t c = 0; c < plan.width; ++c)
    space.spared.push_back(space.shared.alone_read(c) && c != plan.output);
  space.foreseen = foresee(plan, layers, n, many, coordinates(plan, space));
  if (!same_plan || space.lean_by != space.foreseen.rows) {
    space.lean_by = space.foreseen.rows;
    space.lean = make_layer_rows<T>(plan, space.lean_by);
  }
  space.owner = plan.serial;
  space.length = n;
  space.many = many;
}

template void tabulate(const ReferencePlan&, const std::vector<LayerRows<float>>&, std::size_t, bool,
                       LaneSpace<float>&);
template void tabulate(const ReferencePlan&, const std::vector<LayerRows<double>>&, std::size_t, bool,
                       LaneSpace<double>&);

}  // namespace quench::run
