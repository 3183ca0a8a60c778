// Hidden units ReLU(Σ w·x + b) of whole numbers, and what W2 makes of them. Nothing rounds, by row.cpp; what remains is
// to bound the results well:
//   units whose arguments are functions of one sum make up a function of that sum: a curve, whose range is exact;
//   functions of several sums, no two of which have positive units at once, have the range of one of them: of two units
//   one is 0 if their arguments add up to at most 1, or if both ask one Boolean, the one for 1 and the other for 0.
//   two units that hold a number between a constant and a position are bounded by it.
// Subtracting what a coordinate holds from itself is the function 0 of that coordinate.
//
// What many units make of a function with many knots would have as many again for each of them: there the argument is
// taken for a number of its own, of which no more is known than its range. Addresses of counts have to remain functions
// of them ([Q-theta]), so where there are any, more is looked at.
#include <algorithm>
#include <cmath>
#include <map>

#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

// Knots of all units that read one row.
constexpr std::size_t kMostKnots = std::size_t{1} << 16, kMostKnotsOfAddresses = std::size_t{1} << 18;

bool has_addresses_of_counts(const model::Transformer& model) {
  return std::ranges::any_of(model.layers, [](const model::Layer& layer) {
    return std::ranges::any_of(layer.heads,
                               [](const model::Head& head) { return head.claim.lemma.value() == Lemma::q_theta; });
  });
}

