// Rows of weights over coordinates: Σ w·x + b, the common step of projections and hidden units.
//
// Ideal values. A term w·x is an integer part plus a rest: integral x with integral w adds to the integers; two points
// a < b with w(b−a) integral are w·a plus an integer from {0, w(b−a)}; anything else adds its intervals to the rest.
//
// Errors. Products by powers of two are exact. A partial sum is exact as long as all its terms are multiples of some
// 2^g and it stays below 2^{p+g}; every other operation adds the rounding error at the magnitude it can reach: that of
// the ideal sum with its error, or what the computed terms allow (½ + ½·i/n is never computed above 1).
#include <algorithm>
#include <cmath>

#include "base/number/rounding.h"
#include "certify/proof.h"

namespace quench::certify {
namespace {

constexpr std::size_t kMaxParts = 32;  // more are replaced by their hull

/// Comparisons and hulls below rest on it. Weights that a compiler made stay far from the ends of double.
void require_finite(Interval x) {
  if (!std::isfinite(x.low) || !std::isfinite(x.high)) throw NotProved("a sum leaves the range of double", -1);
}

void add_rest(std::vector<Interval>& rest, double w, const std::vector<Interval>& parts) {
  if (parts.size() == 1) {
    for (Interval& interval : rest) {
      interval = interval + w * parts[0];
      require_finite(interval);
    }
    return;
  }
  std::vector<Interval> sums;
  for (const Interval& a : rest)
    for (const Interval& b : parts) {
      sums.push_back(a + w * b);
      require_finite(sums.back());
    }
  if (sums.size() > kMaxParts) {
    Interval whole = sums[0];
    for (const Interval& interval : sums) whole = hull(whole, interval);
    sums.assign(1, whole);
  }
  // Sums that overlap are one: m equal Booleans have m+1 sums, not 2^m.
  std::sort(sums.begin(), sums.end(), [](Interval a, Interval b) { return a.low < b.low; });
  rest.assign(1, sums[0]);
  for (const Interval& interval : sums)
    if (interval.low <= rest.back().high)
      rest.back().high = std::fmax(rest.back().high, interval.high);
    else
      rest.push_back(interval);
}

void bound_rest(RowSum::PerClass& sum, double w, Interval computed) {
  sum.computed_rest = sum.computed_rest + w * computed;  // an end may be infinite
}

void add_term(RowSum::PerClass& sum, double w, const Value& value, std::size_t c) {
  const Set& x = value.ideal[c];
  const Interval unknown{-outward::kInfinity, outward::kInfinity};
  if (value.quiet && !value.exact() && x.integral && x.parts.size() == 1 && x.parts[0].low == 0 &&
      x.parts[0].high <= 1) {
    // Exactly 0, or 1 with its error: the error is part of what is added, not of what is added to it.
    const double e = value.error.to_double();
    bound_rest(sum, w, {0, outward::kInfinity});
    if (x.parts[0].high == 1) add_rest(sum.rest, w, {{0, 0}, {Outward::add_down(1, -e), Outward::add_up(1, e)}});
    return;
  }
  if (x.integral && is_integer(w)) {
    sum.integers = sum.integers + w * x.all();
    require_finite(sum.integers);
    if (!value.exact()) bound_rest(sum, w, unknown);
    return;
  }
  const bool two_points = (x.parts.size() == 2 && x.parts[0].is_point() && x.parts[1].is_point()) ||
                          (x.integral && x.parts.size() == 1 && x.parts[0].high == x.parts[0].low + 1);
  if (two_points) {
    const double low = x.all().low, width = x.all().high - low, step = w * width;
    if (is_integer(step) && outward::product_error(w, width, step, 1) == 0) {
      sum.integers = sum.integers + Interval{std::fmin(step, 0), std::fmax(step, 0)};
      add_rest(sum.rest, w, {{low, low}});
      bound_rest(sum, w, value.exact() ? Interval{low, low} : unknown);
      return;
    }
  }
  bound_rest(sum, w, value.exact() ? x.all() : value.not_negative ? Interval{0, value.cap} : unknown);
  add_rest(sum.rest, w, x.parts);
}

bool is_power_of_two(double w) {
  int exponent;
  return std::fabs(std::frexp(w, &exponent)) == 0.5;
}

/// Between which numbers the computed value lies.
Interval computed_range(const Value& x) {
  const double e = x.error.to_double();
  Interval result;
  for (std::size_t c = 0; c < kClasses; ++c) {
    Interval here = x.ideal[c].all();
    if (!x.exact() && (x.exact_classes >> c & 1U) == 0) {
      here = here + Interval{-e, e};
      here.high = std::fmin(here.high, x.cap);
      if (x.not_negative) here.low = std::fmax(here.low, 0);
    }
    result = c == 0 ? here : hull(result, here);
  }
  return result;
}

/// Left to right: the running sum, its interval and its error.
class Accumulator {
 public:
  Accumulator(const FloatFormat& format, RowSum& sum) : format_(format), sum_(sum) {}

