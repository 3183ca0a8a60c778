// Sums of whole numbers. Every sum of some of the terms lies between the sum of the negative parts and that of the
// positive ones; if all multiples of the terms' common power of two up to there are numbers of the format, no order of
// summation rounds.
#include <algorithm>
#include <cmath>

#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

/// A row as a function of a base.
struct Composition {
  std::shared_ptr<const Base> base;
  std::optional<Curve> curve;
};

Interval times(double w, const Interval& range) { return w * range; }

/// Whether a sum, without its constants, is at most the number of positions up to i, from i on or in all. A number is
/// one less than that; where i − 1 (n − i) is 0, the end decides.
std::optional<Mark::Number> counted_by(const Wholes& state, SparseMatrix::Row row, double scale) {
  for (SparseMatrix::Entry& entry : row) entry.value /= scale;
  std::optional<Mark::Number> counts;
  double more = 0;
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (x.ranges.is_point(x.ranges.all.low)) continue;
    const bool counter = x.bounded_by && w == 1 && !counts;
    if (counter) counts = x.bounded_by;
    more += counter ? x.slack : std::fmax(0, times(w, x.ranges.all).high);
  }
  if (!counts || more > 1) return std::nullopt;
  if (counts == Mark::Number::others) return counts;
  double at_end = 0;
  for (const auto& [column, w] : row) {
    const Ranges& x = state[column].ranges;
    if (!x.is_point(x.all.low)) at_end += times(w, counts == Mark::Number::after ? x.last : x.first).high;
  }
  return at_end <= 1 ? counts : std::nullopt;
}

/// The constants of a row, and its bias.
double constant_part(const Wholes& state, const SparseMatrix::Row& row, double bias) {
  for (const auto& [column, w] : row) {
    const Ranges& x = state[column].ranges;
    if (x.is_point(x.all.low)) bias += w * x.all.low;
  }
  return bias;
}

/// The row as a function of `base`, if its coordinates are functions of it or, together, a multiple of it.
std::optional<Curve> curve_over(const Base& base, const Wholes& state, const SparseMatrix::Row& row, double bias) {
  std::vector<std::pair<int, double>> plain;
  Curve curve = Curve::line(base.ranges.all.low, base.ranges.all.high, 0, constant_part(state, row, bias));
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (x.ranges.is_point(x.ranges.all.low)) continue;
    if (x.curve && x.base->terms == base.terms) {
      Curve part = *x.curve;
      curve += (part *= w);
    } else {
      plain.emplace_back(x.id, w);
    }
  }
  if (plain.empty()) return curve;
  const double factor = plain.front().second / base.terms.front().second;
  if (plain.size() != base.terms.size()) return std::nullopt;
  for (std::size_t k = 0; k < plain.size(); ++k)
    if (plain[k].first != base.terms[k].first || plain[k].second != factor * base.terms[k].second) return std::nullopt;
  curve += Curve::line(curve.low(), curve.high(), factor, 0);
  return curve;
}

/// The row as a function of a base that one of its coordinates is a function of.
Composition composed(const Wholes& state, const SparseMatrix::Row& row, double bias) {
  const Base* tried = nullptr;
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (!x.curve || x.ranges.is_point(x.ranges.all.low) || x.base.get() == tried) continue;
    tried = x.base.get();
    if (std::optional<Curve> curve = curve_over(*x.base, state, row, bias)) return {x.base, std::move(curve)};
  }
  return {};
}

/// What the weights of a row, its constants apart, are multiples of: the first of them, or else ±1.
double scale_of(const Wholes& state, const SparseMatrix::Row& row) {
  double first = 0;
  bool multiples = true;
  for (const auto& [column, w] : row) {
    const Ranges& x = state[column].ranges;
    if (x.is_point(x.all.low)) continue;
    if (first == 0) first = w;
    multiples = multiples && is_integer(w / first);
  }
  return multiples ? first : first < 0 ? -1 : 1;
}

