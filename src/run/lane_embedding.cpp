#include "run/lane_embedding.h"

#include <algorithm>
#include <functional>

#include "base/lanes.h"
#include "model/position.h"

namespace quench::run {

namespace {

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

}  // namespace

template <class T>
void tabulate(const ReferencePlan& plan, std::size_t n, LaneSpace<T>& space) {
  if (space.owner == plan.serial && space.length == n) return;
  space.owner = 0;  // a predicate may throw halfway
  space.positions.assign(plan.position_encodings.size(), {});
  for (std::size_t e = 0; e < plan.position_encodings.size(); ++e)
    for (std::size_t i = 1; i <= n; ++i)
      space.positions[e].push_back(static_cast<T>(model::position_value(plan.position_encodings[e].formula, i, n)));
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
  space.owner = plan.serial;
  space.length = n;
}

template <class T>
void embed(const ReferencePlan& plan, const Batch& batch, const LaneSpace<T>& space, LanePart<T>& part) {
  const LaneOrder& order = part.order;
  const std::size_t size = order.size();
  part.symbols.resize(size);
  for (std::size_t p = 0; p < size; ++p)
    part.symbols[p] = static_cast<std::uint32_t>(batch.symbols[order.place[p]] + 1);
  part.residual.resize(plan.width);
  part.h.clear();
  for (std::size_t c = 0; c < plan.width; ++c) {
    std::vector<T>& h = part.residual[c];
    h.resize(size);
    part.h.push_back(h.data());
    const std::vector<T>& table = space.table[c];
    if (std::adjacent_find(table.begin(), table.end(), std::not_equal_to<>()) == table.end())
      std::fill(h.begin(), h.end(), table.empty() ? T{0} : table[0]);
    else
      look_up(table.data(), part.symbols.data(), size, h.data());
  }
  for (std::size_t e = 0; e < plan.position_encodings.size(); ++e)
    add_looked_up(space.positions[e].data(), order.position(), size, part.h[plan.position_encodings[e].coordinate]);
}

template void tabulate(const ReferencePlan&, std::size_t, LaneSpace<float>&);
template void tabulate(const ReferencePlan&, std::size_t, LaneSpace<double>&);
template void embed(const ReferencePlan&, const Batch&, const LaneSpace<float>&, LanePart<float>&);
template void embed(const ReferencePlan&, const Batch&, const LaneSpace<double>&, LanePart<double>&);

}  // namespace quench::run
