// The feed-forward sublayer: hidden units back to the functions they make up, and the proof that each comes out right.
//
//   cube      ReLU(Σ l − (m−1))                              of exact Booleans: small integers, no rounding
//   ramp      w·(ReLU(t − from) − ReLU(t − to))              w(to − from) = ±1: 0 for t ≤ from, ±1 for t ≥ to  [P-L9]
//   clearing  −ReLU(x) + ReLU(−x) onto x itself              exactly 0
//
// A ramp is right if no ideal t, widened by its error, reaches the open interval (from, to). Then "off" is exactly 0;
// "on" is exact if both subtractions are, which holds where from and to are non-negative multiples of the spacing of
// floating-point numbers at the greatest t, and otherwise has the error of what is rounded.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "certify/cube.h"
#include "certify/proof.h"

namespace quench::certify {
namespace {

class FeedForwardProof {
 public:
  FeedForwardProof(const Setting& setting, const model::FeedForward& ffn, const State& read, const State& stored)
      : setting_(setting), ffn_(ffn), before_(read), stored_(stored), uses_(ffn.b1.size()) {
    for (std::size_t target = 0; target < ffn.w2.rows.size(); ++target)
      for (const auto& [unit, weight] : ffn.w2.rows[target]) ++uses_[unit];
  }

  Value target(std::size_t coordinate) {
    std::vector<SparseMatrix::Entry> units = ffn_.w2.rows[coordinate];
    const bool cleared = take_clearing(coordinate, units);
    if (units.empty() && ffn_.b2[coordinate] == 0) return cleared ? clear(coordinate) : stored_[coordinate];
    if (cleared || !stored_[coordinate].is_free())
      throw NotProved("a feed-forward sublayer writes to a coordinate that is in use", -1);
    Value result = function(coordinate, units);
    add_to(setting_, stored_[coordinate], result);
    return result;
  }

 private:
  /// Removes the units that clear the coordinate; true if there are any.
  bool take_clearing(std::size_t coordinate, std::vector<SparseMatrix::Entry>& units) {
    positive_part_ = negative_part_ = false;
    std::erase_if(units, [&](const SparseMatrix::Entry& unit) {
      const SparseMatrix::Row& row = ffn_.w1.rows[unit.column];
      const bool own = row.size() == 1 && row[0].column == coordinate && ffn_.b1[unit.column] == 0;
      if (!own || std::fabs(row[0].value) != 1 || unit.value != -row[0].value) return false;
      (row[0].value > 0 ? positive_part_ : negative_part_) = true;
      return true;
    });
    return positive_part_ || negative_part_;
  }

  Value clear(std::size_t coordinate) const {
    const Value& before = before_[coordinate];
    const Interval all = before.all();
    Value after = Value::constant(0);
    const bool above = positive_part_ || all.high <= 0, below = negative_part_ || all.low >= 0;
    if (!above || !below) throw NotProved("a coordinate is not cleared completely", before.origin);
    if (setting_.layer_norm) {  // what is read is not quite what is there
      const Upper most = Upper(all.magnitude()) + before.error;
      after.error = Upper(2) * before.error + stored_[coordinate].error + bounds::rounding_error(setting_.arithmetic.compute, most);
    } else if (!(positive_part_ && (negative_part_ || before.not_negative))) {
      after.error = before.error;
    }
    after.origin = after.exact() ? -1 : before.origin;
    return after;
  }

  Value function(std::size_t coordinate, const std::vector<SparseMatrix::Entry>& units) {
    std::vector<Cube> cubes;
    for (std::size_t k = 0; k < units.size(); ++k) {
      const std::size_t unit = units[k].column;
      if (uses_[unit] != 1) throw NotProved("a hidden unit serves several coordinates", -1);
      require_exact_weight(setting_, units[k].value, "W2");
      const bool pair = k + 1 < units.size() && units[k + 1].value == -units[k].value &&
                        ffn_.w1.rows[unit] == ffn_.w1.rows[units[k + 1].column];
      cubes.push_back(pair ? make_ramp(setting_, before_, ffn_.w1.rows[unit], ffn_.b1[unit],
                                       ffn_.b1[units[k + 1].column], units[k].value)
                           : make_unit(setting_, before_, ffn_.w1.rows[unit], ffn_.b1[unit], units[k].value));
      k += pair;
    }
    require_exact_weight(setting_, ffn_.b2[coordinate], "b2");
    Value result = sum(cubes, ffn_.b2[coordinate]);
    if (setting_.prepared.has_sinks && result.exact())
      for (std::size_t c = 0; c < result.local.size(); ++c)
        if (setting_.has_class(static_cast<int>(c)))
          result.local[c] = local_function(before_, cubes, ffn_.b2[coordinate], c);
    return result;
  }

