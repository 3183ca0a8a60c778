#include "certify/heads/linear_score.h"

#include <cmath>
#include <optional>

#include "base/number/rounding.h"

namespace quench::certify {

bool is_power_of_two(double w) {
  int exponent;
  return std::fabs(std::frexp(w, &exponent)) == 0.5;
}

namespace {

/// Σ w·x as it is stored, for queries and keys: one stored number times a power of two is not rounded again.
struct Projected {
  Value value;
  bool on_grid = false;
  long grid = 0;
};

Projected project(const Setting& setting, const State& state, const SparseMatrix::Row& row) {
  const FloatFormat& storage = setting.arithmetic.storage;
  if (row.size() == 1 && is_power_of_two(row[0].value)) {
    const Value& x = state[row[0].column];
    const double w = row[0].value;
    const long grid = x.grid + lowest_bit(w);
    const Upper size = Upper(std::fabs(w)) * (Upper(x.all().magnitude()) + x.error);
    if ((x.exact() || x.on_grid) && grid >= storage.min_exponent - storage.precision + 1 &&
        size <= Upper(storage.max_finite)) {
      Projected result{x, true, grid};
      for (Set& set : result.value.ideal)
        for (Interval& part : set.parts) part = w * part;
      result.value.error = Upper(std::fabs(w)) * x.error;
      return result;
    }
  }
  const RowSum sum = row_sum(setting, state, row, 0);
  return {stored(setting, sum), sum.exact, sum.grid};  // multiples of 2^grid are rounded to such multiples
}

struct Query {
  Growth growth = Growth::constant;
  bool parity = false;
  double factor = 0;  ///< of 1, i, n or (−1)^i
  Upper relative;     ///< error of what grows
};

class Recogniser {
 public:
  Recogniser(const Setting& setting, const State& state, const StoredHead& head)
      : setting_(setting), state_(state), head_(head), scale_(head.score_scale) {}

  LinearScore run() {
    if (head_.head.temperature != Temperature::one && head_.head.temperature != Temperature::inverse_power)
      fail("a temperature that our scores do not have");
    for (const StoredHead::Component& component : head_.components) add(component);
    finish_index();
    check_exact();
    return result_;
  }

 private:
  [[noreturn]] void fail(const char* why) const { throw NotProved(why, head_.number); }
  /// What it is ideally is what counts: it is computed exactly, or the score's error has what is missing.
  bool known(const Value& x) const { return setting_.layer_norm || x.exact(); }
  bool by_power() const { return head_.head.temperature == Temperature::inverse_power; }

  /// digit_0·w/256 + digit_1·w + digit_2·w = i·w/256
  bool is_index_in_digits(const SparseMatrix::Row& row, double& factor) const {
    if (row.size() != 3) return false;
    double weight[3] = {0, 0, 0};
    for (const auto& [column, w] : row)
      for (int d = 0; d < 3; ++d)
        if (state_[column].meaning == static_cast<Meaning>(static_cast<int>(Meaning::digit_0) + d)) weight[d] = w;
    factor = weight[0];
    return weight[0] != 0 && is_power_of_two(weight[0]) && weight[1] == 256 * weight[0] && weight[2] == weight[1];
  }

  Query query(const SparseMatrix::Row& row) const {
    double factor = 0;
    if (is_index_in_digits(row, factor)) {
      Query result{Growth::index, false, factor, {}};
      if (setting_.stores_narrower()) result.relative = bounds::unit_roundoff(setting_.arithmetic.storage);
      if (Upper(std::fabs(factor)) < bounds::power_of_two(setting_.arithmetic.storage.min_exponent))
        fail("a query underflows");
      return result;
    }
    if (row.size() != 1) fail("a query is not a single coordinate");
    const Value& x = state_[row[0].column];
    const double w = row[0].value;
    const bool exact = known(x);
    if (x.meaning == Meaning::index) return {Growth::index, false, w, exact ? Upper() : x.relative};
    if (x.meaning == Meaning::length) return {Growth::length, false, w, exact ? Upper() : x.relative};
    if (exact && x.is_ideally(1)) return {Growth::constant, false, w, {}};
    const double sign = exact ? alternation(setting_, x) : 0;
    if (sign == 0) fail("a query of no known meaning");
    return {Growth::constant, true, w * sign, {}};
  }

