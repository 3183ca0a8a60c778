// Hidden units. All functions are sums of these, so one hidden layer suffices:
//
//   conjunction of m exact literals       ReLU(Σ l − (m−1))
//   conjunction with approximate ones     (ReLU(s − from) − ReLU(s − to)) / (to − from)     a ramp (opt/ramp.h) [P-L9]
//   integer to within ¼ is zero           1 − ramp(x) − ramp(−x),  ramp on [¼, ¾]
//   comparison of whole numbers           joined with exact literals (opt/gate.h)
//   clearing a coordinate                 −ReLU(x) + ReLU(−x)
//   a linear part of a piecewise one      ReLU(x) − ReLU(−x)
//
// A ramp with thresholds below 0 is written 1 − ramp(−s): then both thresholds are subtracted from what they are compared
// with, which floating point does exactly, and true Booleans come out as exactly 0 and 1. For the same reason a constant
// of s that would turn a threshold negative (s = 1 − x of a negated literal, 0.75 − x ≥ 0) is read off the coordinate that
// is always 1: 1 − x is rounded as a number near 1, and subtracting ¼ and ¾ from it is exact, where 0.75 − x and 0.25 − x
// are rounded apart.
#include "build/feed_forward.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "ir/affine_sum.h"
#include "opt/gate.h"
#include "opt/schedule.h"

namespace quench::build {
namespace {

using ir::Affine;

class FeedForwardBuilder {
 public:
  FeedForwardBuilder(const Place& place, const opt::Schedule& schedule, int layer)
      : place_(place), schedule_(schedule), layer_(layer), width_(static_cast<std::size_t>(place.layout.width)) {
    ffn_.w1.cols = width_;
    ffn_.w2 = SparseMatrix(width_, 0);
    ffn_.b2.assign(width_, 0);
  }

  model::FeedForward run() {
    for (const opt::ScheduledFunction& function : schedule_.layers[static_cast<std::size_t>(layer_) - 1].functions)
      add_function(function);
    for (const opt::Clearing& clearing : place_.layout.clearings[static_cast<std::size_t>(layer_) - 1])
      add_clearing(clearing);
    ffn_.w2.cols = ffn_.w1.rows.size();
    std::sort(outputs_.begin(), outputs_.end(), [](const Output& a, const Output& b) {
      return std::tie(a.target, a.unit) < std::tie(b.target, b.unit);
    });
    for (const Output& output : outputs_) ffn_.w2.add(output.target, output.unit, output.factor);
    return std::move(ffn_);
  }

 private:
  void add_function(const opt::ScheduledFunction& function) {
    const std::size_t target = place_.coordinate(function.node);
    if (const auto* piecewise = std::get_if<ir::Piecewise>(&place_.graph[function.node]))
      return add_piecewise(*piecewise, place_.layout.carries[function.node.index], target);
    const double sign = function.complemented ? -1 : 1;
    if (function.complemented) ffn_.b2[target] += 1;
    alone_ = function.cubes.size() == 1;
    for (const opt::Cube& cube : function.cubes) add_cube(cube, target, sign);
  }

  void add_piecewise(const ir::Piecewise& piecewise, const std::optional<opt::Carry>& carry, std::size_t target) {
    for (const ir::Piecewise::Unit& unit : piecewise.units) {
      if (carry && &unit == &piecewise.units[carry->passing]) continue;
      if (place_.graph.shares_units)
        add_shared_unit(unit.x, target, unit.factor);
      else
        add_unit(unit.x, target, unit.factor);
    }
    Affine linear = piecewise.rest;
    ffn_.b2[target] += linear.constant;
    linear.constant = 0;
    if (linear.is_constant()) return;
    add_unit(linear, target, 1);
    add_unit(-1 * linear, target, -1);
  }

  void add_cube(const opt::Cube& cube, std::size_t target, double factor) {
    if (cube.empty()) {
      ffn_.b2[target] += factor;
      return;
    }
    std::vector<ir::Literal> exact, raw;
    for (const ir::Literal literal : cube)
      (opt::read_raw(place_.graph, schedule_, literal.node, layer_) ? raw : exact).push_back(literal);
    if (!raw.empty() && asks_for_two_symbols(exact)) return;
    if (raw.empty())
      add_conjunction(exact, target, factor);
    else if (opt::is_comparison(place_.graph, raw[0].node))
      add_joined(raw[0], exact, target, factor);
    else if (const auto* zero = std::get_if<ir::IsZero>(&place_.graph[raw[0].node]))
      add_zero_test(zero->x, raw[0].negated, target, factor);
    else
      add_rounded_conjunction(exact, raw, target, factor);
  }

  /// Whether no symbol is in all of the sets that the literals ask for: then the cube is never on. Left out where
  /// approximate literals are rounded on the way, since that it excludes the others could hardly be seen in the weights.
  bool asks_for_two_symbols(const std::vector<ir::Literal>& literals) const {
    std::optional<std::set<Symbol>> all;
    for (const ir::Literal literal : literals) {
      const auto* in = std::get_if<ir::SymbolIn>(&place_.graph[literal.node]);
      if (!in || literal.negated) continue;
      std::set<Symbol> both(in->symbols.begin(), in->symbols.end());
      if (all) std::erase_if(both, [&](Symbol symbol) { return !all->contains(symbol); });
      all = std::move(both);
    }
    return all && all->empty();
  }

