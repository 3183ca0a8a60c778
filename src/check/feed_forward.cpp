// Hidden units at one kind of position. A target's units are cubes (one unit), ramps (two neighbouring units with equal
// rows and opposite output weights) and clearings.
#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <utility>

#include "check/facts.h"

namespace quench::check {
namespace {

struct Part {
  const SparseMatrix::Row* row;
  double threshold;  ///< off where the row's sum is at most this
  double full;       ///< a ramp is on where it is at least this
  Number factor, least, most, reach, error, passing;
  bool ramp;
};

class TargetCheck {
 public:
  TargetCheck(const Claim& claim, const std::vector<Fact>& facts) : claim_(claim), facts_(facts) {}

  Part cube(const SparseMatrix::Row& row, double bias, double weight) const {
    const Combination sum = combine(claim_, facts_, row, bias);
    if (sum.rest.size() != 1 || !(sum.rest[0].from == sum.rest[0].to) || !sum.rest[0].from.whole())
      throw Rejected("a hidden unit that is neither cube nor ramp");
    Part part{&row, -bias, -bias, weight, max(sum.low(), 0), max(sum.high(), 0), sum.high() - Number(bias),
              {},   1,     false};
    part.passing = max(Number(1), part.most);
    part.error = Number(std::fabs(weight)) * sum.error;
    if (claim_.pinned) part.error += Number(std::fabs(weight)) * unshared_noise(claim_, facts_, row, bias);
    if (!sum.exact && claim_.narrow()) part.error += Number(std::fabs(weight)) * half_step(claim_.store, sum.size);
    return part;
  }

  Part ramp(const SparseMatrix::Row& row, double bias1, double bias2, double weight) const {
    const double from = -std::max(bias1, bias2), to = -std::min(bias1, bias2);
    const double slope = bias1 > bias2 ? weight : -weight;
    const Combination sum = combine(claim_, facts_, row, 0);
    const Number rise = Number(slope) * (Number(to) - Number(from));
    const bool binary = (std::bit_cast<std::uint64_t>(weight) & ((1ULL << 52) - 1)) == 0;
    if (!(rise.absolute() == Number(1)) || !binary) throw Rejected("a ramp that does not rise by 1");
    if (!(sum.error < Number::two_to(40))) throw Rejected("an error beyond measure");
    Number leak;
    const Sides side = claim_.pinned ? leaking_sides(sum, from, to, std::fabs(weight), leak) : sides(sum, from, to);
    Part part{&row, from, to, rise, side.off ? 0 : 1, side.on ? 1 : 0, sum.high(), {}, 1, true};
    if (side.on)
      part.error = Number(std::fabs(weight)) * (rounding(row, sum, side, from, to) + rounding(row, sum, side, to, to));
    part.error += leak;
    if (claim_.pinned)  // two units are two readers
      part.error += Number(std::fabs(weight)) *
                    (unshared_noise(claim_, facts_, row, bias1) + unshared_noise(claim_, facts_, row, bias2));
    part.passing = max(Number(1), Number(std::fabs(weight)) * (sum.size + Number(std::fabs(from))));
    return part;
  }

  Fact total(const std::vector<Part>& parts, double b2) const {
    const bool one_sign =
        std::all_of(parts.begin(), parts.end(), [&](const Part& p) { return p.factor == parts[0].factor; });
    bool apart = one_sign;
    for (std::size_t a = 0; a < parts.size(); ++a)
      for (std::size_t b = 0; b < a; ++b) apart = apart && exclude(parts[a], parts[b]);
    Number low(b2), high(b2), worst, errors, size(std::fabs(b2));
    Number least_part, most_part;
    bool quiet = b2 == 0, ramps = false, someone = false;
    for (const Part& part : parts) {
      const Number x = part.factor * part.least, y = part.factor * part.most;
      low += min(x, y), high += max(x, y);
      least_part = min(least_part, min(x, y)), most_part = max(most_part, max(x, y));
      worst = max(worst, part.error), errors += part.error;
      size += part.factor.absolute() * part.passing + part.error;
      quiet = quiet && part.ramp && Number(0) < part.factor;
      ramps = ramps || part.ramp;
      someone = someone || Number(0) < part.least;
    }
    if (apart && parts.size() > 1) {
      low = Number(b2) + (someone ? parts[0].factor : least_part);
      high = Number(b2) + (someone ? parts[0].factor : most_part);
    }
    if (!low.whole() || !high.whole()) throw Rejected("a function that is not whole");
    Fact fact;
    fact.spans = {{low, high}};
    fact.error = apart && !claim_.pinned ? worst : errors;  // what is off leaks, too
    if ((!apart && ramps) || !fact.error.zero() || !fits(claim_.work, size, 0))
      fact.error += Number(2 * static_cast<double>(parts.size() + 1)) * half_step(claim_.work, size);
    if (quiet && apart && fact.error < Number::two_to(-claim_.store.precision - 1)) fact.error = 0;
    const Number stored = fact.size() + fact.error;
    if (!fact.error.zero() || !fits(claim_.store, stored, 0)) fact.error += half_step(claim_.store, stored);
    fact.positive = fact.error.zero() && Number(0) <= low;
    return fact;
  }

