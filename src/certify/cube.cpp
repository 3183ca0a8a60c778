#include "certify/cube.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "certify/normalised/reads.h"

namespace quench::certify {
namespace {

using outward::kInfinity;

/// The ideal sums for which a ramp is on: whether all are integers plus one of few numbers, the least of them, and the
/// power of two they are multiples of.
struct OnSide {
  bool points = true;
  double least = kInfinity;
  long grid = 0;
};

/// {off possible, on possible}; throws if an ideal value plus error can fall strictly between the thresholds.
Interval separate(const RowSum::PerClass& ideal, double error, double from, double to, int origin, OnSide& on_side) {
  bool off = false, on = false;
  // Steps of 1 are none beyond 2^53.
  if (!(ideal.integers.magnitude() < 0x1p53)) throw NotProved("what is rounded is too large", origin);
  for (const Interval& part : ideal.rest) {
    const double low = std::fmax(Outward::add_down(part.low, -error), ideal.computed_rest.low);
    const double high = std::fmin(Outward::add_up(part.high, error), ideal.computed_rest.high);
    // z + high ≤ from is off for all smaller z, too; z + low ≥ to is on for all greater z.
    double z = std::fmax(ideal.integers.low, std::fmin(std::floor(from - high) - 2, ideal.integers.high));
    if (z > ideal.integers.low) off = true;
    for (; z <= ideal.integers.high && Outward::add_up(z, high) <= from; ++z) off = true;
    if (z > ideal.integers.high) continue;
    if (!(Outward::add_down(z, low) >= to))
      throw NotProved("the error of what is rounded reaches the threshold", origin);
    on = true;
    on_side.points = on_side.points && part.is_point();
    on_side.least = std::fmin(on_side.least, Outward::add_down(z, part.low));
    if (part.low != 0) on_side.grid = std::min(on_side.grid, lowest_bit(part.low));
    if (z > ideal.integers.low) off = true;
  }
  if (!off && !on) throw NotProved("what is rounded is not a number", origin);
  return {off ? 0.0 : 1.0, on ? 1.0 : 0.0};
}

/// What subtracting a threshold and storing the result can add, on the side where the ramp is on.
class RampRounding {
 public:
  RampRounding(const Setting& setting, const State& state, const SparseMatrix::Row& row, const RowSum& sum, double to,
               const OnSide& on_side)
      : storage_(setting.arithmetic.storage),
        compute_(setting.arithmetic.compute),
        narrower_(setting.stores_narrower()),
        sum_(sum),
        on_side_(on_side),
        exact_(sum.on_grid),
        grid_(sum.grid) {
    if (!exact_ && narrower_) single_inexact(state, row, to);
  }

  Upper error(double threshold) const {
    Upper size = sum_.magnitude;  // of t − threshold, where t ≥ threshold
    arf_sub(size.get(), size.get(), Upper(threshold).get(), 64, ARF_RND_UP);
    const long bits = threshold == 0 ? 0 : lowest_bit(threshold);
    const bool on_spacing =
        threshold == 0 || (threshold > 0 && bits >= sum_.magnitude.ceil_log2() - compute_.precision);
    Upper result;
    const bool gridded = exact_ && representable(compute_, size, std::min(grid_, bits));
    if (!on_spacing && !gridded) result += bounds::rounding_error(compute_, size);
    if (narrower_ && !(exact_ && representable(storage_, size, std::min(grid_, bits)))) {
      if (snaps(threshold, sum_.error + result)) return {};
      result += bounds::rounding_error(storage_, size);
    }
    return result;
  }

 private:
  /// Whether storing t − threshold gives the ideal number: that is one of the format, and what is stored is nearer to
  /// it than half the spacing there.
  bool snaps(double threshold, const Upper& error) const {
    const double least = Outward::add_down(on_side_.least, -threshold);
    if (!on_side_.points || !(least > 0) || !std::isfinite(least)) return false;
    const long grid = threshold == 0 ? on_side_.grid : std::min(on_side_.grid, lowest_bit(threshold));
    Upper greatest = sum_.magnitude;
    arf_sub(greatest.get(), greatest.get(), Upper(threshold).get(), 64, ARF_RND_UP);
    int exponent;
    std::frexp(least, &exponent);  // least ≥ 2^{exponent−1}
    return representable(storage_, greatest, grid) && error < bounds::power_of_two(exponent - 2 - storage_.precision);
  }