  void add_conjunction(const std::vector<ir::Literal>& literals, std::size_t target, double factor) {
    ir::AffineSum sum;
    sum.add(1 - static_cast<double>(literals.size()));
    for (const ir::Literal literal : literals) sum.add(literal);
    add_unit(sum.take(), target, factor);
  }

  void add_joined(ir::Literal comparison, const std::vector<ir::Literal>& others, std::size_t target, double factor) {
    const auto units = opt::joined(place_.graph, comparison, others);
    QUENCH_ASSERT(units.has_value());  // the scheduler has asked before
    for (const ir::Piecewise::Unit& unit : *units) add_shared_unit(unit.x, target, factor * unit.factor);
  }

  void add_rounded_conjunction(const std::vector<ir::Literal>& exact, const std::vector<ir::Literal>& raw,
                               std::size_t target, double factor) {
    std::vector<opt::Approximation> errors;
    for (const ir::Literal literal : raw) errors.push_back(opt::approximation(place_.graph, literal));
    const std::optional<opt::Ramp> ramp =
        alone_ ? opt::find_ramp(exact.size(), errors) : opt::find_ramp(exact.size(), errors, reach(raw));
    QUENCH_ASSERT(ramp.has_value());  // the scheduler has asked before
    ir::AffineSum sum;
    for (const ir::Literal literal : exact) sum.add(literal, ramp->exact_weight);
    for (const ir::Literal literal : raw) {
      const Affine& x = std::get<ir::Threshold>(place_.graph[literal.node]).x;
      sum.add(literal.negated ? 1 - x : x);
    }
    add_ramp(sum.take(), *ramp, target, factor);
  }

  /// What approximate literals add up to at most, as far as each coordinate's range tells. A comparison "= c" is "≥ c" less
  /// "> c", two coordinates; that they are never 0 and 1 is not seen in the weights. Cubes that exclude each other should
  /// be seen to (certify/cube.h).
  double reach(const std::vector<ir::Literal>& literals) const {
    double most = 0;
    for (const ir::Literal literal : literals) {
      const Affine& x = std::get<ir::Threshold>(place_.graph[literal.node]).x;
      most += place_.graph.range(literal.negated ? 1 - x : x).high;
    }
    return std::isfinite(most) ? most : 0;
  }

  void add_ramp(const Affine& s, const opt::Ramp& ramp, std::size_t target, double factor) {
    const double slope = factor / (ramp.to - ramp.from);
    if (ramp.from + ramp.to < 0) {
      ffn_.b2[target] += factor;
      add_threshold(-1 * s, -ramp.to, -ramp.to, target, -slope);
      add_threshold(-1 * s, -ramp.from, -ramp.to, target, slope);
    } else {
      add_threshold(s, ramp.from, ramp.from, target, slope);
      add_threshold(s, ramp.to, ramp.from, target, -slope);
    }
  }

  /// target += factor · ReLU(s − threshold), `lower` being the lower threshold of the ramp.
  void add_threshold(const Affine& s, double threshold, double lower, std::size_t target, double factor) {
    const double constant = opt::stored_form(place_.graph, s).constant;
    const bool negative = lower - constant < 0 && lower >= 0;
    const std::size_t unit = add_unit(negative ? s : s - threshold, target, factor);
    if (!negative) return;
    ffn_.w1.add(unit, 0, ffn_.b1[unit]);
    ffn_.b1[unit] = -threshold;
  }

  void add_zero_test(const Affine& x, bool negated, std::size_t target, double factor) {
    if (!negated) ffn_.b2[target] += factor;
    const opt::Ramp ramp{0.25, 0.75, 1};
    add_ramp(x, ramp, target, negated ? factor : -factor);
    add_ramp(-1 * x, ramp, target, negated ? factor : -factor);
  }

  void add_clearing(const opt::Clearing& clearing) {
    const std::size_t target = static_cast<std::size_t>(clearing.coordinate);
    const ir::Range range = place_.graph.range(clearing.content);
    if (range.high > 0) add_unit(clearing.content, target, -1);
    if (range.low < 0) add_unit(-1 * clearing.content, target, 1);
  }

  /// The same as add_unit, by a unit that is there already if one with this argument was shared before.
  void add_shared_unit(const Affine& x, std::size_t target, double factor) {
    const auto [slot, added] = shared_.try_emplace(x, ffn_.w1.rows.size());
    if (added)
      add_unit(x, target, factor);
    else
      outputs_.push_back({target, slot->second, factor});
  }

  /// target += factor · ReLU(x)
  std::size_t add_unit(const Affine& x, std::size_t target, double factor) {
    const std::size_t unit = ffn_.w1.rows.size();
    ffn_.w1.rows.resize(unit + 1);
    ffn_.b1.push_back(place_.add_terms(ffn_.w1, unit, x));
    outputs_.push_back({target, unit, factor});
    return unit;
  }

  const Place& place_;
  const opt::Schedule& schedule_;
  int layer_;
  std::size_t width_;
  bool alone_ = true;  // the function that is being added has one cube
  model::FeedForward ffn_;
  struct Output {
    std::size_t target, unit;
    double factor;
  };
  std::vector<Output> outputs_;  // W_2, whose rows are cheap to fill in order only
  std::unordered_map<Affine, std::size_t, StructuralHash<Affine>> shared_;  // hidden units by their argument
};

}  // namespace

model::FeedForward build_feed_forward(const Place& place, const opt::Schedule& schedule, int layer) {
  return FeedForwardBuilder(place, schedule, layer).run();
}

}  // namespace quench::build
