#include "soften/numbers/boxes.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_map>

#include "model/position.h"
#include "soften/exact_network.h"

namespace quench::soften {

Interval dot(const SparseMatrix::Row& row, const Box& box) {
  Interval total;
  for (const auto& [column, value] : row) total = total + value * box[column];
  return total;
}

Box project(const SparseMatrix& matrix, const Box& box) {
  Box result;
  result.reserve(matrix.rows.size());
  for (const SparseMatrix::Row& row : matrix.rows) result.push_back(dot(row, box));
  return result;
}

Interval divide(const Interval& sum, double count) {
  const double low = sum.low / count, high = sum.high / count;
  return {outward::down(low, -std::fma(low, count, -sum.low)), outward::up(high, -std::fma(high, count, -sum.high))};
}

namespace {

bool before(const Interval& a, const Interval& b) { return a.low < b.low || (a.low == b.low && a.high < b.high); }

}  // namespace

void keep_distinct(std::vector<Box>& boxes) {
  std::sort(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), before);
  });
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
}

void join_alike(std::vector<Box>& boxes) {
  std::unordered_map<std::string, Box> joined;
  for (const Box& box : boxes) {
    std::string pattern;
    for (const Interval& x : box) pattern.push_back(x == Interval{0, 0} ? '0' : x == Interval{1, 1} ? '1' : '-');
    const auto [at, is_new] = joined.emplace(std::move(pattern), box);
    if (!is_new)
      for (std::size_t c = 0; c < box.size(); ++c) at->second[c] = hull(at->second[c], box[c]);
  }
  boxes.clear();
  for (auto& [pattern, box] : joined) boxes.push_back(std::move(box));
}

Box join(const std::vector<Box>& boxes) {
  Box result = boxes.at(0);
  for (const Box& box : boxes)
    for (std::size_t c = 0; c < box.size(); ++c) result[c] = hull(result[c], box[c]);
  return result;
}

namespace {

/// Adds to the coefficient of a column.
void add(std::vector<std::pair<std::uint32_t, Interval>>& coefficients, std::uint32_t column, const Interval& value) {
  for (auto& [known, coefficient] : coefficients)
    if (known == column) {
      coefficient = coefficient + value;
      return;
    }
  coefficients.emplace_back(column, value);
}

const ParallelUnits::Target* target_of(const ParallelUnits& group, std::uint32_t c) {
  const auto at = std::lower_bound(
      group.targets.begin(), group.targets.end(), c,
      [](const ParallelUnits::Target& target, std::uint32_t coordinate) { return target.coordinate < coordinate; });
  return at != group.targets.end() && at->coordinate == c ? &*at : nullptr;
}

/// Coordinate c after the sublayer.
Interval coordinate_after(const std::vector<ParallelUnits>& units, double bias, const Box& box, std::uint32_t c) {
  std::vector<std::pair<std::uint32_t, Interval>> linear;  // none: the residual connection alone
  Interval result{bias, bias};
  for (const ParallelUnits& group : units) {
    const ParallelUnits::Target* target = target_of(group, c);
    if (!target) continue;
    const Interval z = dot(group.direction, box);
    const std::size_t first = group.cell(z.low), last = group.cell(z.high);
    bool same = true;
    for (std::size_t cell = first; cell <= last; ++cell)
      same = same && target->slopes[cell] == target->slopes[first] && target->slopes[cell].is_point();
    if (!same || z.is_point()) {
      result = result + group.values(*target, z);
      continue;
    }
    // f(z) = f(low) + slope·(z − low)
    const double slope = target->slopes[first].low;
    if (linear.empty()) linear.push_back({c, {1, 1}});
    for (const auto& [column, weight] : group.direction) add(linear, column, slope * Interval{weight, weight});
    result = result + group.values(*target, {z.low, z.low}) + (-slope) * Interval{z.low, z.low};
  }
  if (linear.empty()) return result + box[c];
  for (const auto& [column, factor] : linear) result = result + factor * box[column];
  return result;
}

/// The Booleans that decide on coordinate c: its own and what the groups that write it read.
std::vector<std::uint32_t> booleans_of(const std::vector<ParallelUnits>& units, const Booleans& booleans,
                                       std::uint32_t c) {
  SparseMatrix::Row read{{c, 1.0}};
  for (const ParallelUnits& group : units)
    if (target_of(group, c)) read.insert(read.end(), group.direction.begin(), group.direction.end());
  return booleans_in(read, booleans);
}

}  // namespace

std::vector<std::uint32_t> booleans_in(const SparseMatrix::Row& row, const Booleans& booleans) {
  std::vector<std::uint32_t> found;
  for (const auto& [column, weight] : row)
    if (booleans.contains(column) && std::find(found.begin(), found.end(), column) == found.end())
      found.push_back(column);
  return found;
}

Box feed_forward(const std::vector<ParallelUnits>& units, const std::vector<double>& bias, const Box& box,
                 const Booleans& booleans) {
  Box result(box.size());
  for (std::uint32_t c = 0; c < box.size(); ++c) {
    Interval all{kInfinity, -kInfinity};
    for_each_choice(box, booleans_of(units, booleans, c),
                    [&](const Box& chosen) { all = hull(all, coordinate_after(units, bias[c], chosen, c)); });
    result[c] = all;
  }
  return result;
}

Interval enclose(const PositionFormula& formula, std::size_t i, std::size_t n) {
  if (formula.kind == PositionFormula::Kind::log_index || formula.kind == PositionFormula::Kind::log_remaining) {
    const double value = model::position_value(formula, i, n);
    return {std::nextafter(value, -kInfinity), std::nextafter(value, kInfinity)};
  }
  const mpq_class value = exact_position(formula, i, n);
  return {lower(value), upper(value)};
}

}  // namespace quench::soften