  void add(double w, const Value& x) {
    Interval term = w * x.all();
    Upper error = Upper(std::fabs(w)) * x.error;
    const Upper size = Upper(term.magnitude()) + error;
    const long grid = x.grid + lowest_bit(w);
    const bool gridded = (x.exact() || x.on_grid) && representable(format_, size, grid);
    if (!gridded) {
      if (!is_power_of_two(w)) error += bounds::rounding_error(format_, size);
      if (std::fabs(w) < 1) error += bounds::power_of_two(format_.min_exponent - format_.precision);
    }
    if (x.quiet && !x.exact()) {  // its own error is in the ideal values (add_term), what rounding added is not
      const double e = error.to_double();
      term = term + Interval{-e, e};
      Upper rounding = error;
      const Upper own = Upper(std::fabs(w)) * x.error;
      arf_sub(rounding.get(), error.get(), own.get(), 64, ARF_RND_UP);
      error = rounding;
    }
    combine(term, rounded(w * computed_range(x)), error, grid, gridded, x.exact());
  }
  void add_bias(double b) {
    if (b != 0) combine({b, b}, {b, b}, {}, lowest_bit(b), true, true);
  }

 private:
  /// Rounding is monotone: numbers of the format bound what they bounded before.
  Interval rounded(Interval x) const {
    const auto outward = [&](double end, double sign) {
      if (!std::isfinite(end) || round_to(format_, end) == end) return end;
      const double step = bounds::rounding_error(format_, Upper(std::fabs(end))).to_double();
      return sign > 0 ? Outward::add_up(end, step) : Outward::add_down(end, -step);
    };
    return {outward(x.low, -1), outward(x.high, 1)};
  }

  void combine(Interval term, Interval computed, const Upper& error, long grid, bool gridded, bool exact) {
    sum_.grid = first_ ? grid : std::min(sum_.grid, grid);
    partial_ = first_ ? term : partial_ + term;
    computed_ = first_ ? computed : computed_ + computed;
    require_finite(partial_);
    if (std::isnan(computed_.low)) computed_.low = -outward::kInfinity;
    if (std::isnan(computed_.high)) computed_.high = outward::kInfinity;
    sum_.error += error;
    const Upper reach(computed_.magnitude());
    const Upper size = bounds::min(Upper(partial_.magnitude()) + sum_.error, reach);
    sum_.on_grid = sum_.on_grid && gridded && representable(format_, size, sum_.grid);
    sum_.exact = sum_.exact && exact && sum_.on_grid;
    if (!first_ && !sum_.on_grid) sum_.error += bounds::rounding_error(format_, size);
    computed_ = rounded(computed_);
    const Upper after = bounds::min(Upper(partial_.magnitude()) + sum_.error, Upper(computed_.magnitude()));
    sum_.magnitude = bounds::max(sum_.magnitude, after);
    first_ = false;
  }

