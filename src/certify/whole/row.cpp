// Sums of whole numbers. Every sum of some of the terms lies between the sum of the negative parts and that of the
// positive ones; if all multiples of the terms' common power of two up to there are numbers of the format, no order of
// summation rounds.
#include <algorithm>
#include <cmath>

#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

/// Where a row has coordinates with curves over one base, and the others are a multiple of that base: the curve.
struct Composition {
  std::shared_ptr<const Base> base;
  std::optional<Curve> curve;
};

Interval times(double w, const Interval& range) { return w * range; }

/// Whether a sum, without its constants, is at most the number of positions up to i, from i on or in all. A number i − 1 (n − i)
/// is one less than that; where it is 0, the end decides.
std::optional<Mark::Number> counted_by(const Wholes& state, const SparseMatrix::Row& row) {
  std::optional<Mark::Number> counts;
  double more = 0;
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (x.ranges.is_point(x.ranges.all.low)) continue;
    const bool counter = x.bounded_by && w == 1 && !counts;
    if (counter) counts = x.bounded_by;
    more += counter ? x.slack : std::fmax(0, times(w, x.ranges.all).high);
  }
  if (!counts || more > (counts == Mark::Number::length ? 0 : 1)) return std::nullopt;
  double at_end = 0;
  for (const auto& [column, w] : row) {
    const Ranges& x = state[column].ranges;
    if (!x.is_point(x.all.low)) at_end += times(w, counts == Mark::Number::after ? x.last : x.first).high;
  }
  return at_end <= 1 ? counts : std::nullopt;
}

/// The row's plain part as a base of its own, or as a multiple of the base that the curves in it have.
Composition composition(const Wholes& state, const SparseMatrix::Row& row, double bias, const Ranges& ranges) {
  std::shared_ptr<const Base> base;
  std::vector<std::pair<int, double>> plain;
  double constant = bias;
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (x.ranges.is_point(x.ranges.all.low)) {
      constant += w * x.ranges.all.low;
    } else if (!x.curve) {
      plain.emplace_back(x.id, w);
    } else {
      if (base && base != x.base && base->terms != x.base->terms) return {};
      base = x.base;
    }
  }
  if (!base && plain.empty()) return {};
  if (!base) {
    const double sign = plain.front().second < 0 ? -1 : 1;
    auto own = std::make_shared<Base>();
    own->counts = counted_by(state, row);
    for (auto& [id, w] : plain) own->terms.emplace_back(id, sign * w);
    const auto shifted = [&](const Interval& range) {
      const Interval centred{range.low - constant, range.high - constant};
      return sign > 0 ? centred : Interval{-centred.high, -centred.low};
    };
    own->ranges = {shifted(ranges.all), shifted(ranges.first), shifted(ranges.last)};
    return {own, Curve::line(own->ranges.all.low, own->ranges.all.high, sign, constant)};
  }
  double factor = 0;
  if (!plain.empty()) {
    factor = plain.front().second / base->terms.front().second;
    if (plain.size() != base->terms.size()) return {};
    for (std::size_t k = 0; k < plain.size(); ++k)
      if (plain[k].first != base->terms[k].first || plain[k].second != factor * base->terms[k].second) return {};
  }
  Curve curve = Curve::line(base->ranges.all.low, base->ranges.all.high, factor, constant);
  for (const auto& [column, w] : row) {
    const Whole& x = state[column];
    if (!x.curve || x.ranges.is_point(x.ranges.all.low)) continue;
    Curve part = *x.curve;
    curve += (part *= w);
  }
  return {base, curve};
}

}  // namespace

Sum sum_of(const Setting& setting, const Wholes& state, const SparseMatrix::Row& row, double bias, Stored stored) {
  Sum sum{Ranges::everywhere({bias, bias}), bias == 0 ? 0 : lowest_bit(bias), nullptr, std::nullopt};
  bool first = bias == 0;
  double positive = std::fmax(0, bias), negative = std::fmax(0, -bias);
  for (const auto& [column, w] : row) {
    require_exact_weight(setting, w, "a projection or W1");
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
  Composition found = composition(state, row, bias, sum.ranges);
  if (found.curve) {
    sum.base = found.base;
    sum.curve = std::move(found.curve);
    sum.ranges = {sum.curve->range(sum.base->ranges.all), sum.curve->range(sum.base->ranges.first),
                  sum.curve->range(sum.base->ranges.last)};
  }
  if (stored == Stored::yes &&
      !representable(setting.arithmetic.storage, Upper(sum.ranges.all.magnitude()), sum.grid))
    throw NotProved("a whole number is not one of the stored format", -1);
  return sum;
}

int next_id(const Wholes& state) {
  int greatest = -1;
  for (const Whole& value : state) greatest = std::max(greatest, value.id);
  return greatest + 1;
}

}  // namespace quench::certify
