#include "automata/translate/groups/potential.h"

#include <algorithm>
#include <numeric>

namespace quench::automata {
namespace {

using Equation = std::vector<std::int64_t>;
constexpr std::int64_t kLargestEntry = 1'000'000;
constexpr std::size_t kMostLetters = 40;

/// Divided by what its entries have in common. False if they are too large.
bool normalise(Equation& row) {
  std::int64_t common = 0;
  for (const std::int64_t v : row) common = std::gcd(common, v);
  for (std::int64_t& v : row) v = common == 0 ? 0 : v / common;
  return std::all_of(row.begin(), row.end(), [](std::int64_t v) { return v > -kLargestEntry && v < kLargestEntry; });
}

/// Brings equations into a form where each pivot column has one entry. False if numbers get too large.
struct Equations {
  std::vector<Equation> rows;
  std::vector<std::size_t> pivots;

  bool add(Equation row) {
    for (std::size_t k = 0; k < rows.size(); ++k) eliminate(row, rows[k], pivots[k]);
    if (!normalise(row)) return false;
    const auto pivot = std::find_if(row.begin(), row.end(), [](std::int64_t v) { return v != 0; });
    if (pivot == row.end()) return true;
    const auto column = static_cast<std::size_t>(pivot - row.begin());
    for (Equation& other : rows) {
      eliminate(other, row, column);
      if (!normalise(other)) return false;
    }
    rows.push_back(std::move(row));
    pivots.push_back(column);
    return true;
  }
  static void eliminate(Equation& row, const Equation& by, std::size_t column) {
    const std::int64_t a = row[column], b = by[column];
    if (a == 0) return;
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = row[k] * b - by[k] * a;
    normalise(row);
  }
};

}  // namespace

std::vector<Potential> potentials(const PartialMachine& machine) {
  const std::size_t letters = machine.letters.size();
  if (letters > kMostLetters) return {};
  // φ(x) is the sum of h over the letters of a path to x; every other edge is an equation.
  std::vector<Equation> path(machine.states);
  path[0].assign(letters, 0);
  std::vector<lang::State> queue{0};
  Equations equations;
  std::vector<bool> used(letters);
  for (std::size_t k = 0; k < queue.size(); ++k)
    for (std::size_t a = 0; a < letters; ++a) {
      const lang::State x = queue[k], to = machine.step(x, a);
      if (to == lang::kNoState) continue;
      used[a] = true;
      Equation sum = path[x];
      ++sum[a];
      if (path[to].empty()) {
        path[to] = sum;
        queue.push_back(to);
        continue;
      }
      for (std::size_t c = 0; c < letters; ++c) sum[c] -= path[to][c];
      if (!equations.add(std::move(sum))) return {};
    }
  std::vector<Potential> result;
  for (std::size_t free = 0; free < letters; ++free) {
    if (!used[free] || std::find(equations.pivots.begin(), equations.pivots.end(), free) != equations.pivots.end())
      continue;
    std::int64_t scale = 1;
    for (std::size_t k = 0; k < equations.rows.size(); ++k)
      scale = std::lcm(scale, equations.rows[k][equations.pivots[k]]);
    if (scale > kLargestEntry) return {};
    Equation h(letters, 0);
    h[free] = scale;
    for (std::size_t k = 0; k < equations.rows.size(); ++k)
      h[equations.pivots[k]] = -equations.rows[k][free] * (scale / equations.rows[k][equations.pivots[k]]);
    if (!normalise(h)) return {};
    Potential potential{{}, h};
    for (const Equation& row : path)
      potential.of_state.push_back(std::inner_product(row.begin(), row.end(), h.begin(), std::int64_t{0}));
    const auto [least, most] = std::minmax_element(potential.of_state.begin(), potential.of_state.end());
    if (*least != *most) result.push_back(std::move(potential));
  }
  return result;
}

}  // namespace quench::automata
