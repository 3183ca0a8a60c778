#include "soften/parallel_units.h"

#include <algorithm>
#include <map>

namespace quench::soften {
namespace {

/// A row with its first entry made positive, as a key.
std::vector<std::pair<std::uint32_t, double>> key_of(const SparseMatrix::Row& row, double sign) {
  std::vector<std::pair<std::uint32_t, double>> key;
  for (const auto& [column, value] : row) key.emplace_back(column, sign * value);
  return key;
}

bool is_on(const ParallelUnits& group, const ParallelUnits::Unit& unit, std::size_t cell) {
  if (group.direction.empty()) return unit.bias > 0;
  // On where sign·z + bias > 0, that is on one side of the breakpoint −sign·bias.
  const std::size_t at = static_cast<std::size_t>(
      std::lower_bound(group.breakpoints.begin(), group.breakpoints.end(), -unit.sign * unit.bias) -
      group.breakpoints.begin());
  return unit.sign > 0 ? cell > at : cell <= at;
}

void finish(ParallelUnits& group) {
  if (!group.direction.empty())
    for (const ParallelUnits::Unit& unit : group.units) group.breakpoints.push_back(-unit.sign * unit.bias);
  std::sort(group.breakpoints.begin(), group.breakpoints.end());
  group.breakpoints.erase(std::unique(group.breakpoints.begin(), group.breakpoints.end()), group.breakpoints.end());
  for (ParallelUnits::Target& target : group.targets)
    for (std::size_t cell = 0; cell < group.cells(); ++cell) {
      Interval slope;
      for (std::size_t k = 0; k < group.units.size(); ++k)
        if (is_on(group, group.units[k], cell)) {
          const double s = group.units[k].sign * target.weights[k];
          slope = slope + Interval{s, s};
        }
      target.slopes.push_back(slope);
    }
}

Interval at_point(const ParallelUnits& group, const ParallelUnits::Target& target, const Interval& z) {
  Interval total;
  for (std::size_t k = 0; k < group.units.size(); ++k) {
    const ParallelUnits::Unit& unit = group.units[k];
    total = total + target.weights[k] * relu(unit.sign * z + Interval{unit.bias, unit.bias});
  }
  return total;
}

}  // namespace

std::size_t ParallelUnits::cell(double z) const {
  return static_cast<std::size_t>(std::upper_bound(breakpoints.begin(), breakpoints.end(), z) - breakpoints.begin());
}

// Between its breakpoints the function is linear, so its extremes are at the ends of the interval and at breakpoints.
Interval ParallelUnits::values(const Target& target, const Interval& z) const {
  Interval result = hull(at_point(*this, target, {z.low, z.low}), at_point(*this, target, {z.high, z.high}));
  for (const double breakpoint : breakpoints)
    if (z.low < breakpoint && breakpoint < z.high)
      result = hull(result, at_point(*this, target, {breakpoint, breakpoint}));
  return result;
}

std::vector<ParallelUnits> parallel_units(const model::FeedForward& ffn) {
  std::vector<ParallelUnits> groups;
  std::map<std::vector<std::pair<std::uint32_t, double>>, std::size_t> known;
  std::vector<std::pair<std::size_t, std::size_t>> place;  // group and index within it, by hidden unit
  for (std::size_t k = 0; k < ffn.b1.size(); ++k) {
    const SparseMatrix::Row& row = ffn.w1.rows[k];
    const double sign = !row.empty() && row[0].value < 0 ? -1 : 1;
    const auto [at, is_new] = known.emplace(key_of(row, sign), groups.size());
    if (is_new) {
      groups.emplace_back().direction = row;
      for (auto& entry : groups.back().direction) entry.value *= sign;
    }
    ParallelUnits& group = groups[at->second];
    place.emplace_back(at->second, group.units.size());
    group.units.push_back({k, sign, ffn.b1[k]});
  }
  for (std::size_t c = 0; c < ffn.w2.rows.size(); ++c)
    for (const auto& [unit, weight] : ffn.w2.rows[c]) {
      const auto [g, k] = place[unit];
      ParallelUnits& group = groups[g];
      if (group.targets.empty() || group.targets.back().coordinate != c)
        group.targets.push_back({static_cast<std::uint32_t>(c), std::vector<double>(group.units.size()), {}});
      group.targets.back().weights[k] = weight;
    }
  for (ParallelUnits& group : groups) finish(group);
  return groups;
}

}  // namespace quench::soften