/// The row, without its constants and divided by its scale, as a base of its own.
Composition own_base(const Wholes& state, const SparseMatrix::Row& row, double bias, const Ranges& ranges) {
  const double constant = constant_part(state, row, bias);
  auto own = std::make_shared<Base>();
  const double scale = scale_of(state, row);
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (!x.ranges.is_point(x.ranges.all.low)) own->terms.emplace_back(x.id, w / scale);
  }
  if (own->terms.empty()) return {};
  own->counts = counted_by(state, row, scale);
  const auto shifted = [&](const Interval& range) {
    const double a = (range.low - constant) / scale, b = (range.high - constant) / scale;
    return Interval{std::fmin(a, b), std::fmax(a, b)};
  };
  own->ranges = {shifted(ranges.all), shifted(ranges.first), shifted(ranges.last)};
  return {own, Curve::line(own->ranges.all.low, own->ranges.all.high, scale, constant)};
}

/// What is known of a sum by its terms alone: ranges, and that no order of adding them up rounds.
Sum added_up(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias) {
  Sum sum{Ranges::everywhere({bias, bias}), bias == 0 ? 0 : lowest_bit(bias), nullptr, std::nullopt};
  bool first = bias == 0;
  double positive = std::fmax(0, bias), negative = std::fmax(0, -bias);
  for (const auto& [column, w] : row) {
    require_exact_weight(setting, w, "a projection or W1");
    if (!is_integer(w)) throw NotProved("a weight that is not a whole number", -1);
    const Ranges& x = state[column].ranges;
    const Interval term = times(w, x.all);
    positive += std::fmax(0, term.high);
    negative += std::fmax(0, -term.low);
    sum.ranges.all = sum.ranges.all + term;
    sum.ranges.first = sum.ranges.first + times(w, x.first);
    sum.ranges.last = sum.ranges.last + times(w, x.last);
    sum.grid = first ? lowest_bit(w) : std::min(sum.grid, lowest_bit(w));
    first = false;
  }
  const double greatest = std::fmax(positive, negative);
  if (!(greatest < 0x1p52) || !representable(setting.arithmetic.compute, Upper(greatest), sum.grid))
    throw NotProved("a sum of whole numbers has more bits than the format", -1);
  return sum;
}

void set_function(Sum& sum, std::shared_ptr<const Base> base, std::optional<Curve> curve) {
  sum.base = std::move(base);
  sum.curve = std::move(curve);
  if (!sum.curve) return;
  const Ranges& x = sum.base->ranges;
  sum.ranges = {sum.curve->range(x.all), sum.curve->range(x.first), sum.curve->range(x.last)};
}

}  // namespace

Sum sum_of(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias, Stored stored) {
  Sum sum = added_up(setting, state, row, bias);
  Composition found = composed(state, row, bias);
  if (!found.curve) found = own_base(state, row, bias, sum.ranges);
  set_function(sum, std::move(found.base), std::move(found.curve));
  if (stored == Stored::yes && !representable(setting.arithmetic.storage, Upper(sum.ranges.all.magnitude()), sum.grid))
    throw NotProved("a whole number is not one of the stored format", -1);
  return sum;
}

Sum sum_of(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias, const Sum& other,
           double other_bias) {
  Sum sum = added_up(setting, state, row, bias);
  std::optional<Curve> curve = other.curve;
  if (curve) *curve += bias - other_bias;
  set_function(sum, other.base, std::move(curve));
  return sum;
}

void begin_anew(const Wholes& state, const SparseMatrix::Row& row, double bias, Sum& sum) {
  Composition own = own_base(state, row, bias, sum.ranges);
  set_function(sum, std::move(own.base), std::move(own.curve));
}

int next_id(const Wholes& state) {
  int greatest = -1;
  for (const Whole& value : state) greatest = std::max(greatest, value.id);
  return greatest + 1;
}

}  // namespace quench::certify
