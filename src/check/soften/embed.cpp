#include <algorithm>
#include <cmath>

#include "check/soften/enclosure.h"
#include "model/position.h"

namespace quench::check {
namespace {

using Kind = PositionFormula::Kind;
constexpr std::size_t kMostStates = 2000;  // at one position

/// A position encoding, exactly.
Rational encoded(const PositionFormula& formula, std::size_t i, std::size_t n) {
  switch (formula.kind) {
    case Kind::index_over_length:
      return Rational::quotient(i, n);
    case Kind::index_over_length_sq:
      return Rational::quotient(i * i, n * n);
    case Kind::inverse_index:
      return Rational::quotient(1, i);
    case Kind::inverse_remaining:
      return Rational::quotient(1, n - i + 1);
    case Kind::inverse_length:
      return Rational::quotient(1, n);
    case Kind::log_index:
    case Kind::log_remaining:
      throw Rejected("logarithms are no fractions, so ties cannot be decided");
    default:  // whole numbers, quotients by powers of two, tables, 0 and 1
      return model::position_value(formula, i, n);
  }
}

/// What is added up to one coordinate, part by part.
struct Parts {
  Rational value;
  Number error, size;
  std::size_t count = 0;

  void add(const Rational& part, const Number& off) {
    if (part.zero()) return;
    value += part;
    error += off;
    size += part.size();
    ++count;
  }
};

/// Values are rounded to double, then to storage.
Number encoding_error(const Rounded& rounded, const Rational& exact, double computed) {
  if (exact == Rational(computed) && rounded.holds(computed)) return {};
  return exact.size() * (Number::two_to(-52) + Number(1.01) * Number::two_to(-rounded.precision())) + rounded.tiny();
}

}  // namespace

Rational dot(const SparseMatrix::Row& row, const State& state) {
  Rational total;
  for (const auto& [column, weight] : row)
    if (!state[column].zero()) total.add_product(weight, state[column]);
  return total;
}

bool is_one_power_of_two(const SparseMatrix::Row& row) { return row.size() == 1 && power_of_two(row[0].value); }

void keep_each_once(std::vector<State>& states) {
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  if (states.size() > kMostStates) throw Undecided("there are too many vectors at a position");
}

void Place::measure() {
  sizes.assign(errors.size(), Number());
  for (const State& state : states)
    for (std::size_t c = 0; c < sizes.size(); ++c) sizes[c] = max(sizes[c], state[c].size()).top();
}

std::vector<Place> embed(const model::Transformer& model, const Rounded& rounded, const Letters& letters) {
  const std::size_t n = letters.size();
  std::vector<Place> places(n);
  for (std::size_t i = 1; i <= n; ++i) {
    Place& place = places[i - 1];
    place.errors.assign(model.width, Number());
    for (const std::size_t letter : letters[i - 1]) {
      std::vector<Parts> parts(model.width);
      for (const auto& [column, weight] : model.embedding.rows[letter])
        parts[column].add(weight, rounded.of_weight(weight) * Number(std::fabs(weight)));
      for (const auto& [coordinate, formula] : model.position_encodings) {
        const Rational exact = encoded(formula, i, n);
        parts[coordinate].add(exact, encoding_error(rounded, exact, model::position_value(formula, i, n)));
      }
      State& state = place.states.emplace_back();
      for (std::size_t c = 0; c < model.width; ++c) {
        Number error = parts[c].error;
        if (parts[c].count > 1) {
          const Number size = parts[c].size + error;
          error += Number(static_cast<double>(parts[c].count)) * (rounded.operations(1, size) + rounded.stored(size));
        }
        place.errors[c] = max(place.errors[c], error).top();
        state.push_back(std::move(parts[c].value));
      }
    }
    keep_each_once(place.states);
    place.measure();
  }
  return places;
}

}  // namespace quench::check
