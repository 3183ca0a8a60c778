// Which keys win, by the kind of head that its claim names and the scores have to bear out. U is the unit of the
// scores' differences, so whoever does not win is at least U behind.
#include <cmath>
#include <map>

#include "certify/whole/whole.h"

namespace quench::certify {
namespace {

using Kind = Mark::Kind;
using Number = Mark::Number;

/// One key coordinate's coefficient: a constant plus multiples of the query's coordinates.
struct Coefficient {
  double constant = 0;
  std::vector<std::pair<std::size_t, double>> others;
};

class KeyProof {
 public:
  KeyProof(const Setting& setting, const Wholes& state, const model::Head& head, const Scores& scores)
      : setting_(setting), state_(state), head_(head), scores_(scores) {}

  Winners run() {
    for (std::size_t a = 0; a < scores_.parts.size(); ++a)
      for (std::size_t b = 0; b < a; ++b)
        if (const Mark& mark = state_[scores_.parts[a].key].mark;
            mark.kind != Kind::none && mark == state_[scores_.parts[b].key].mark)
          fail("a position encoding that a head has twice");
    switch (head_.claim.lemma.value()) {
      case Lemma::q_match:
        return nearest();
      case Lemma::q_address:
        return address();
      case Lemma::q_count:
        return block();
      case Lemma::q_theta:
        return counted();
      default:
        throw NotProved("claims a lemma that is not about whole numbers", -1);
    }
  }

 private:
  Coefficient coefficient(const Scores::Part& part) const {
    Coefficient result;
    for (const auto& [column, w] : part.coefficient) {
      const Ranges& x = state_[column].ranges;
      if (x.is_point(x.all.low))
        result.constant += w * x.all.low;
      else
        result.others.emplace_back(column, w);
    }
    return result;
  }

  [[noreturn]] static void fail(const char* why) { throw NotProved(why, -1); }

  void need_length(int bits) const {
    if (setting_.length > std::exp2(bits)) fail("positions have more bits than the keys");
  }

  bool multiple(double x, double of) const { return std::fmod(x, of) == 0; }

  /// [Q-match]: in units of U bit b of the position has an odd multiple of 2^b, everything else a multiple of 2^L. Of
  /// two keys, let b be the lowest bit in which they differ: then so do their scores, by an odd multiple of 2^b. No two
  /// tie.
  Winners nearest() const {
    int bits = 0;
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      bits += mark.kind == Kind::bit && mark.number == Number::before;
    }
    need_length(bits);
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      const bool of_position = mark.kind == Kind::bit && mark.number == Number::before;
      const double place = scores_.unit * std::exp2(of_position ? mark.bit : bits);
      const Coefficient c = coefficient(part);
      const bool odd = std::fabs(std::fmod(c.constant, 2 * place)) == place;
      if (of_position ? mark.bit >= bits || !odd : !multiple(c.constant, place))
        fail("ties are not broken by the position");
      for (const auto& [column, w] : c.others)
        if (!multiple(w, of_position ? 2 * place : place)) fail("ties are not broken at every query");
    }
    return {Winners::Kind::one};
  }

  Winners address() const {
    bool at_end = false;
    for (const Scores::Part& part : scores_.parts)
      at_end = at_end || state_[part.key].mark.kind == Kind::first || state_[part.key].mark.kind == Kind::last;
    if (!at_end && head_.mask != Mask::none) return half_or_itself();
    return !at_end ? reflection() : scores_.parts.size() == 1 ? end() : one_of_block();
  }