  /// b2 + Σ parts as a function of the coordinates that are not fixed at this kind of position, if there are few and
  /// all are Boolean. Sums are of few small dyadic numbers.
  std::optional<Table> table(const std::vector<Part>& parts, double b2) const {
    std::map<long, std::uint32_t> variables;
    for (const Part& part : parts)
      for (const auto& [column, w] : *part.row) {
        const Fact& x = facts_[column];
        if (x.spans.size() == 1 && x.low() == x.high()) continue;
        if (!x.whole || !x.low().zero() || !(x.high() == Number(1))) return std::nullopt;
        variables[x.id] = column;
      }
    if (variables.size() > 8) return std::nullopt;
    Table result{{}, {}};
    for (const auto& [id, column] : variables) result.of.push_back(id);
    for (std::size_t assignment = 0; assignment >> variables.size() == 0; ++assignment) {
      std::map<std::uint32_t, double> value;
      std::size_t bit = 0;
      for (const auto& [id, column] : variables) value[column] = static_cast<double>(assignment >> bit++ & 1);
      double total = b2;
      for (const Part& part : parts) {
        double sum = 0;
        for (const auto& [column, w] : *part.row)
          sum += w * (value.contains(column) ? value[column] : facts_[column].low().to_double());
        if (part.ramp && part.threshold < sum && sum < part.full) return std::nullopt;
        const double on = part.ramp ? (sum >= part.full ? 1 : 0) : std::max(sum - part.threshold, 0.0);
        total += part.factor.to_double() * on;
      }
      if (total != 0 && total != 1) return std::nullopt;
      result.bits.push_back(total == 1);
    }
    return without_idle_variables(std::move(result));
  }

 private:
  static Table without_idle_variables(Table table) {
    for (std::size_t k = table.of.size(); k-- > 0;) {
      std::vector<bool> low, high;
      for (std::size_t index = 0; index < table.bits.size(); ++index)
        ((index >> k & 1) != 0 ? high : low).push_back(table.bits[index]);
      if (low != high) continue;
      table.bits = low;
      table.of.erase(table.of.begin() + static_cast<std::ptrdiff_t>(k));
    }
    return table;
  }

  /// Whether the sum can be at or below `from`, at or above `to`; in between it must never be.
  struct Sides {
    bool off = false, on = false;
    bool points = true;           ///< where it is on, the intended sums are isolated numbers,
    std::optional<Number> least;  ///< at least this,
    long grid = 0;                ///< and multiples of 2^grid
  };
  Sides sides(const Combination& sum, double from, double to) const {
    Sides result;
    for (const Span& span : sum.rest) {
      Number low = span.from - sum.error, high = span.to + sum.error;
      if (sum.held_low) low = max(low, *sum.held_low);
      if (sum.held_high) high = min(high, *sum.held_high);
      // The greatest whole z with z + high ≤ from; everything above it must be on.
      Number z = (Number(from) - high).floor();
      for (int steps = 0; !(z + high <= Number(from)); ++steps) {
        if (steps == 4) throw Rejected("a sum that is rounded is beyond measure");
        z = z - Number(1);
      }
      const bool some_off = sum.whole_from <= z, some_on = z < sum.whole_to;
      const Number next = max(z + Number(1), sum.whole_from);
      if (some_on && !(Number(to) <= next + low)) throw Rejected("an error reaches a threshold");
      result.off = result.off || some_off, result.on = result.on || some_on;
      if (!some_on) continue;
      result.points = result.points && span.from == span.to;
      const Number first_on = next + span.from;
      result.least = result.least ? min(*result.least, first_on) : first_on;
      while (result.points && !(span.from / Number::two_to(result.grid)).whole() && result.grid > -60) --result.grid;
    }
    return result;
  }

