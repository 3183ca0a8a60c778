#include "soften/errors.h"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "bounds/theorem26.h"
#include "model/position.h"
#include "soften/numbers/rounding.h"

namespace quench::soften {
namespace {

constexpr double kScoreError = 0.001;  // outputs that are read as they are

using Vector = std::vector<Up>;

class Propagation {
 public:
  Propagation(const Network& network, const LengthFacts& facts, const Sharpening& sharpening,
              std::optional<NumberFormat> format)
      : network_(network),
        facts_(facts),
        inverse_tau_(sharpening.inverse_tau(facts.n)),
        scale_(sharpening.scale),
        rounding_(format ? Rounding(*format) : Rounding()),
        error_(network.model.width) {}

  Errors run() {
    embed();
    for (std::size_t l = 0; l < network_.model.layers.size() && result_.reason.empty(); ++l) {
      LayerError& line = result_.layers.emplace_back();
      line.in = norm();
      attend(l, line);
      feed_forward(l);
      line.out = norm();
      if (std::isinf(line.out) && result_.reason.empty()) fail("the error is not bounded", l, -1);
    }
    result_.norm = norm();
    if (result_.reason.empty()) judge();
    result_.holds = result_.reason.empty();
    return std::move(result_);
  }

 private:
  double norm() const {
    Up total;
    for (const Up& e : error_) total += e;
    return total.value;
  }
  void fail(std::string reason, std::size_t layer, int head) {
    if (!result_.reason.empty()) return;
    result_.reason = std::move(reason);
    result_.layer = static_cast<int>(layer);
    result_.head = head;
  }

  /// The encodings of a coordinate: rounded to double, then to storage, then added one after the other.
  void embed() {
    if (rounding_.exact()) return;
    const Up unit = Up(std::ldexp(1.0, -rounding_.storage->precision)) + Up(0x1p-52);
    const Up floor(std::ldexp(1.0, rounding_.storage->min_exponent - rounding_.storage->precision));
    for (std::size_t c = 0; c < error_.size(); ++c) {
      Up weight, magnitude;
      bool exact = true;
      for (const auto& row : network_.model.embedding.rows)
        for (const auto& entry : row)
          if (entry.column == c) {
            weight = std::max(weight.value, std::fabs(entry.value));
            exact = exact && rounding_.of_weight(entry.value).value == 0;
          }
      double encodings = 0;
      for (const model::PositionEncoding& encoding : network_.model.position_encodings)
        if (encoding.coordinate == c) {
          const auto [greatest, is_exact] = encoded(encoding.formula);
          magnitude += greatest;
          exact = exact && is_exact && ++encodings == 1 && weight.value == 0;
        }
      if (!exact) error_[c] = Up(2) * Up(encodings + 1) * unit * (magnitude + weight) + floor;
    }
  }

  /// The greatest magnitude of a position encoding, and whether the format holds all its values exactly.
  std::pair<Up, bool> encoded(const PositionFormula& formula) const {
    using Kind = PositionFormula::Kind;
    const Kind kind = formula.kind;
    bool exact = kind != Kind::index_over_length && kind != Kind::index_over_length_sq && kind != Kind::inverse_index &&
                 kind != Kind::inverse_remaining && kind != Kind::inverse_length && kind != Kind::log_index &&
                 kind != Kind::log_remaining;
    Up greatest;
    for (std::size_t i = 1; i <= facts_.n; ++i) {
      const double value = model::position_value(formula, i, facts_.n);
      greatest = std::max(greatest.value, std::fabs(value));
      exact = exact && round_to(*rounding_.storage, value) == value;
    }
    return {greatest * Up(1 + 0x1p-50), exact && greatest.value < 0x1p53};
  }

