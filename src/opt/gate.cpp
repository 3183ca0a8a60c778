#include "opt/gate.h"

#include <algorithm>
#include <cmath>

#include "base/number/few_bits.h"
#include "ir/affine_sum.h"

namespace quench::opt {
namespace {

using namespace ir;

/// Comparisons have two units or three; what has more would be written down too often.
constexpr std::size_t kMostUnits = 3;
/// Sums of float32 end there.
constexpr double kGreatestSum = 0x1p24;

/// ¬[x ≥ 0] = [−x−1 ≥ 0] is a comparison, too.
std::optional<std::vector<Piecewise::Unit>> opposite(const std::vector<Piecewise::Unit>& units) {
  if (units.size() != 2 || units[0].factor * units[1].factor != -1) return std::nullopt;
  const bool second = units[0].factor < 0;
  const Affine& x = units[!second].x;
  if (units[second].x != x + 1) return std::nullopt;
  return std::vector<Piecewise::Unit>{{-1 * x, 1}, {-1 * x - 1, -1}};
}

const std::vector<Symbol>* tested(const Graph& graph, Literal literal) {
  const auto* in = std::get_if<SymbolIn>(&graph[literal.node]);
  return in ? &in->symbols : nullptr;
}

bool disjoint(const std::vector<Symbol>& a, const std::vector<Symbol>& b) {
  return std::none_of(a.begin(), a.end(), [&](Symbol s) { return std::binary_search(b.begin(), b.end(), s); });
}

/// Whether a literal, which says that the symbol is one of some, implies another test or contradicts it.
bool implies(const Graph& graph, Literal literal, Literal other) {
  const auto *a = tested(graph, literal), *b = tested(graph, other);
  if (!a || !b || literal.negated || literal == other) return false;
  return other.negated ? disjoint(*a, *b) : std::includes(b->begin(), b->end(), a->begin(), a->end());
}
bool contradicts(const Graph& graph, Literal literal, Literal other) {
  const auto *a = tested(graph, literal), *b = tested(graph, other);
  if (!a || !b || literal.negated) return false;
  return other.negated ? std::includes(b->begin(), b->end(), a->begin(), a->end()) : disjoint(*a, *b);
}

/// One has a literal that the other negates.
bool are_opposed(const Cube& a, const Cube& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](Literal literal) { return std::find(b.begin(), b.end(), !literal) != b.end(); });
}

}  // namespace

bool has_symbol(const Graph& graph, const Cube& cube) {
  return std::none_of(cube.begin(), cube.end(), [&](Literal a) {
    return std::any_of(cube.begin(), cube.end(), [&](Literal b) { return contradicts(graph, a, b); });
  });
}

std::vector<Cube> without_idle_tests(const Graph& graph, std::vector<Cube> cubes) {
  std::erase_if(cubes, [&](const Cube& cube) { return !has_symbol(graph, cube); });
  for (Cube& cube : cubes)
    for (std::size_t k = cube.size(); k-- > 0;) {
      const Literal idle = cube[k];
      if (std::none_of(cube.begin(), cube.end(), [&](Literal other) { return implies(graph, other, idle); })) continue;
      Cube rest = cube;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const bool apart = std::all_of(cubes.begin(), cubes.end(),
                                     [&](const Cube& other) { return &other == &cube || are_opposed(rest, other); });
      if (apart) cube = std::move(rest);
    }
  return cubes;
}

bool is_comparison(const Graph& graph, NodeId id) {
  const auto* p = std::get_if<Piecewise>(&graph[id]);
  return graph.joins_comparisons && p && p->boolean && p->units.size() <= kMostUnits && p->rest == Affine();
}

std::optional<std::vector<Piecewise::Unit>> joined(const Graph& graph, Literal comparison,
                                                   const std::vector<Literal>& others) {
  std::optional<std::vector<Piecewise::Unit>> units = std::get<Piecewise>(graph[comparison.node]).units;
  if (comparison.negated) units = opposite(*units);
  if (!units) return std::nullopt;
  Range all{0, 0};
  for (const Piecewise::Unit& unit : *units) {
    const Range range = graph.range(unit.x);
    all = {std::fmin(all.low, range.low), std::fmax(all.high, range.high)};
  }
  const double k = rounded_up_to_bits(std::fmax(1, all.high), 8);  // as many bits as the narrowest half has
  if (!(std::fmax(-all.low, 0) + all.high + k * static_cast<double>(others.size()) <= kGreatestSum))
    return std::nullopt;
  AffineSum gate;
  for (const Literal other : others) gate.add(!other, -k);
  const Affine shift = gate.take();
  for (Piecewise::Unit& unit : *units) unit.x += shift;
  return units;
}

}  // namespace quench::opt
