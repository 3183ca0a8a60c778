#include <cmath>
#include <map>

#include "check/soften/enclosure.h"

namespace quench::check {
namespace {

/// One hidden unit on one state.
struct Unit {
  Rational value;       ///< ReLU of the exact sum
  bool linear = false;  ///< surely above 0, so that it carries its argument's error with its sign
  Number error;         ///< of the unit: all of it, or, if it is linear, what rounding adds
  Number size;          ///< of the computed unit; 0 if it is surely 0
};

Unit unit_on(const SparseMatrix::Row& row, double bias, const Rounded& rounded, const State& state,
             const Place& place) {
  Rational sum = dot(row, state) + Rational(bias);
  Number carried, lost = rounded.of_weight(bias) * Number(std::fabs(bias)), size(std::fabs(bias));
  for (const auto& [column, weight] : row) {
    const Number w(std::fabs(weight)), x = state[column].size() + place.errors[column];
    carried += w * place.errors[column];
    lost += rounded.of_weight(weight) * w * x;
    size += w * x;
  }
  lost += rounded.operations(row.size() + 1, size);
  const Number reach = carried + lost, middle = sum.number();
  Unit unit;
  if (middle + reach <= Number(0)) return unit;
  unit.linear = reach <= middle;
  unit.size = max(middle, 0) + reach;
  unit.error = (unit.linear ? lost : reach) + rounded.stored(unit.size);
  if (Rational() < sum) unit.value = std::move(sum);
  return unit;
}

}  // namespace

void feed_forward(const model::FeedForward& ffn, const Rounded& rounded, Place& place, Budget& budget) {
  std::size_t products = place.errors.size();
  for (const SparseMatrix::Row& row : ffn.w1.rows) products += row.size();
  for (const SparseMatrix::Row& row : ffn.w2.rows) products += row.size();
  budget.spend(4 * products * place.states.size());
  const std::size_t width = place.errors.size();
  std::vector<Number> errors(width);
  for (State& state : place.states) {
    std::vector<Unit> units;
    for (std::size_t k = 0; k < ffn.b1.size(); ++k)
      units.push_back(unit_on(ffn.w1.rows[k], ffn.b1[k], rounded, state, place));
    State next = state;
    for (std::size_t c = 0; c < width; ++c) {
      std::map<std::uint32_t, Number> slope;  // of the coordinate after, by those before, where units are linear
      slope[static_cast<std::uint32_t>(c)] = 1;
      const double bias = ffn.b2[c];
      Number error = rounded.of_weight(bias) * Number(std::fabs(bias));
      Number total = Number(std::fabs(bias)) + state[c].size() + place.errors[c];
      for (const auto& [k, weight] : ffn.w2.rows[c]) {
        const Unit& unit = units[k];
        if (unit.size.zero()) continue;
        const Number w(std::fabs(weight));
        error += w * (unit.error + rounded.of_weight(weight) * unit.size);
        total += w * unit.size;
        next[c].add_product(weight, unit.value);
        if (unit.linear)
          for (const auto& [column, inner] : ffn.w1.rows[k]) slope[column] += Number(weight) * Number(inner);
      }
      next[c] += bias;
      for (const auto& [column, steepness] : slope) error += steepness.absolute() * place.errors[column];
      if (!ffn.w2.rows[c].empty() || bias != 0)
        error += rounded.operations(ffn.w2.rows[c].size() + 2, total) + rounded.stored(total);
      errors[c] = max(errors[c], error).top();
    }
    state = std::move(next);
  }
  place.errors = std::move(errors);
  keep_each_once(place.states);
  place.measure();
}

}  // namespace quench::check