  /// [Q-address] of the position n + 1 − i: every bit of j − 1 is that of n − i, which is always a position's.
  Winners reflection() const {
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      if (mark.kind != Kind::bit || mark.number != Number::before ||
          !is_asked(part, mark.bit, Number::after, scores_.unit) || mark.bit >= static_cast<int>(scores_.parts.size()))
        fail("an address that is not the reflection");
    }
    need_length(static_cast<int>(scores_.parts.size()));
    if (head_.mask != Mask::none) fail("a reflection that is hidden");
    return {Winners::Kind::position};
  }

  /// [Q-half] without a sink: the bits asked for are those of h_k(x), which is at most x. Above k they are x's, bit k
  /// is 0, and below they are x_b ∨ x_k.
  Winners half_or_itself() const {
    std::optional<int> k;
    const auto settle = [&](int found) {
      if (k && *k != found) fail("an address of two blocks");
      k = found;
    };
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      if (mark.kind != Kind::bit || mark.number != Number::before || mark.bit >= static_cast<int>(scores_.parts.size()))
        fail("an address that is not of positions");
      if (is_asked(part, mark.bit, Number::before, scores_.unit)) continue;
      const Coefficient c = coefficient(part);
      const bool cleared = c.others.empty() && c.constant == -scores_.unit;
      const bool either =
          c.others.size() == 1 && c.constant == -scores_.unit && c.others[0].second == 2 * scores_.unit &&
          state_[c.others[0].first].mark.kind == Kind::either_bit && state_[c.others[0].first].mark.bit == mark.bit;
      if (!cleared && !either) fail("an address that is not the end of a block");
      settle(cleared ? mark.bit : state_[c.others[0].first].mark.low);
    }
    for (const Scores::Part& part : scores_.parts)
      if (const int b = state_[part.key].mark.bit; k && b != *k)
        if (is_asked(part, b, Number::before, scores_.unit) != (b > *k)) fail("an address with bits of another number");
    need_length(static_cast<int>(scores_.parts.size()));
    if (head_.mask != Mask::future) fail("an address that is hidden");
    return {Winners::Kind::position};
  }

  /// [Q-address] of an end of the word: its key is ahead of all others by U.
  Winners end() const {
    if (scores_.parts.size() != 1) fail("an address with more than one part");
    const Mark& mark = state_[scores_.parts[0].key].mark;
    const Coefficient c = coefficient(scores_.parts[0]);
    if (!c.others.empty() || !(c.constant > 0)) fail("an address that depends on the query");
    if (mark.kind == Kind::first && head_.mask != Mask::past) return {Winners::Kind::first};
    if (mark.kind == Kind::last && head_.mask != Mask::future) return {Winners::Kind::last};
    fail("an address that is not an end of the word, or is hidden");
  }

  /// [Q-count], [Q-blocks]: bits asked above t, bit t fixed to 0, the lowest fixed to 1; a sink where the query's bit t
  /// is 0.
  Winners block() const {
    const double unit = scores_.unit;
    std::map<int, const Scores::Part*> bits;
    const Scores::Part* sink = nullptr;
    std::optional<Number> keys;
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      if (mark.kind == Kind::bit) {
        if (keys && *keys != mark.number) fail("a block of keys of two numbers");
        keys = mark.number;
        bits[mark.bit] = &part;
      } else if ((mark.kind == Kind::first || mark.kind == Kind::last) && !sink) {
        sink = &part;
      } else {
        fail("a block of keys with other parts");
      }
    }
    if (!sink) fail("a block without a sink");
    // The sink's coefficient is w·(1 − query bit).
    const Coefficient pull = coefficient(*sink);
    const bool at_last = state_[sink->key].mark.kind == Kind::last;
    const bool strong = pull.constant >= unit * static_cast<double>(bits.size() + 1);
    if (strong && pull.others.empty() && head_.mask != (at_last ? Mask::future : Mask::past))
      return {at_last ? Winners::Kind::last : Winners::Kind::first};  // words are too short for the bit
    if (pull.others.size() != 1 || pull.others[0].second != -pull.constant || !strong)
      fail("a sink that is not gated by one bit, or too weak");
    const Mark& gate = state_[pull.others[0].first].mark;
    const Number of_keys = gate.number == Number::after ? Number::after : Number::before;
    if (gate.kind != Kind::bit || at_last != (gate.number != Number::before) || (keys && *keys != of_keys))
      fail("a block of keys, its gate and its sink do not belong together");
    const Mask narrow = gate.number == Number::before  ? Mask::future
                        : gate.number == Number::after ? Mask::past
                                                       : Mask::none;
    if (head_.mask != narrow && head_.mask != Mask::none) fail("a block of keys under the wrong mask");
    const int t = gate.bit;
    int low = 0;
    while (bits.contains(low) && low < t && is_fixed(*bits[low], unit)) ++low;
    int count = low;
    for (int b = low; b < t; ++b)
      if (bits.contains(b)) fail("a block with bits that are neither lowest nor highest");
    if (!bits.contains(t) || !is_fixed(*bits[t], -unit)) fail("a block whose bit is not fixed");
    ++count;
    int highest = t + 1;
    for (; bits.contains(highest); ++highest, ++count)
      if (!is_asked(*bits[highest], highest, gate.number, unit)) fail("a block whose bits are not those of the query");
    if (count != static_cast<int>(bits.size())) fail("a block with bits that are not its own");
    need_length(highest);
    return {Winners::Kind::dyadic, gate.number, t, t - low};
  }

  /// [Q-half]: a block of one key, or the sink, whose value may be anything.
  Winners one_of_block() const {
    const Winners found = block();
    if (found.kind != Winners::Kind::dyadic) return found;
    if (found.count != 0) fail("a block of more than one key");
    return {Winners::Kind::position};
  }

  bool is_fixed(const Scores::Part& part, double value) const {
    const Coefficient c = coefficient(part);
    return c.others.empty() && c.constant == value;
  }

  bool is_asked(const Scores::Part& part, int b, Number number, double unit) const {
    const Coefficient c = coefficient(part);
    return c.others.size() == 1 && c.constant == -unit && c.others[0].second == 2 * unit &&
           state_[c.others[0].first].mark == Mark{Kind::bit, number, b, 0};
  }

  /// A bit is asked for by U(2β − 1) with a Boolean β, the lower part by whole multiples of 2U.
  void need_whole(const Scores::Part& part, double unit, bool asked) const {
    const Coefficient c = coefficient(part);
    bool fine = asked ? std::fabs(c.constant) == unit : multiple(c.constant, 2 * unit);
    for (const auto& [column, w] : c.others) {
      const Interval& range = state_[column].ranges.all;
      fine =
          fine && (asked ? w == 2 * unit && c.constant < 0 && c.others.size() == 1 && range.low >= 0 && range.high <= 1
                         : multiple(w, 2 * unit));
    }
    if (!fine) fail("what an address asks for is not Boolean");
  }

  /// [Q-theta]: with x the count, the coefficients are curves of x. From bit `low` on they are ±U, the bits β of x − 1;
  /// below 2^b·2U·y, and lo² has −U: so key x − 1 is ahead by U(misfits + (y − lo)²), if Σ 2^b β_b + y = x − 1.
  Winners counted() const {
    const double unit = scores_.unit;
    std::map<int, Sum> bits;
    std::map<int, const Scores::Part*> parts;
    int low = 0, squares = 0;
    for (const Scores::Part& part : scores_.parts) {
      const Mark& mark = state_[part.key].mark;
      if (mark.kind == Kind::bit && mark.number == Number::before) {
        parts[mark.bit] = &part;
        bits.emplace(mark.bit, sum_of(setting_, state_, part.coefficient, 0, Stored::no));
      } else if (mark.kind == Kind::square_bit && mark.bit != 1) {  // no square is 2 or 3 mod 4
        low = mark.low;
        ++squares;
        const Coefficient c = coefficient(part);
        if (!c.others.empty() || c.constant != -unit * std::exp2(mark.bit) || mark.bit >= 2 * low)
          fail("squares have the wrong factor");
      } else {
        fail("an address of a count with other parts");
      }
    }
    for (const Scores::Part& part : scores_.parts)
      if (const Mark& mark = state_[part.key].mark; mark.kind == Kind::square_bit && mark.low != low)
        fail("squares of two sizes");
    if (low == 0 || squares != 2 * low - 1) fail("not all bits of the square");
    const int count = static_cast<int>(bits.size());
    need_length(count);
    const std::shared_ptr<const Base>& base = bits.contains(0) ? bits.at(0).base : nullptr;
    if (!base || !base->counts || base->ranges.all.low < 0) fail("an address that is not a count");
    if (*base->counts == Number::before ? head_.mask == Mask::past : head_.mask != Mask::none)
      fail("an address of a count under the wrong mask");
    Curve address = Curve::line(base->ranges.all.low, base->ranges.all.high, 0, 0);
    const Interval counted{1, base->ranges.all.high};
    for (auto& [b, sum] : bits) {
      need_whole(*parts[b], unit, b >= low);
      const Interval all = sum.ranges.all;
      if (!sum.curve && all.low == all.high)
        sum.base = base, sum.curve = Curve::line(address.low(), address.high(), 0, all.low);
      if (b >= count || !sum.curve || sum.base->terms != base->terms) fail("an address of two counts");
      Curve curve = *sum.curve;
      if (b < low) {
        Curve lowest = *bits.at(0).curve;
        if (curve != (lowest *= std::exp2(b))) fail("an address with wrong factors");
        if (b > 0) continue;
        curve *= 1 / (2 * unit);
        const Interval y = curve.range(counted);
        if (y.low < 0 || y.high >= std::exp2(low) || (base->ranges.all.low == 0 && curve.at(0) != -1))
          fail("the lower part of an address is out of range");
        address += curve;
      } else {
        address += (curve *= std::exp2(b) / (2 * unit));
        address += std::exp2(b) / 2;  // (2β − 1)·U is what is asked
      }
    }
    if (address != Curve::line(address.low(), address.high(), 1, -1)) fail("an address that is not its count less 1");
    return {Winners::Kind::position};
  }

  const Setting& setting_;
  const Wholes& state_;
  const model::Head& head_;
  const Scores& scores_;
};

}  // namespace

Winners winners(const Setting& setting, const Wholes& state, const model::Head& head, const Scores& scores) {
  return KeyProof(setting, state, head, scores).run();
}

}  // namespace quench::certify