  void add(const StoredHead::Component& component) {
    Query q = query(component.q);
    if (!is_power_of_two(q.factor)) fail("a query is not scaled by a power of two");
    const double factor = scale_ * q.factor;
    if (by_power()) {
      if (q.growth != Growth::constant) fail("a query grows although the temperature falls");
      q.growth = Growth::power;
    }
    SparseMatrix::Row levels;
    double index_before = index_magnitude_;
    for (const SparseMatrix::Entry& entry : component.k) {
      const Value& x = state_[entry.column];
      const double sign = known(x) ? alternation(setting_, x) : 0;
      if (q.parity) {
        if (sign == 0 || result_.parity != 0 || !is_power_of_two(entry.value))
          fail("a parity in the query without one in the key");
        result_.parity = factor * entry.value * sign;
        result_.parity_growth = q.growth;
      } else if (!add_index(x.meaning, factor * entry.value, q.growth)) {
        levels.push_back(entry);
      }
    }
    if (!levels.empty()) add_levels(levels, factor, q);
    // Exactness. The index part is bounded as a whole: its digits add up to j.
    const Projected query = project(setting_, state_, component.q), key = project(setting_, state_, component.k);
    if (setting_.layer_norm) add_error(query.value, key.value);
    const bool only_index = levels.empty() && !q.parity;
    exact_ =
        exact_ && query.on_grid && key.on_grid && key.value.exact() && (query.value.exact() || !q.relative.is_zero());
    const long grid = query.grid + key.grid;
    grid_ = first_ ? grid : std::min(grid_, grid);
    first_ = false;
    if (!only_index) {
      index_magnitude_ = index_before;  // counted with the rest of its key
      magnitude_ += (Upper(query.value.all().magnitude()) + query.value.error) *
                    (Upper(key.value.all().magnitude()) + key.value.error);
    }
  }

  void add_error(const Value& query, const Value& key) {
    const Upper q(query.all().magnitude()), k(key.all().magnitude());
    const Upper roundings = Upper(static_cast<double>(head_.components.size() + 2)) *
                            bounds::unit_roundoff(setting_.arithmetic.compute);
    result_.error += q * key.error + k * query.error + query.error * key.error;
    result_.error += roundings * (q + query.error) * (k + key.error);
  }

  /// True if the coordinate is j or a part of it; `coefficient` is what multiplies it after scaling.
  bool add_index(Meaning meaning, double coefficient, Growth growth) {
    const bool plain = meaning == Meaning::index || meaning == Meaning::ratio_power;
    const bool over_power = meaning == Meaning::ratio_power || meaning == Meaning::digit_0_power ||
                            meaning == Meaning::digit_1_power || meaning == Meaning::digit_2_power;
    const Meaning zero = over_power ? Meaning::digit_0_power : Meaning::digit_0;
    const int digit = static_cast<int>(meaning) - static_cast<int>(zero);
    if (!plain && (digit < 0 || digit > 2)) return false;
    if (growth != (over_power ? Growth::power : Growth::constant)) fail("a position in a key is scaled");
    if (!is_power_of_two(coefficient)) fail("a position is not scaled by a power of two");
    if (!plain && !over_power && digit > 0) coefficient /= 256;  // per position
    if (plain) {
      if (digits_seen_ != 0 || result_.index != 0) fail("a position occurs twice in a score");
      result_.index = coefficient;
    } else {
      if (result_.index != 0 || (digits_seen_ >> digit & 1) != 0) fail("a digit occurs twice in a score");
      digits_seen_ |= 1 << digit;
      digit_[digit] = coefficient;
    }
    const double most = over_power ? 1 : setting_.length;
    index_magnitude_ = std::fmax(index_magnitude_, std::fabs(coefficient) / scale_ * most);
    return true;
  }