  struct Linear {
    Up error, magnitude;
  };
  /// Σ w·x stored, with the errors so far and magnitudes X. A single product with a power of two is exact.
  Linear linear(const SparseMatrix::Row& row, const Vector& error, const std::vector<double>& magnitude) const {
    Linear result;
    Up rounded;
    for (const auto& [column, weight] : row) {
      const Up w(std::fabs(weight)), x = Up(magnitude[column]) + error[column];
      result.error += w * error[column];
      result.magnitude += w * x;
      rounded += rounding_.of_weight(weight) * w * x;
    }
    const bool exact_product = row.size() == 1 && is_power_of_two(row[0].value);
    result.error += rounded;
    if (!row.empty() && !exact_product)
      result.error += rounding_.of_sum(row.size(), result.magnitude) + rounding_.of_storing(result.magnitude);
    return result;
  }

  void attend(std::size_t l, LayerError& line) {
    const model::Layer& layer = network_.model.layers[l];
    const LayerFacts& facts = facts_.layers[l];
    Vector added(error_.size()), magnitude(error_.size());
    std::vector<std::size_t> terms(error_.size(), 0);
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const model::Head& head = layer.heads[h];
      HeadError& report = line.heads.emplace_back();
      report.gap = facts.heads[h].gap;
      weights(head, facts, h, report, l);
      const std::vector<Linear> values = results(head, facts, h, report);
      for (std::size_t c = 0; c < head.o.rows.size(); ++c)
        for (const auto& [component, weight] : head.o.rows[c]) {
          const Up w(std::fabs(weight));
          added[c] += w * values[component].error + rounding_.of_weight(weight) * w * values[component].magnitude;
          magnitude[c] += w * values[component].magnitude;
          ++terms[c];
        }
    }
    for (std::size_t c = 0; c < error_.size(); ++c) {
      if (terms[c] == 0) continue;
      const Up total = magnitude[c] + Up(facts.in[c]) + error_[c];
      error_[c] += added[c] + rounding_.of_sum(terms[c] + 2, total) + rounding_.of_storing(total);
    }
  }

  /// δ and ε₁ of a head.
  void weights(const model::Head& head, const LayerFacts& facts, std::size_t h, HeadError& report, std::size_t l) {
    const HeadFacts& known = facts.heads[h];
    if (known.uniform) return;
    Up off, scores;
    for (std::size_t row = 0; row < head.q.rows.size(); ++row) {
      if (head.q.rows[row].empty() || head.k.rows[row].empty()) continue;
      const Linear q = linear(head.q.rows[row], error_, facts.in), k = linear(head.k.rows[row], error_, facts.in);
      off += Up(known.q[row]) * k.error + q.error * Up(known.k[row]) + q.error * k.error;
      scores += (Up(known.q[row]) + q.error) * (Up(known.k[row]) + k.error);
      double greatest = known.q[row] + q.error.value;
      for (const auto& entry : head.q.rows[row]) greatest = std::max(greatest, std::fabs(entry.value));
      if (scale_ * greatest > rounding_.greatest_stored)
        fail("queries overflow the number format", l, static_cast<int>(h));
    }
    // Products and sum, 1/√d_k, its product, 1/τ and its product, the difference to the maximum: m + 8 roundings.
    off += rounding_.of_sum(head.q.rows.size() + 8, scores);
    const double root = std::sqrt(static_cast<double>(head.q.rows.size()));
    const Up delta = off * Up((1 + 0x1p-50) / root);
    if ((scores * Up(std::max(inverse_tau_, scale_))).value > rounding_.greatest)
      fail("scores overflow the number format", l, static_cast<int>(h));
    report.score_error = delta.value;
    if (!(2 * delta.value < known.gap)) {
      report.distance = kInfinity;
      return fail(fmt::format("scores may be off by {:.3g}, and the gap is {:.3g}", delta.value, known.gap), l,
                  static_cast<int>(h));
    }
    // 1/τ itself is known to a few units in the last place; δ is widened by more than that.
    const double slack = 0x1p-46 + 16 * rounding_.sum.value;
    const bounds::Row row{static_cast<double>(facts_.n), known.gap, (delta * Up(1 + 0x1p-16)).value,
                          inverse_tau_ * (1 - slack)};
    report.distance = known.ties ? bounds::tied_distance(row) : bounds::tieless_distance(row);
    if (std::isinf(report.distance)) fail("scores may be off by as much as the gap", l, static_cast<int>(h));
  }