class WholeFeedForward {
 public:
  WholeFeedForward(const Setting& setting, const model::FeedForward& ffn, const Wholes& before)
      : setting_(setting),
        ffn_(ffn),
        before_(before),
        most_knots_(has_addresses_of_counts(setting.model()) ? kMostKnotsOfAddresses : kMostKnots) {
    for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
      require_exact_weight(setting, ffn.b1[unit], "b1");
      arguments_.push_back(argument(unit));
      const Sum& z = arguments_.back();
      if (z.grid < 0) throw NotProved("a hidden unit is not a whole number", -1);
      if (!representable(setting.arithmetic.storage, Upper(std::fmax(0, z.ranges.all.high)), z.grid))
        throw NotProved("a hidden unit has more bits than the format", -1);
    }
  }

  Whole target(std::size_t coordinate) const {
    const SparseMatrix::Row& units = ffn_.w2.rows[coordinate];
    const double constant = ffn_.b2[coordinate];
    require_exact(units, constant);
    const Whole& old = before_[coordinate];
    Whole result;
    if (const std::optional<Sum> whole = as_curve(coordinate, units, constant)) {
      result.ranges = whole->ranges;
      result.base = whole->base;
      result.curve = whole->curve;
    } else {
      const double there = old.ranges.all.low;
      if (!old.ranges.is_point(there)) throw NotProved("a feed-forward sublayer writes to a coordinate in use", -1);
      const double sum = constant + there;
      if (!hold_within(units, sum, result)) result.ranges = ranges(units, sum);
    }
    if (!representable(setting_.arithmetic.storage, Upper(result.ranges.all.magnitude()), 0))
      throw NotProved("a feed-forward result has more bits than the format", -1);
    return result;
  }

 private:
  /// Units that read one row follow each other, with different biases.
  Sum argument(std::size_t unit) const {
    const SparseMatrix::Row& row = ffn_.w1.rows[unit];
    const double bias = ffn_.b1[unit];
    if (unit > 0 && row == ffn_.w1.rows[unit - 1])
      return sum_of(setting_, before_, row, bias, arguments_[unit - 1], ffn_.b1[unit - 1]);
    Sum sum = sum_of(setting_, before_, row, bias, Stored::no);
    std::size_t end = unit + 1;
    while (end < ffn_.b1.size() && ffn_.w1.rows[end] == row) ++end;
    if (sum.curve && sum.curve->size() * (end - unit) > most_knots_) begin_anew(before_, row, bias, sum);
    return sum;
  }

  void require_exact(const SparseMatrix::Row& units, double constant) const {
    double positive = std::fmax(0, constant), negative = std::fmax(0, -constant), one = 0;
    require_exact_weight(setting_, constant, "b2");
    for (const auto& [unit, w] : units) {
      require_exact_weight(setting_, w, "W2");
      if (!is_integer(w)) throw NotProved("a feed-forward sublayer computes what is not a whole number", -1);
      const double greatest = std::fabs(w) * std::fmax(0, arguments_[unit].ranges.all.high);
      (w > 0 ? positive : negative) += greatest;
      one = std::fmax(one, greatest);
    }
    const auto fits = [&](double sum) { return representable(setting_.arithmetic.compute, Upper(sum), 0); };
    // Of units that exclude each other no more than one is ever added.
    if (!is_integer(constant) ||
        (!fits(std::fmax(positive, negative)) && !(fits(std::fabs(constant) + one) && exclude_each_other(units))))
      throw NotProved("a feed-forward sum has more bits than the format", -1);
  }

  /// The units, and what the coordinate holds unless that is 0, as a function of one sum.
  std::optional<Sum> as_curve(std::size_t coordinate, const SparseMatrix::Row& units, double constant) const {
    Sum result;
    for (const auto& [unit, w] : units) {
      const Sum& z = arguments_[unit];
      if (!z.curve || (result.base && result.base->terms != z.base->terms)) return std::nullopt;
      if (!result.base) {
        result.base = z.base;
        result.curve = Curve::line(z.curve->low(), z.curve->high(), 0, constant);
      }
      Curve part = z.curve->relu();
      *result.curve += (part *= w);
    }
    if (!result.curve) return std::nullopt;
    if (!before_[coordinate].ranges.is_point(0)) {
      const SparseMatrix::Row own{{static_cast<std::uint32_t>(coordinate), 1}};
      const Sum old = sum_of(setting_, before_, own, 0, Stored::no);
      if (!old.curve || old.base->terms != result.base->terms) return std::nullopt;
      *result.curve += *old.curve;
    }
    const Ranges& base = result.base->ranges;
    result.ranges = {result.curve->range(base.all), result.curve->range(base.first), result.curve->range(base.last)};
    return result;
  }

  /// constant + ReLU(z) − ReLU(z − m), m = (i − 1 or n − 1) + c, m ≥ 0, is from `constant` to constant + m, whatever z
  /// is.
  bool hold_within(const SparseMatrix::Row& units, double constant, Whole& result) const {
    if (units.size() != 2 || units[0].value * units[1].value != -1) return false;
    const bool second = units[0].value < 0;
    const std::size_t up = units[second].column, down = units[!second].column;
    std::map<std::uint32_t, double> difference;  // m, by coordinate
    for (const auto& [column, w] : ffn_.w1.rows[up]) difference[column] += w;
    for (const auto& [column, w] : ffn_.w1.rows[down]) difference[column] -= w;
    const double more = ffn_.b1[up] - ffn_.b1[down];  // c
    std::optional<Mark::Number> number;
    int bits = 0;
    for (const auto& [column, w] : difference) {
      if (w == 0) continue;
      const Mark& mark = before_[column].mark;
      if (mark.kind != Mark::Kind::bit || w != std::exp2(mark.bit) || (number && *number != mark.number)) return false;
      number = mark.number;
      ++bits;
    }
    if (!number || *number == Mark::Number::after) return false;
    for (const auto& [column, w] : difference)  // all bits from the lowest on, each once
      if (w != 0 && (before_[column].mark.bit >= bits || repeated(difference, column))) return false;
    const double greatest = setting_.length - 1;
    if (greatest >= std::exp2(bits) || more < 0) return false;
    const Interval all{constant, constant + greatest + more};
    result.ranges = {all, *number == Mark::Number::others ? all : Interval{constant, constant + more}, all};
    result.bounded_by = number;
    result.slack = constant + more;
    return true;
  }
  bool repeated(const std::map<std::uint32_t, double>& row, std::uint32_t column) const {
    return std::any_of(row.begin(), row.end(), [&](const auto& other) {
      return other.first != column && other.second != 0 && before_[other.first].mark == before_[column].mark;
    });
  }

  /// Units that are functions of one sum, and the function that they make up.
  struct Group {
    std::vector<std::size_t> units;
    const Sum* sum;
    std::optional<Curve> curve;  ///< without one it is the one unit, `factor` times
    double factor;
    Interval range(Interval Ranges::*where) const {
      if (curve) return curve->range(sum->base->ranges.*where);
      const Interval& z = sum->ranges.*where;
      return factor * Interval{std::fmax(0, z.low), std::fmax(0, z.high)};
    }
  };
  std::vector<Group> groups(const SparseMatrix::Row& units) const {
    std::vector<Group> result;
    std::map<std::vector<std::pair<int, double>>, std::size_t> by_terms;
    for (const auto& [unit, w] : units) {
      const Sum& z = arguments_[unit];
      if (z.ranges.all.high <= 0) continue;  // it adds nothing
      if (!z.curve) {
        result.push_back({{unit}, &z, std::nullopt, w});
        continue;
      }
      Curve part = z.curve->relu();
      part *= w;
      const auto [slot, added] = by_terms.try_emplace(z.base->terms, result.size());
      if (added) {
        result.push_back({{unit}, &z, std::move(part), w});
      } else {
        result[slot->second].units.push_back(unit);
        *result[slot->second].curve += part;
      }
    }
    return result;
  }

  Ranges ranges(const SparseMatrix::Row& units, double constant) const {
    const std::vector<Group> all = groups(units);
    const bool apart = exclude_each_other(all);
    const auto at = [&](Interval Ranges::*where) {
      Interval sum{constant, constant}, widest{0, 0};
      for (const Group& group : all) {
        const Interval range = group.range(where);
        sum = sum + range;
        widest = hull(widest, range);
      }
      if (!apart) return sum;
      return Interval{std::fmax(sum.low, constant + widest.low), std::fmin(sum.high, constant + widest.high)};
    };
    return {at(&Ranges::all), at(&Ranges::first), at(&Ranges::last)};
  }

  bool exclude_each_other(const SparseMatrix::Row& units) const {
    for (std::size_t a = 0; a < units.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (!exclude_each_other(units[a].column, units[b].column)) return false;
    return true;
  }

  bool exclude_each_other(const std::vector<Group>& groups) const {
    for (std::size_t g = 0; g < groups.size(); ++g)
      for (std::size_t h = 0; h < g; ++h)
        for (const std::size_t a : groups[g].units)
          for (const std::size_t b : groups[h].units)
            if (!exclude_each_other(a, b)) return false;
    return true;
  }

  /// Both arguments are whole, so both can be positive only if they can add up to 2; and neither can be where a Boolean
  /// that it asks for is not as it wants it.
  bool exclude_each_other(std::size_t a, std::size_t b) const {
    double together = ffn_.b1[a] + ffn_.b1[b];
    const double most_a = most_of(a), most_b = most_of(b);
    const SparseMatrix::Row &x = ffn_.w1.rows[a], &y = ffn_.w1.rows[b];
    for (std::size_t k = 0, l = 0; k < x.size() || l < y.size();) {
      const bool from_x = l == y.size() || (k < x.size() && x[k].column <= y[l].column);
      const bool from_y = k == x.size() || (l < y.size() && y[l].column <= x[k].column);
      const Interval& range = before_[from_x ? x[k].column : y[l].column].ranges.all;
      const double of_x = from_x ? x[k].value : 0, of_y = from_y ? y[l].value : 0;
      const bool boolean = range.low >= 0 && range.high <= 1;
      if (boolean && of_x * of_y < 0 && most_a - std::fabs(of_x) <= 0 && most_b - std::fabs(of_y) <= 0) return true;
      together += ((of_x + of_y) * range).high;
      k += from_x;
      l += from_y;
    }
    return together <= 1;
  }

  /// The greatest that a unit's argument can be, by its terms.
  double most_of(std::size_t unit) const {
    double most = ffn_.b1[unit];
    for (const auto& [column, w] : ffn_.w1.rows[unit]) most += (w * before_[column].ranges.all).high;
    return most;
  }

  const Setting& setting_;
  const model::FeedForward& ffn_;
  const Wholes& before_;
  const std::size_t most_knots_;
  std::vector<Sum> arguments_;
};

}  // namespace

void feed_forward_whole(const Setting& setting, const model::FeedForward& ffn, Wholes& state) {
  const WholeFeedForward proof(setting, ffn, state);
  std::vector<std::pair<std::size_t, Whole>> written;
  int id = next_id(state);
  for (std::size_t coordinate = 0; coordinate < state.size(); ++coordinate)
    if (!ffn.w2.rows[coordinate].empty() || ffn.b2[coordinate] != 0) {
      written.emplace_back(coordinate, proof.target(coordinate));
      written.back().second.id = id++;
    }
  for (auto& [coordinate, value] : written) state[coordinate] = std::move(value);
}

}  // namespace quench::certify