  /// If an error can cross a threshold, its share beyond is passed on, times the slope; what is intended must not.
  Sides leaking_sides(const Combination& sum, double from, double to, double slope, Number& leak) const {
    try {
      return sides(sum, from, to);
    } catch (const Rejected&) {
      Combination intended = sum;
      intended.error = 0;
      intended.held_low.reset(), intended.held_high.reset();
      leak = Number(slope) * sum.error;
      return sides(intended, from, to);
    }
  }

  /// Storing sum − threshold gives the intended number: the format has it, and nothing else is as near.
  bool lands(const Sides& side, const Number& size, double threshold, const Number& error) const {
    if (!side.points || !side.least) return false;
    const Number least = *side.least - Number(threshold);
    if (!(Number(0) < least)) return false;
    const long grid = threshold == 0 ? side.grid : std::min(side.grid, last_bit(threshold));
    if (!fits(claim_.store, size, grid)) return false;
    long binade = -60;  // 2^binade ≤ least: half the step below it is 2^(binade−1−p)
    while (Number::two_to(binade + 1) <= least) ++binade;
    return error < Number::two_to(binade - 1 - claim_.store.precision);
  }

  /// What subtracting a threshold and storing the difference adds where the ramp is on.
  Number rounding(const SparseMatrix::Row& row, const Combination& sum, const Sides& side, double threshold,
                  double to) const {
    bool exact = sum.gridded;
    long grid = sum.grid;
    if (!exact && claim_.narrow()) regular(row, sum, to, exact, grid);
    const Number size = sum.size - Number(threshold);
    const long bit = threshold == 0 ? 0 : last_bit(threshold);
    const long both = std::min(grid, bit);
    const bool on_steps = threshold == 0 || (threshold > 0 && bit >= sum.size.binade() - claim_.work.precision);
    Number error;
    if (!on_steps && !(exact && fits(claim_.work, size, both))) error += half_step(claim_.work, size);
    if (claim_.narrow() && !(exact && fits(claim_.store, size, both))) {
      if (lands(side, size, threshold, sum.error + error)) return 0;
      error += half_step(claim_.store, size);
    }
    return error;
  }

  /// A single inexact coordinate, a stored number at least `least`, is a multiple of the step there.
  void regular(const SparseMatrix::Row& row, const Combination& sum, double to, bool& exact, long& grid) const {
    Number others;
    double weight = 0;
    long step = 0;
    for (const auto& [column, w] : row) {
      const Fact& x = facts_[column];
      if (x.error.zero()) {
        others += max(Number(w) * x.low(), Number(w) * x.high());
        step = std::min(step, x.grid + last_bit(w));
      } else if (weight != 0) {
        return;
      } else {
        weight = w;
      }
    }
    if (!(weight > 0) || (std::bit_cast<std::uint64_t>(weight) & ((1ULL << 52) - 1)) != 0) return;
    const Number least = (Number(to) - others) / Number(weight);
    if (!(Number::two_to(-20) <= least)) return;
    long binade = -20;  // 2^binade ≤ least
    while (Number::two_to(binade + 1) <= least) ++binade;
    grid = std::min(step, binade - claim_.store.precision + 1 + last_bit(weight));
    exact = fits(claim_.work, sum.size, grid);
  }

  /// The end a coordinate must be at for the part to be on: 1 top, −1 bottom, 0 no matter.
  int demand(const Part& part, const SparseMatrix::Entry& entry) const {
    const Fact& x = facts_[entry.column];
    const bool pair = x.whole && x.spans.size() == 1 && x.high() - x.low() == Number(1);
    if (!pair && x.spans.size() == 1) return 0;
    const Number below_top = pair ? x.low() : x.spans[x.spans.size() - 2].to;
    const Number above_bottom = pair ? x.high() : x.spans[1].from;
    const Number w(entry.value);
    const Number loss = entry.value > 0 ? w * (x.high() - below_top) : w * (x.low() - above_bottom);
    if (!(part.reach - loss <= Number(part.threshold))) return 0;
    return entry.value > 0 ? 1 : -1;
  }