  void finish_index() {
    if (digits_seen_ == 0) return;
    if (digits_seen_ != 7 || digit_[1] != digit_[0] || digit_[2] != digit_[0]) fail("digits that are not those of j");
    result_.index = digit_[0];
  }

  /// Two levels: every class of positions has one of them, or both.
  void add_levels(const SparseMatrix::Row& row, double factor, const Query& q) {
    if (result_.level != 0) fail("levels in two products");
    double least = INFINITY;
    for (const SparseMatrix::Entry& entry : row) least = std::fmin(least, std::fabs(entry.value));
    SparseMatrix::Row scaled = row;
    for (SparseMatrix::Entry& entry : scaled) entry.value /= least;
    if (!is_power_of_two(least)) fail("a level that is not scaled by a power of two");
    const RowSum sum = row_sum(setting_, state_, scaled, 0);
    if (!sum.exact && !setting_.layer_norm) fail("the levels of a key are not exact");
    std::optional<double> low, high;
    const auto see = [&](double x) {
      if (low && *low < *high && x != *low && x != *high) fail("a key has more than two levels");
      if (!low)
        low = high = x;
      else
        low = std::fmin(*low, x), high = std::fmax(*high, x);
    };
    for (std::size_t c = 0; c < kClasses; ++c) {
      if (!setting_.has_class(static_cast<int>(c))) continue;
      const RowSum::PerClass& ideal = sum.ideal[c];
      if (ideal.rest.size() != 1 || !ideal.rest[0].is_point()) fail("a key has more than two levels");
      const Interval all = ideal.all();
      if (all.high - all.low > 1) fail("a key has more than two levels");
      see(all.low);
      see(all.high);
    }
    result_.levels = std::move(scaled);
    result_.level_weight = least;
    // Where all keys are equal the step does not matter.
    const double step = *high > *low ? *high - *low : 1;
    result_.level = factor * least * step;
    result_.level_growth = q.growth;
    result_.level_inexact = q.relative;
    if (!(result_.level > 0)) fail("the levels of a key are upside down");
  }

  /// Products and all their sums, then the scaling by 1/√d_k and N, powers of two.
  void check_exact() {
    const FloatFormat& compute = setting_.arithmetic.compute;
    const Upper total = magnitude_ + Upper(index_magnitude_);
    if (setting_.layer_norm) {
      if (by_power() || !(Upper(2) * (total + result_.error) <= Upper(compute.max_finite)))
        fail("scores that layer normalisation does not allow");
      result_.error *= Upper(scale_);
      return;
    }
    const long scaled_grid = grid_ + lowest_bit(scale_);
    Upper greatest = total;
    if (by_power()) {
      const Upper power = bounds::power_of_two(power_exponent(setting_.length));
      if (!(power <= Upper(compute.max_finite))) fail("the temperature is out of range");
      greatest *= power;
    }
    if (!exact_ || !representable(compute, total, grid_) ||
        scaled_grid < compute.min_exponent - compute.precision + 1 || !(greatest <= Upper(compute.max_finite)))
      fail("the scores are not exact at this length");
  }

  const Setting& setting_;
  const State& state_;
  const StoredHead& head_;
  double scale_;
  LinearScore result_;
  bool exact_ = true, first_ = true;
  long grid_ = 0;
  Upper magnitude_;             ///< of all products but those of the index alone
  double index_magnitude_ = 0;  ///< of those
  int digits_seen_ = 0;
  double digit_[3] = {0, 0, 0};
};

}  // namespace

double alternation(const Setting& setting, const Value& value) {
  const double sign = value.ideal[0].is_point(-1) ? 1 : value.ideal[0].is_point(1) ? -1 : 0;
  for (std::size_t c = 0; c < kClasses; ++c)
    if (setting.has_class(static_cast<int>(c)) && !value.ideal[c].is_point(kPositionClasses[c].even ? sign : -sign))
      return 0;
  return sign;
}

LinearScore linear_score(const Setting& setting, const State& state, const StoredHead& head) {
  return Recogniser(setting, state, head).run();
}

}  // namespace quench::certify
