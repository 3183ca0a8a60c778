// What the heads of a layer retrieve, and what W_O adds of it to the residual stream.
//
// 1. Queries and keys are whole multiples of powers of two, stored exactly; so are their products, whose sum has bits
//    enough in any order: scores are exact. Or those of keys that bear no penalty are, and others far behind
//    (penalties.cpp).
// 2. Written by key coordinate, Σ_k (row of the query)·(key's coordinate k), every coefficient is a multiple of U, so
// scores
//    of two keys are equal or U apart; and e^{−U} is below half the smallest positive number ([Q-gap]).
// 3. keys.cpp says which keys win: one, or 2^s. Their mean is exact if the values, at most 2^s·max|v| multiples of 1
// or,
//    divided, of 2^−s, have bits enough; and so is what W_O makes of it.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/number/number_format.h"
#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

constexpr double kAboveLog2 = 0.6932;  // ln 2, rounded up

struct Retrieved {
  Ranges ranges;
  long grid = 0;
};

class WholeHead {
 public:
  WholeHead(const Setting& setting, const Wholes& state, const model::Head& head)
      : setting_(setting), state_(state), head_(head) {
    if (head.weighting != Weighting::soft || head.temperature != Temperature::one)
      throw NotProved("a head that is not softmax at temperature 1", -1);
    if (head.mask == Mask::strict_future || head.mask == Mask::strict_past) throw NotProved("a strict mask", -1);
    scores_ = scores();
    winners_.kind = Winners::Kind::first;  // where there is one position, it is the first
    if (setting.length > 1) winners_ = certify::winners(setting, state, head, scores_);
  }

  const Winners& winners() const { return winners_; }
  HeadLine line() const { return {{}, head_.claim.lemma.text(), scores_.unit, 0, 0}; }

  /// Whether bit `bit` of the number is ever set in words of this length.
  bool reached() const { return std::exp2(winners_.bit) <= setting_.length - 1; }

  Retrieved retrieved(std::size_t l) const {
    const Sum value = sum_of(setting_, state_, head_.v.rows[l], 0, Stored::yes);
    if (value.grid < 0) throw NotProved("a head retrieves what is not a whole number", -1);
    const Interval all = value.ranges.all;
    switch (winners_.kind) {
      case Winners::Kind::one:
        return {{all, head_.mask == Mask::future ? value.ranges.first : all,
                 head_.mask == Mask::past ? value.ranges.last : all},
                0};
      case Winners::Kind::position:
        return {Ranges::everywhere(all), 0};
      case Winners::Kind::first:
        return {Ranges::everywhere(value.ranges.first), 0};
      case Winners::Kind::last:
        return {Ranges::everywhere(value.ranges.last), 0};
      case Winners::Kind::dyadic:
        break;
    }
    const bool before = winners_.number == Mark::Number::before;
    if (const Interval end = before ? value.ranges.first : value.ranges.last; end.low != 0 || end.high != 0)
      throw NotProved("a sink has a value of its own", -1);
    if (!reached()) return {Ranges::everywhere({0, 0}), 0};
    const long grid = value.grid - winners_.count;
    if (!representable(setting_.arithmetic.compute, Upper(std::ldexp(all.magnitude(), winners_.count)), value.grid) ||
        !representable(setting_.arithmetic.storage, Upper(all.magnitude()), grid))
      throw NotProved("a mean has more bits than the format", -1);
    const Interval mean = hull(all, {0, 0}), none{0, 0};
    return {{mean, before ? none : mean, winners_.number == Mark::Number::after ? none : mean}, grid};
  }

 private:
  Scores scores() const {
    const std::size_t rows = head_.q.rows.size();
    double root = 1;
    while (root * root < static_cast<double>(rows)) root *= 2;
    if (root * root != static_cast<double>(rows)) throw NotProved("the width of queries is not a power of four", -1);
    std::vector<Product> products;
    for (std::size_t l = 0; l < rows; ++l)
      if (!head_.q.rows[l].empty() && !head_.k.rows[l].empty())
        products.push_back({l, sum_of(setting_, state_, head_.q.rows[l], 0, Stored::yes),
                            sum_of(setting_, state_, head_.k.rows[l], 0, Stored::yes)});
    std::optional<Penalties> penalties;
    if (!are_exact(setting_, products)) {
      penalties = set_penalties_aside(setting_, state_, head_, products);
      if (!penalties) throw NotProved("the scores are not exact at this length", -1);
    }
    std::map<std::size_t, std::map<std::size_t, double>> coefficients;  // key coordinate, query coordinate
    for (const Product& p : penalties ? penalties->others : products)
      for (const auto& [key, b] : head_.k.rows[p.row])
        for (const auto& [query, a] : head_.q.rows[p.row]) coefficients[key][query] += a * b / root;
    Scores result = by_key(coefficients);
    if (penalties && setting_.length > 1 && !(result.unit * root <= penalties->room))
      throw NotProved("keys with penalties are not far enough behind", -1);
    return result;
  }