  /// The head's result by component.
  std::vector<Linear> results(const model::Head& head, const LayerFacts& facts, std::size_t h,
                              HeadError& report) const {
    std::vector<Linear> values;
    for (std::size_t row = 0; row < head.v.rows.size(); ++row) {
      Linear value = linear(head.v.rows[row], error_, facts.in);
      const Interval& range = facts.heads[h].v[row];
      const bool seen = range.low <= range.high;
      const Up spread = seen ? Up(Outward::add_up(range.high, -range.low)) : Up();
      value.magnitude = seen ? Up(range.magnitude()) + value.error : value.error;
      value.error += Up(0.5) * Up(report.distance) * spread;
      if (!rounding_.exact()) {
        // exp within two units, the sums over positions in any order, one or two divisions; weights that underflow.
        value.error += Up(2 * static_cast<double>(facts_.n) + 16) * Up(1.01) * rounding_.sum * value.magnitude +
                       Up(static_cast<double>(facts_.n)) * rounding_.sum_floor * value.magnitude +
                       rounding_.of_storing(value.magnitude);
      }
      report.result = std::max(report.result, value.error.value);
      values.push_back(value);
    }
    return values;
  }

  struct Reached {
    std::vector<bool> cells;
    Vector pre, hidden;  ///< by unit: rounding error before ReLU, greatest value after it
  };
  Reached reach(const ParallelUnits& group, const std::vector<Interval>& where, const Linear& z) const {
    Reached reached{std::vector<bool>(group.cells(), false), {}, {}};
    Up widest = z.error;
    for (const ParallelUnits::Unit& unit : group.units) {
      const Up bias(std::fabs(unit.bias));
      reached.pre.push_back(rounding_.of_sum(group.direction.size() + 1, z.magnitude + bias) +
                            rounding_.of_weight(unit.bias) * bias);
      widest = std::max(widest.value, (z.error + reached.pre.back()).value);
    }
    reached.hidden.assign(group.units.size(), Up());
    for (const Interval& cell : where) {
      if (cell.low > cell.high) continue;
      const double low = Outward::add_down(cell.low, -widest.value), high = Outward::add_up(cell.high, widest.value);
      const auto& points = group.breakpoints;
      const auto first = std::lower_bound(points.begin(), points.end(), low) - points.begin();
      const auto last = std::upper_bound(points.begin(), points.end(), high) - points.begin();
      for (auto c = first; c <= last; ++c) reached.cells[static_cast<std::size_t>(c)] = true;
      for (std::size_t k = 0; k < group.units.size(); ++k) {
        const ParallelUnits::Unit& unit = group.units[k];
        const double most = Outward::add_up(unit.sign > 0 ? high : -low, unit.bias);
        if (group.direction.empty() || most > 0)
          reached.hidden[k] = std::max({reached.hidden[k].value, most, group.direction.empty() ? unit.bias : 0.0});
      }
    }
    return reached;
  }