  /// b2 + Σ cubes. Cubes that exclude each other are summed without rounding, at most one being on.
  Value sum(const std::vector<Cube>& cubes, double b2) const {
    Value result;
    const bool one_sign =
        std::all_of(cubes.begin(), cubes.end(), [&](const Cube& cube) { return cube.factor == cubes[0].factor; });
    bool exclusive = one_sign;
    for (std::size_t c = 0; c < kClasses; ++c) {
      if (!setting_.has_class(static_cast<int>(c))) {
        result.ideal[c] = Set::integers(0, 0);
        continue;
      }
      const bool apart = one_sign && mutually_exclusive(before_, cubes, c);
      Interval total{b2, b2}, widest{0, 0};
      for (const Cube& cube : cubes) {
        const Interval part = cube.factor * cube.on[c];
        total = total + part;
        widest = hull(widest, part);
      }
      // At most one is on; if one must be on, 0 is out.
      if (apart && cubes.size() > 1) {
        if (std::any_of(cubes.begin(), cubes.end(), [&](const Cube& cube) { return cube.on[c].low > 0; }))
          widest = {cubes[0].factor, cubes[0].factor};
        total = Interval{b2, b2} + widest;
      }
      exclusive = exclusive && apart;
      if (!is_integer(total.low) || !is_integer(total.high))
        throw NotProved("a feed-forward sublayer computes what is not a whole number", -1);
      result.ideal[c] = Set::integers(total.low, total.high);
    }
    add_errors(cubes, b2, exclusive, result);
    return result;
  }

  void add_errors(const std::vector<Cube>& cubes, double b2, bool exclusive, Value& result) const {
    Upper most, all, size(std::fabs(b2));
    bool quiet_when_off = b2 == 0;  // an ideal 0 is computed as exactly 0
    for (const Cube& cube : cubes) {
      all += cube.error;
      if (most < cube.error) most = cube.error, result.origin = cube.origin;
      size += Upper(std::fabs(cube.factor)) * Upper(std::fmax(1, cube.greatest)) + cube.error;
      quiet_when_off = quiet_when_off && cube.is_ramp && cube.factor > 0;
    }
    const FloatFormat &storage = setting_.arithmetic.storage, &compute = setting_.arithmetic.compute;
    result.error = exclusive && !setting_.layer_norm ? most : all;  // what is off leaks, too
    // Ramps pass through numbers that are not whole; only if nothing else is on do they cancel without rounding.
    const bool ramps = std::any_of(cubes.begin(), cubes.end(), [](const Cube& cube) { return cube.is_ramp; });
    if ((!exclusive && ramps) || !result.error.is_zero() || !representable(compute, size, 0))
      result.error += Upper(2 * static_cast<double>(cubes.size() + 1)) * bounds::rounding_error(compute, size);
    // Storing 1 ± ε gives 1 for ε below a quarter of the spacing above 1, half the spacing below 1.
    if (quiet_when_off && exclusive && result.error < bounds::power_of_two(-storage.precision - 1)) result.error = {};
    const Upper stored_size = Upper(result.all().magnitude()) + result.error;
    if (!result.error.is_zero() || !representable(storage, stored_size, 0))
      result.error += bounds::rounding_error(storage, stored_size);
    if (!result.error.is_finite()) throw NotProved("a feed-forward result exceeds the range", result.origin);
    result.not_negative = result.exact() && result.all().low >= 0;
    if (result.exact()) result.origin = -1;
  }

  const Setting& setting_;
  const model::FeedForward& ffn_;
  const State &before_, &stored_;
  std::vector<int> uses_;
  bool positive_part_ = false, negative_part_ = false;
};

}  // namespace

void feed_forward(const Setting& setting, const model::FeedForward& ffn, const State& read, State& state) {
  for (const double b : ffn.b1) require_exact_weight(setting, b, "b1");
  for (const SparseMatrix::Row& row : ffn.w1.rows)
    for (const auto& [column, w] : row) require_exact_weight(setting, w, "W1");
  FeedForwardProof proof(setting, ffn, read, state);
  std::vector<std::pair<std::size_t, Value>> written;
  int id = fresh_id(state);
  for (std::size_t coordinate = 0; coordinate < state.size(); ++coordinate)
    if (!ffn.w2.rows[coordinate].empty() || ffn.b2[coordinate] != 0) {
      written.emplace_back(coordinate, proof.target(coordinate));
      written.back().second.id = id++;
    }
  for (auto& [coordinate, value] : written) state[coordinate] = std::move(value);
}

}  // namespace quench::certify