  Scores by_key(const std::map<std::size_t, std::map<std::size_t, double>>& coefficients) const {
    Scores result;
    std::int64_t unit = 0;
    for (const auto& [key, terms] : coefficients) {
      const Ranges& ranges = state_[key].ranges;
      if (ranges.is_point(ranges.all.low)) continue;  // the same for all keys
      SparseMatrix::Row row;
      for (const auto& [query, w] : terms)
        if (w != 0) row.push_back({static_cast<std::uint32_t>(query), w});
      if (row.empty()) continue;
      for (const auto& [query, w] : row) {
        if (!is_integer(w)) throw NotProved("scores are not whole numbers", -1);
        unit = std::gcd(unit, static_cast<std::int64_t>(w));
      }
      result.parts.push_back({key, std::move(row)});
    }
    const FloatFormat& compute = setting_.arithmetic.compute;
    result.unit = static_cast<double>(unit);
    if (setting_.length > 1 && !(result.unit >= kAboveLog2 * (compute.precision - compute.min_exponent)))
      throw NotProved("keys that lose do not underflow", -1);
    return result;
  }

  const Setting& setting_;
  const Wholes& state_;
  const model::Head& head_;
  Scores scores_;
  Winners winners_;
};

/// What the heads of a layer add to one coordinate, and what is there.
class Addition {
 public:
  void begin_with(const Ranges& there) { add_rest(there); }

  void add(const Setting& setting, const WholeHead& head, const Retrieved& retrieved, double weight) {
    require_exact_weight(setting, weight, "W_O");
    if (!is_integer(weight)) throw NotProved("a weight that is not a whole number", -1);
    if (lowest_bit(weight) + retrieved.grid < 0) throw NotProved("what heads add up to is not a whole number", -1);
    const auto times = [&](const Interval& x) { return weight * x; };
    const Ranges part{times(retrieved.ranges.all), times(retrieved.ranges.first), times(retrieved.ranges.last)};
    const Winners& winners = head.winners();
    if (winners.kind != Winners::Kind::dyadic) return add_rest(part);
    Blocks& blocks = blocks_[winners.number];
    plus(blocks.sum, part);
    // Per unit of the number whose bit this is: all blocks together have as many units as the number says.
    blocks.above = std::fmax(blocks.above, std::ldexp(part.all.high, -winners.bit));
    blocks.below = std::fmax(blocks.below, std::ldexp(-part.all.low, -winners.bit));
    blocks.of_all_keys = blocks.of_all_keys && winners.count == winners.bit;
  }

  Whole result(const Setting& setting) const {
    Whole whole;
    whole.ranges = rest_;
    double positive = positive_, negative = negative_;
    for (const auto& [number, blocks] : blocks_) {
      // As many keys as the number says; of i − 1 or n − i that are all counted, the end is one, and its value is 0.
      const bool with_end = blocks.of_all_keys && number != Mark::Number::others;
      const double units = std::fmax(0, with_end ? setting.length - 2 : setting.length - 1);
      const double above = std::fmin(blocks.sum.all.high, std::floor(blocks.above * units));
      const double below = std::fmin(-blocks.sum.all.low, std::floor(blocks.below * units));
      const auto within = [&](const Interval& x) {
        return Interval{std::fmax(x.low, -below), std::fmin(x.high, above)};
      };
      plus(whole.ranges, {within(blocks.sum.all), within(blocks.sum.first), within(blocks.sum.last)});
      positive += above;
      negative += below;
      if (blocks_.size() == 1 && blocks.of_all_keys && blocks.above <= 1)
        whole.bounded_by = number, whole.slack = rest_.all.high - (with_end ? 1 : 0);
    }
    if (!representable(setting.arithmetic.compute, Upper(std::fmax(positive, negative)), 0) ||
        !representable(setting.arithmetic.storage, Upper(whole.ranges.all.magnitude()), 0))
      throw NotProved("a count has more bits than the format", -1);
    return whole;
  }

 private:
  struct Blocks {
    Ranges sum;
    double above = 0, below = 0;
    bool of_all_keys = true;  ///< not only of the last of each block of 2^low
  };
  static void plus(Ranges& sum, const Ranges& part) {
    sum.all = sum.all + part.all;
    sum.first = sum.first + part.first;
    sum.last = sum.last + part.last;
  }
  void add_rest(const Ranges& part) {
    plus(rest_, part);
    positive_ += std::fmax(0, part.all.high);
    negative_ += std::fmax(0, -part.all.low);
  }
  Ranges rest_;
  double positive_ = 0, negative_ = 0;  ///< what the positive terms of the rest add up to at most, and the negative ones
  std::map<Mark::Number, Blocks> blocks_;
};

}  // namespace

void attend_whole(const Setting& setting, const model::Layer& layer, int first_head, Wholes& state,
                  std::vector<HeadLine>& lines) {
  std::map<std::size_t, Addition> additions;
  std::map<std::size_t, int> last_head;
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    const int number = first_head + static_cast<int>(h);
    try {
      const WholeHead proof(setting, state, head);
      std::vector<Retrieved> retrieved;
      for (std::size_t l = 0; l < head.v.rows.size(); ++l) retrieved.push_back(proof.retrieved(l));
      std::size_t coordinate = 0;
      for (const SparseMatrix::Row& row : head.o.rows) {
        for (const auto& [l, w] : row)
          additions[coordinate].add(setting, proof, retrieved[l], w), last_head[coordinate] = number;
        ++coordinate;
      }
      lines.push_back(proof.line());
    } catch (const NotProved& failure) {
      throw NotProved(failure.what(), number);
    }
  }
  int id = next_id(state);
  for (auto& [coordinate, addition] : additions) {
    addition.begin_with(state[coordinate].ranges);
    try {
      state[coordinate] = addition.result(setting);
    } catch (const NotProved& failure) {
      throw NotProved(failure.what(), last_head[coordinate]);
    }
    state[coordinate].id = id++;
  }
}

}  // namespace quench::certify