  bool exclude(const Part& a, const Part& b) const {
    if (a.most.zero() || b.most.zero()) return true;
    // k + t and k′ − t, the constants from coordinates that are fixed here.
    Number fixed;
    const auto moving = [&](const Part& part) {
      SparseMatrix::Row row;
      for (const SparseMatrix::Entry& entry : *part.row)
        if (const Fact& x = facts_[entry.column]; x.low() == x.high())
          fixed += Number(entry.value) * x.low();
        else
          row.push_back(entry);
      return row;
    };
    const SparseMatrix::Row t = moving(a), minus_t = moving(b);
    bool mirrored = t.size() == minus_t.size() && fixed <= Number(a.threshold) + Number(b.threshold);
    for (std::size_t k = 0; mirrored && k < t.size(); ++k)
      mirrored = t[k].column == minus_t[k].column && t[k].value == -minus_t[k].value;
    if (mirrored) return true;
    for (const SparseMatrix::Entry& x : *a.row)
      for (const SparseMatrix::Entry& y : *b.row)
        if (x.column == y.column && demand(a, x) * demand(b, y) < 0) return true;
    return false;
  }

  const Claim& claim_;
  const std::vector<Fact>& facts_;
};

/// −ReLU(x) + ReLU(−x), or the half of it that x needs.
std::optional<Fact> cleared(const Claim& claim, const model::FeedForward& ffn, std::size_t target, const Fact& before,
                            const Fact& stored, std::vector<SparseMatrix::Entry>& units) {
  bool plus = false, minus = false;
  std::erase_if(units, [&](const SparseMatrix::Entry& unit) {
    const SparseMatrix::Row& row = ffn.w1.rows[unit.column];
    if (row.size() != 1 || row[0].column != target || ffn.b1[unit.column] != 0 || std::fabs(row[0].value) != 1 ||
        unit.value != -row[0].value)
      return false;
    (row[0].value > 0 ? plus : minus) = true;
    return true;
  });
  if (!plus && !minus) return std::nullopt;
  if ((!plus && !(before.high() <= Number(0))) || (!minus && !(Number(0) <= before.low())))
    throw Rejected("a coordinate is not cleared completely");
  Fact fact;
  if (claim.pinned)  // what is subtracted is what was seen, not what is there
    fact.error = Number(2) * before.error + stored.error + half_step(claim.work, before.size() + before.error);
  else if (!(plus && (minus || before.positive)))
    fact.error = before.error;
  return fact;
}

}  // namespace

void pass_feed_forward(const Claim& claim, const model::FeedForward& ffn, const std::vector<Fact>& seen,
                       std::vector<Fact>& facts, long first_id, bool with_tables) {
  std::vector<int> uses(ffn.b1.size());
  for (const SparseMatrix::Row& row : ffn.w2.rows)
    for (const auto& [unit, w] : row) ++uses[unit], need_exact(claim, w);
  for (const SparseMatrix::Row& row : ffn.w1.rows)
    for (const auto& [column, w] : row) need_exact(claim, w);
  for (const double b : ffn.b1) need_exact(claim, b);
  for (const double b : ffn.b2) need_exact(claim, b);
  const TargetCheck check(claim, seen);
  std::vector<std::pair<std::size_t, Fact>> written;
  const auto write = [&](std::size_t target, Fact fact) {
    fact.id = first_id + static_cast<long>(target);
    written.emplace_back(target, std::move(fact));
  };
  for (std::size_t target = 0; target < facts.size(); ++target) {
    std::vector<SparseMatrix::Entry> units = ffn.w2.rows[target];
    if (units.empty() && ffn.b2[target] == 0) continue;
    const std::optional<Fact> clear = cleared(claim, ffn, target, seen[target], facts[target], units);
    if (units.empty() && ffn.b2[target] == 0) {
      write(target, *clear);
      continue;
    }
    if (clear || !facts[target].unused()) throw Rejected("a function written to a coordinate in use");
    std::vector<Part> parts;
    for (std::size_t k = 0; k < units.size(); ++k) {
      const std::size_t unit = units[k].column;
      if (uses[unit] != 1) throw Rejected("a hidden unit with several targets");
      const bool two = k + 1 < units.size() && units[k + 1].value == -units[k].value &&
                       ffn.w1.rows[unit] == ffn.w1.rows[units[k + 1].column];
      parts.push_back(two ? check.ramp(ffn.w1.rows[unit], ffn.b1[unit], ffn.b1[units[k + 1].column], units[k].value)
                          : check.cube(ffn.w1.rows[unit], ffn.b1[unit], units[k].value));
      if (two) ++k;
    }
    Fact fact = check.total(parts, ffn.b2[target]);
    if (with_tables && fact.error.zero()) fact.table = check.table(parts, ffn.b2[target]);
    add_leftover(claim, facts[target].error, fact);
    write(target, std::move(fact));
  }
  for (auto& [target, fact] : written) facts[target] = std::move(fact);
}

}  // namespace quench::check