  const FloatFormat& format_;
  RowSum& sum_;
  Interval partial_, computed_;
  bool first_ = true;
};

}  // namespace

long lowest_bit(double x) {
  int exponent;
  const double mantissa = std::fabs(std::frexp(x, &exponent));  // in [½, 1)
  const auto bits = static_cast<std::uint64_t>(std::ldexp(mantissa, 53));
  return exponent - 53 + std::countr_zero(bits);
}

int power_exponent(double n) {
  int exponent;
  const double mantissa = std::frexp(n, &exponent);  // n = mantissa·2^exponent, mantissa in [½, 1)
  return mantissa == 0.5 ? exponent - 1 : exponent;
}

bool representable(const FloatFormat& format, const Upper& magnitude, long grid) {
  return grid >= format.min_exponent - format.precision + 1 && magnitude <= Upper(format.max_finite) &&
         magnitude <= bounds::power_of_two(format.precision + grid);
}

Interval RowSum::PerClass::all() const {
  Interval whole = rest[0];
  for (const Interval& interval : rest) whole = hull(whole, interval);
  return whole + integers;
}

RowSum row_sum(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias) {
  RowSum sum;
  Accumulator accumulator(setting.arithmetic.compute, sum);
  for (RowSum::PerClass& ideal : sum.ideal) ideal.rest.assign(1, Interval{bias, bias});
  for (const auto& [column, w] : row) {
    const Value& x = state[column];
    for (std::size_t c = 0; c < kClasses; ++c) add_term(sum.ideal[c], w, x, c);
    accumulator.add(w, x);
  }
  accumulator.add_bias(bias);
  // The bounds of computed rests pass through sums unrounded only if they are multiples of 1/8 of moderate size.
  for (RowSum::PerClass& ideal : sum.ideal) {
    Interval& rest = ideal.computed_rest;
    rest = rest + Interval{bias, bias};
    const bool moderate = representable(setting.arithmetic.compute, Upper(2) * sum.magnitude, -3);
    if (!moderate || !is_integer(8 * rest.low)) rest.low = -outward::kInfinity;
    if (!moderate || !is_integer(8 * rest.high)) rest.high = outward::kInfinity;
  }
  return sum;
}

bool has_exact_classes(const State& state, const SparseMatrix::Row& row) {
  for (const auto& [column, w] : row)
    if (state[column].exact_classes != 0) return true;
  return false;
}

RowSum row_sum_in_class(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias,
                        std::size_t position_class) {
  State local;
  SparseMatrix::Row renumbered;
  for (const auto& [column, w] : row) {
    Value x = state[column];
    const bool exact = (x.exact_classes >> position_class & 1U) != 0;
    if (exact) x.error = {}, x.grid = 0;
    x.ideal.fill(Set(x.ideal[position_class]));
    renumbered.push_back({static_cast<std::uint32_t>(local.size()), w});
    local.push_back(std::move(x));
  }
  return row_sum(setting, local, renumbered, bias);
}

Value stored(const Setting& setting, const RowSum& sum) {
  Value value;
  for (std::size_t c = 0; c < kClasses; ++c) {
    const RowSum::PerClass& ideal = sum.ideal[c];
    const bool point = ideal.rest.size() == 1 && ideal.rest[0].is_point();
    const Interval all = ideal.all();
    if (point && is_integer(ideal.rest[0].low))
      value.ideal[c] = Set::integers(all.low, all.high);
    else if (ideal.integers.is_point()) {
      value.ideal[c] = {false, {}};
      for (const Interval& part : ideal.rest) value.ideal[c].parts.push_back(part + ideal.integers);
    } else
      value.ideal[c] = Set::range(all.low, all.high);
  }
  value.error = sum.error;
  value.grid = static_cast<int>(sum.grid);
  const FloatFormat& storage = setting.arithmetic.storage;
  if (setting.stores_narrower() && !(sum.exact && representable(storage, sum.magnitude, sum.grid)))
    value.error += bounds::rounding_error(storage, sum.magnitude);
  if (!value.error.is_finite()) throw NotProved("a projection exceeds the range of the format", -1);
  value.not_negative = Upper(0) + value.error <= Upper(std::fmax(value.all().low, 0));
  return value;
}

void add_to(const Setting& setting, const Value& before, Value& value) {
  if (before.exact()) return;
  Upper extra = before.error;
  const Upper size = Upper(value.all().magnitude()) + value.error + extra;
  extra += bounds::rounding_error(setting.arithmetic.compute, size);
  extra += bounds::rounding_error(setting.arithmetic.storage, size + extra);
  value.error += extra;
  value.additive += extra;
  value.exact_classes = 0;
  value.quiet = value.on_grid = false;
  value.cap = outward::kInfinity;
  value.not_negative = false;
  if (value.origin < 0) value.origin = before.origin;
}

int fresh_id(const State& state) {
  int id = 0;
  for (const Value& value : state) id = std::max(id, value.id + 1);
  return id;
}

int heaviest_origin(const State& state, const SparseMatrix::Row& row) {
  Upper heaviest;
  int origin = -1;
  for (const auto& [column, w] : row) {
    const Upper weight = Upper(std::fabs(w)) * state[column].error;
    if (heaviest < weight) heaviest = weight, origin = state[column].origin;
  }
  return origin;
}

void require_exact_weight(const Setting& setting, double weight, const char* where) {
  if (round_to(setting.arithmetic.storage, weight) != weight)
    throw NotProved("a weight of " + std::string(where) + " is not a number of the format", -1);
}

}  // namespace quench::certify