  /// One inexact coordinate x̂ with a weight 2^k, the rest exact: where the ramp is on, x̂ ≥ least > 0 is a stored
  /// number, hence a multiple of the spacing at `least`; so is the sum, which is then formed without rounding.
  void single_inexact(const State& state, const SparseMatrix::Row& row, double to) {
    double others = 0, weight = 0;
    long grid = 0;
    for (const auto& [column, w] : row) {
      const Value& x = state[column];
      if (x.exact()) {
        others = Outward::add_up(others, (w * x.all()).high);
        grid = std::min(grid, x.grid + lowest_bit(w));
      } else if (weight != 0) {
        return;
      } else {
        weight = w;
      }
    }
    int exponent;
    const double least = Outward::add_down(to, -others) / weight;
    if (!(weight > 0) || std::frexp(weight, &exponent) != 0.5 || !(least > 0x1p-20)) return;
    std::frexp(least, &exponent);  // least ≥ 2^{exponent−1}
    grid_ = std::min(grid, exponent - storage_.precision + lowest_bit(weight));
    exact_ = representable(compute_, sum_.magnitude, grid_);
  }

  const FloatFormat &storage_, &compute_;
  bool narrower_;
  const RowSum& sum_;
  const OnSide& on_side_;
  bool exact_;
  long grid_;
};

/// +1 if the cube can be on only with the coordinate at the top of its ideal values, −1 at the bottom, 0 if neither.
int needs(const State& state, const Cube& cube, std::size_t c, const SparseMatrix::Entry& entry) {
  const Set& set = state[entry.column].ideal[c];
  Interval top = set.parts.back(), bottom = set.parts.front();
  if (set.integral && set.parts.size() == 1 && top.high == top.low + 1)
    top.low = top.high, bottom.high = bottom.low;
  else if (set.parts.size() == 1)
    return 0;
  // How much the sum loses at least when the coordinate is not at the needed end.
  const double next = set.parts.size() == 1 ? bottom.high : set.parts[set.parts.size() - 2].high;
  const double after = set.parts.size() == 1 ? top.low : set.parts[1].low;
  const double w = entry.value;
  const Interval loss = w > 0 ? w * Interval{Outward::add_down(top.high, -next), top.high}
                              : -w * Interval{Outward::add_down(after, -bottom.low), top.high};
  return Outward::add_up(cube.most[c], -loss.low) <= cube.from ? (w > 0 ? 1 : -1) : 0;
}

/// The two rows are k + t and k′ − t, k and k′ from coordinates that are fixed at positions of class c. Then k + t >
/// from and k′ − t > from′ cannot both be if from + from′ ≥ k + k′.
bool opposite(const State& state, const Cube& a, const Cube& b, std::size_t c) {
  double constant = 0;
  const auto varying = [&](const Cube& cube) {
    SparseMatrix::Row row;
    for (const SparseMatrix::Entry& entry : *cube.row) {
      const Interval all = state[entry.column].ideal[c].all();
      if (all.is_point())
        constant = Outward::add_up(constant, (entry.value * all).high);
      else
        row.push_back(entry);
    }
    return row;
  };
  const SparseMatrix::Row x = varying(a), y = varying(b);
  return Outward::add_down(a.from, b.from) >= constant &&
         std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const auto& p, const auto& q) { return p.column == q.column && p.value == -q.value; });
}

bool exclude(const State& state, const Cube& a, const Cube& b, std::size_t c) {
  if (opposite(state, a, b, c)) return true;
  auto y = b.row->begin();
  for (const SparseMatrix::Entry& x : *a.row) {
    while (y != b.row->end() && y->column < x.column) ++y;
    if (y == b.row->end()) return false;
    if (y->column == x.column && needs(state, a, c, x) * needs(state, b, c, *y) < 0) return true;
  }
  return false;
}

}  // namespace

Cube make_unit(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias, double weight) {
  const RowSum sum = row_sum(setting, state, row, bias);
  Cube cube{&row, -bias, -bias, weight, false, {}, {}, {}, 1, heaviest_origin(state, row)};
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    const Interval all = sum.ideal[c].all();
    const std::vector<Interval>& rest = sum.ideal[c].rest;
    if (rest.size() != 1 || !rest[0].is_point() || !is_integer(rest[0].low))
      throw NotProved("a hidden unit that is neither a conjunction nor a ramp", cube.origin);
    cube.on[c] = {std::fmax(all.low, 0), std::fmax(all.high, 0)};
    cube.most[c] = Outward::add_up(all.high, -bias);
    cube.greatest = std::fmax(cube.greatest, cube.on[c].high);
  }
  cube.error = Upper(std::fabs(weight)) * sum.error;
  if (setting.layer_norm)
    cube.error += Upper(std::fabs(weight)) * reader_noise(state, row, bias, bounds::unit_roundoff(setting.arithmetic.compute));
  if (!sum.exact && setting.stores_narrower())
    cube.error += Upper(std::fabs(weight)) * bounds::rounding_error(setting.arithmetic.storage, sum.magnitude);
  return cube;
}