  void feed_forward(std::size_t l) {
    const model::FeedForward& ffn = network_.model.layers[l].ffn;
    const LayerFacts& facts = facts_.layers[l];
    std::vector<std::map<std::uint32_t, Interval>> slope(error_.size());
    Vector rounded(error_.size()), magnitude(error_.size());
    std::vector<std::size_t> terms(error_.size(), 0);
    for (std::size_t g = 0; g < network_.units[l].size(); ++g) {
      const ParallelUnits& group = network_.units[l][g];
      Linear z;
      for (const auto& [column, weight] : group.direction) {
        const Up w(std::fabs(weight)), x = Up(facts.middle[column]) + error_[column];
        z.error += w * error_[column] + rounding_.of_weight(weight) * w * x;
        z.magnitude += w * x;
      }
      const Reached reached = reach(group, facts.groups[g], z);
      for (const ParallelUnits::Target& target : group.targets) {
        const std::uint32_t c = target.coordinate;
        const Interval steepness = slope_of(target, reached.cells);
        for (const auto& [column, weight] : group.direction) {
          Interval& entry = slope[c][column];
          entry = entry + weight * steepness;
        }
        for (std::size_t k = 0; k < group.units.size(); ++k) {
          if (target.weights[k] == 0 || reached.hidden[k].value <= 0) continue;
          const Up w(std::fabs(target.weights[k]));
          rounded[c] += w * (reached.pre[k] + rounding_.of_storing(reached.hidden[k]) +
                             rounding_.of_weight(target.weights[k]) * reached.hidden[k]);
          // A weight of W₁ that is rounded has moved z, also where slopes cancel.
          for (const auto& [column, weight] : group.direction)
            rounded[c] +=
                w * rounding_.of_weight(weight) * Up(std::fabs(weight)) * (Up(facts.middle[column]) + error_[column]);
          magnitude[c] += w * reached.hidden[k];
          ++terms[c];
        }
      }
    }
    Vector next(error_.size());
    for (std::size_t c = 0; c < error_.size(); ++c) {
      Interval& own = slope[c][static_cast<std::uint32_t>(c)];
      own = own + Interval{1, 1};
      for (const auto& [column, s] : slope[c]) next[c] += Up(s.magnitude()) * error_[column];
      const bool changes = terms[c] > 0 || ffn.b2[c] != 0;
      if (changes) {
        const Up total = magnitude[c] + Up(std::fabs(ffn.b2[c])) + Up(facts.middle[c]) + error_[c];
        next[c] += rounded[c] + rounding_.of_sum(terms[c] + 2, total) + rounding_.of_storing(total) +
                   rounding_.of_weight(ffn.b2[c]) * Up(std::fabs(ffn.b2[c]));
      }
    }
    error_ = std::move(next);
  }

  static Interval slope_of(const ParallelUnits::Target& target, const std::vector<bool>& cells) {
    Interval result{kInfinity, -kInfinity};
    for (std::size_t c = 0; c < cells.size(); ++c)
      if (cells[c]) result = hull(result, target.slopes[c]);
    return result.low > result.high ? Interval{} : result;
  }

  void judge() {
    for (const std::uint32_t c : network_.outputs) result_.output = std::max(result_.output, error_[c].value);
    const std::size_t last = network_.model.layers.size();
    switch (network_.model.output.kind) {
      case model::OutputKind::integer:
        if (const double off = result_.output * static_cast<double>(facts_.n); !(off < 0.49))
          fail(fmt::format("n times the output may be off by {:.3g}", off), last, -1);
        return;
      case model::OutputKind::whole:
        if (!(result_.output < 0.49)) fail(fmt::format("the output may be off by {:.3g}", result_.output), last, -1);
        return;
      case model::OutputKind::ratios:
        return fail("the output is a quotient", last, -1);
      case model::OutputKind::scores:
        if (!(result_.output <= kScoreError))
          fail(fmt::format("a score may be off by {:.3g}", result_.output), last, -1);
        return;
      case model::OutputKind::boolean:
      case model::OutputKind::string:
        return judge_truth_values(last);
    }
  }

  void judge_truth_values(std::size_t last) {
    if (facts_.boolean_outputs) {
      if (!(result_.output <= 0.25)) fail(fmt::format("the output may be off by {:.3g}", result_.output), last, -1);
    } else if (!(result_.output < facts_.half_distance)) {
      fail(fmt::format(
               "the hard network's output is not 0 or 1 for all that is known, and may be as near to ½ as {:.3g}",
               facts_.half_distance),
           last, -1);
    }
  }

  const Network& network_;
  const LengthFacts& facts_;
  const double inverse_tau_, scale_;
  const Rounding rounding_;
  Vector error_;
  Errors result_;
};

}  // namespace

double Sharpening::inverse_tau(std::size_t n) const { return scale * model::inverse_temperature(formula, 1, n); }

Errors propagate(const Network& network, const LengthFacts& facts, const Sharpening& sharpening,
                 std::optional<NumberFormat> format) {
  return Propagation(network, facts, sharpening, format).run();
}

}  // namespace quench::soften