Cube make_ramp(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias1, double bias2,
               double weight) {
  const double from = -std::fmax(bias1, bias2), to = -std::fmin(bias1, bias2);
  const double signed_weight = bias1 > bias2 ? weight : -weight;
  const RowSum sum = row_sum(setting, state, row, 0);
  Cube cube{&row, from, to, signed_weight * (to - from), true, {}, {}, {}, 1, heaviest_origin(state, row)};
  int exponent;
  if (std::fabs(cube.factor) != 1 || std::fabs(std::frexp(weight, &exponent)) != 0.5)
    throw NotProved("a ramp that does not rise by 1", cube.origin);
  const double error = sum.error.to_double();
  if (!(error < 0x1p40)) throw NotProved("the error of what is rounded is too large", cube.origin);
  const bool special = has_exact_classes(state, row);
  OnSide on_side;
  Upper leak;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    if (setting.layer_norm) {  // a slope of |weight| passes on what leaks over a threshold
      try {
        cube.on[c] = separate(sum.ideal[c], error, from, to, cube.origin, on_side);
      } catch (const NotProved&) {
        cube.on[c] = separate(sum.ideal[c], 0, from, to, cube.origin, on_side);
        leak = Upper(std::fabs(weight)) * sum.error;
      }
    } else if (special) {
      const RowSum here = row_sum_in_class(setting, state, row, 0, c);
      cube.on[c] = separate(here.ideal[c], here.error.to_double(), from, to, cube.origin, on_side);
    } else {
      cube.on[c] = separate(sum.ideal[c], error, from, to, cube.origin, on_side);
    }
    cube.most[c] = sum.ideal[c].all().high;
  }
  const RampRounding rounding(setting, state, row, sum, to, on_side);
  cube.error = Upper(std::fabs(weight)) * (rounding.error(from) + rounding.error(to)) + leak;
  if (setting.layer_norm) {
    const Upper u = bounds::unit_roundoff(setting.arithmetic.compute);
    cube.error += Upper(std::fabs(weight)) * (reader_noise(state, row, bias1, u) + reader_noise(state, row, bias2, u));
  }
  cube.greatest = (Upper(std::fabs(weight)) * (sum.magnitude + Upper(std::fabs(from)))).to_double();
  return cube;
}

/// Ideal sums are small dyadic numbers, exact in double.
std::optional<LocalFunction> local_function(const State& state, const std::vector<Cube>& cubes, double b2,
                                            std::size_t position_class) {
  std::map<int, std::uint32_t> variables;  // id → column
  for (const Cube& cube : cubes)
    for (const SparseMatrix::Entry& entry : *cube.row) {
      const Value& x = state[entry.column];
      const Interval all = x.ideal[position_class].all();
      if (all.is_point()) continue;
      if (!x.ideal[position_class].integral || !(all == Interval{0, 1})) return std::nullopt;
      variables[x.id] = entry.column;
    }
  if (variables.size() > kMostVariables) return std::nullopt;
  LocalFunction result{{}, std::vector<std::uint8_t>(std::size_t{1} << variables.size())};
  std::map<std::uint32_t, std::size_t> place;  // column → bit
  for (const auto& [id, column] : variables) {
    place[column] = result.of.size();
    result.of.push_back(id);
  }
  for (std::size_t index = 0; index < result.table.size(); ++index) {
    double total = b2;
    for (const Cube& cube : cubes) {
      double sum = 0;
      for (const SparseMatrix::Entry& entry : *cube.row) {
        const auto found = place.find(entry.column);
        const double x = found == place.end() ? state[entry.column].ideal[position_class].all().low
                                              : static_cast<double>(index >> found->second & 1);
        sum += entry.value * x;
      }
      if (cube.is_ramp && sum > cube.from && sum < cube.to) return std::nullopt;  // never, but values may depend
      total += cube.factor * (cube.is_ramp ? (sum >= cube.to ? 1 : 0) : std::fmax(sum - cube.from, 0));
    }
    if (total != 0 && total != 1) return std::nullopt;
    result.table[index] = total == 1 ? 1 : 0;
  }
  return reduced(std::move(result));
}

bool mutually_exclusive(const State& state, const std::vector<Cube>& cubes, std::size_t position_class) {
  for (std::size_t a = 0; a < cubes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      if (cubes[a].on[position_class].high == 0 || cubes[b].on[position_class].high == 0) continue;
      if (!exclude(state, cubes[a], cubes[b], position_class)) return false;
    }
  return true;
}

}  // namespace quench::certify
