// Which keys win, by the factors of their cells (factors.h).
#include <algorithm>
#include <map>

#include "check/whole/cells.h"
#include "check/whole/factors.h"

namespace quench::check {
namespace {

using Of = Sight::Of;

Int power(int e) { return Int(1) << e; }

class ScoreCheck {
 public:
  ScoreCheck(const Claim& claim, const Cells& cells, const model::Head& head)
      : claim_(claim), cells_(cells), head_(head), factors_(score_factors(claim, cells, head, unit_)) {}

  Int apart() const { return unit_; }

  Win win() const {
    if (claim_.longest == 1) return {Win::By::first};  // the one position there is
    switch (head_.claim.lemma.value()) {
      case Lemma::q_match:
        return tie_broken();
      case Lemma::q_address:
        return by_address();
      case Lemma::q_count:
        return block();
      case Lemma::q_theta:
        return at_count();
      default:
        throw Rejected("a lemma of other heads");
    }
  }

 private:
  /// Positions up to N must differ in so many bits.
  void need_bits(int bits) const {
    if (bits > 60 || claim_.longest > static_cast<double>(power(bits))) throw Rejected("positions need more bits");
  }

  /// The cells of bits of i−1 among the keys, by bit; each once.
  std::map<int, std::size_t> bits_of_position() const {
    std::map<int, std::size_t> result;
    for (const auto& [key, factor] : factors_)
      if (cells_[key].sight.of == Of::before && !result.emplace(cells_[key].sight.bit, key).second)
        throw Rejected("a bit that is there twice");
    if (!result.empty() && result.rbegin()->first + 1 != static_cast<int>(result.size()))
      throw Rejected("a bit is missing");
    return result;
  }

  /// Modulo 2^L units only the position counts, each bit b by an odd multiple of 2^b: two keys differ by an odd
  /// multiple of 2^b, b the lowest bit in which they do.
  Win tie_broken() const {
    const auto bits = bits_of_position();
    const int count = static_cast<int>(bits.size());
    need_bits(count);
    for (const auto& [key, factor] : factors_) {
      const bool position = cells_[key].sight.of == Of::before;
      const Int place = unit_ * power(position ? cells_[key].sight.bit : count);
      if (factor.fixed % place != 0 || (position && factor.fixed / place % 2 == 0))
        throw Rejected("ties are not broken by the position");
      for (const auto& [query, w] : factor.by)
        if (w % (position ? 2 * place : place) != 0) throw Rejected("ties are not broken for every query");
    }
    return {Win::By::one_key, false};
  }

  Win by_address() const {
    for (const auto& [key, factor] : factors_)
      if (const Of of = cells_[key].sight.of; of == Of::first || of == Of::last)
        return factors_.size() == 1 ? at_end() : lone_key();
    return head_.mask == Mask::none ? reflected() : end_of_block_or_here();
  }

  /// All bits are asked for: with one k, those above it as x has them, bit k as 0, those below as x_b ∨ x_k. That is
  /// the number of the last position before x's block of 2^k, if x_k is 1, and otherwise x: never one to the right.
  Win end_of_block_or_here() const {
    if (head_.mask != Mask::future) throw Rejected("an address that is hidden");
    const auto bits = bits_of_position();
    if (bits.size() != factors_.size()) throw Rejected("an address with something else");
    need_bits(static_cast<int>(bits.size()));
    int k = -1;
    const auto settle = [&](int found) {
      if (k >= 0 && k != found) throw Rejected("an address of two blocks");
      k = found;
    };
    std::map<int, Sight> asked;  // by bit; nothing where it is to be 0
    for (const auto& [b, key] : bits) {
      const Factor& factor = factors_.at(key);
      if (factor.fixed != -unit_ || factor.by.size() > 1 ||
          (!factor.by.empty() && factor.by.begin()->second != 2 * unit_))
        throw Rejected("a bit that is not asked for");
      asked[b] = factor.by.empty() ? Sight{} : cells_[factor.by.begin()->first].sight;
      if (factor.by.empty()) settle(b);
      if (asked[b].of == Of::joined) settle(asked[b].low);
    }
    for (const auto& [b, sight] : asked) {
      const Sight wanted = k < 0 || b > k ? Sight{Of::before, b, 0} : b == k ? Sight{} : Sight{Of::joined, b, k};
      if (sight != wanted) throw Rejected("an address that is not the end of a block");
    }
    return {};
  }

  /// All bits of j−1 are asked for, and those of n−i, which is the number of some position, are what is asked.
  Win reflected() const {
    if (head_.mask != Mask::none) throw Rejected("a mirror image that is hidden");
    const auto bits = bits_of_position();
    if (bits.size() != factors_.size()) throw Rejected("an address with something else");
    need_bits(static_cast<int>(bits.size()));
    for (const auto& [b, key] : bits) {
      const Factor& factor = factors_.at(key);
      if (factor.fixed != -unit_ || factor.by.size() != 1 || factor.by.begin()->second != 2 * unit_ ||
          cells_[factor.by.begin()->first].sight != Sight{Of::after, b, 0})
        throw Rejected("an address that is no mirror image");
    }
    return {};
  }

  Win at_end() const {
    if (factors_.size() != 1) throw Rejected("an address of more than one end");
    const auto& [key, factor] = *factors_.begin();
    const Of of = cells_[key].sight.of;
    if (!factor.by.empty() || factor.fixed <= 0) throw Rejected("an end that is not always asked for");
    if (of == Of::first && head_.mask != Mask::past) return {Win::By::first};
    if (of == Of::last && head_.mask != Mask::future) return {Win::By::last};
    throw Rejected("an address that is not a visible end");
  }

  /// −U for each bit that is not the query's (above t), not 0 (bit t), not 1 (below `low`); and a sink at the end,
  /// ahead wherever bit t of the query's number is 0.
  Win block() const {
    std::map<int, const Factor*> bits;
    const Factor* sink = nullptr;
    bool at_last = false;
    Of keys = Of::nothing;
    for (const auto& [key, factor] : factors_) {
      const Sight& sight = cells_[key].sight;
      if (sight.of == Of::before || sight.of == Of::after) {
        if ((keys != Of::nothing && keys != sight.of) || !bits.emplace(sight.bit, &factor).second)
          throw Rejected("a block of two numbers, or with a bit twice");
        keys = sight.of;
      } else if ((sight.of == Of::first || sight.of == Of::last) && !sink) {
        sink = &factor;
        at_last = sight.of == Of::last;
      } else {
        throw Rejected("a block with something else");
      }
    }
    const Int needed_pull = unit_ * static_cast<Int>(bits.size() + 1);
    if (sink && sink->by.empty() && sink->fixed >= needed_pull && head_.mask != (at_last ? Mask::future : Mask::past))
      return {at_last ? Win::By::last : Win::By::first};  // no word is long enough for its bit
    if (!sink || sink->by.size() != 1 || sink->fixed != -sink->by.begin()->second || sink->fixed < needed_pull)
      throw Rejected("a block without a sink that is strong enough");
    const Sight& gate = cells_[sink->by.begin()->first].sight;
    const auto belongs = [&](Of number, Of of_keys, bool end) {
      return gate.of == number && at_last == end && (keys == Of::nothing || keys == of_keys);
    };
    Mask needed = Mask::none;
    if (belongs(Of::before, Of::before, false))
      needed = Mask::future;
    else if (belongs(Of::after, Of::after, true))
      needed = Mask::past;
    else if (!belongs(Of::others, Of::before, true))
      throw Rejected("a block and a sink that do not belong together");
    if (head_.mask != needed && head_.mask != Mask::none) throw Rejected("a block that is hidden");

    const int t = gate.bit;
    const auto fixed = [&](int b, Int value) {
      return bits.contains(b) && bits[b]->by.empty() && bits[b]->fixed == value;
    };
    int low = 0, matched = 0;
    while (low < t && fixed(low, unit_)) ++low, ++matched;
    if (!fixed(t, -unit_)) throw Rejected("a block with an open bit");
    ++matched;
    int end = t + 1;
    for (; bits.contains(end); ++end, ++matched) {
      const Factor& asked = *bits[end];
      if (asked.fixed != -unit_ || asked.by.size() != 1 || asked.by.begin()->second != 2 * unit_ ||
          cells_[asked.by.begin()->first].sight != Sight{gate.of, end, 0})
        throw Rejected("a block that is not the query's");
    }
    if (matched != static_cast<int>(bits.size())) throw Rejected("a block with a gap");
    need_bits(end);
    return {Win::By::block, true, gate.of, t, t - low};
  }

  /// A block all of whose bits are given has one key; where the sink is ahead, that is the one.
  Win lone_key() const {
    const Win found = block();
    if (found.by == Win::By::block && found.keys_log > 0) throw Rejected("a block of several keys");
    return found.by == Win::By::block ? Win{} : found;
  }

  /// Key κ−1 is found by its upper bits, each asked for by U(2β−1), and by 2U·y·lo − U·lo² for the lower ones.
  Win at_count() const {
    const auto bits = bits_of_position();
    const int count = static_cast<int>(bits.size());
    need_bits(count);
    std::map<int, Int> squares;
    int low = 0;
    for (const auto& [key, factor] : factors_) {
      const Sight& sight = cells_[key].sight;
      if (sight.of == Of::before) continue;
      if (sight.of != Of::square || !factor.by.empty() || !squares.emplace(sight.bit, factor.fixed).second ||
          (low != 0 && low != sight.low))
        throw Rejected("an address of a count with something else");
      low = sight.low;
    }
    for (int b = 0; b < 2 * low; ++b)
      if (b != 1 && (!squares.contains(b) || squares[b] != -unit_ * power(b))) throw Rejected("a square is incomplete");
    if (low == 0 || static_cast<int>(squares.size()) != 2 * low - 1) throw Rejected("a square is incomplete");

    const Factor& lowest = factors_.at(bits.at(0));
    const Total y = total(claim_, cells_, lowest.row, 0);  // 2U·y
    if (!y.root || y.root->counts == Of::nothing || y.root->bounds.any.low < 0)
      throw Rejected("not the address of a count");
    const bool up_to_here = y.root->counts == Of::before;
    if (head_.mask != Mask::none && !(up_to_here && head_.mask == Mask::future))
      throw Rejected("a count that is hidden");
    const Bounds run = y.profile->run();
    // 2U(y + Σ 2^b β_b) = 2U(κ − 1), piece by piece.
    Profile address = *y.profile;
    const Bounds counted = y.profile->bounds({1, run.high});
    if (counted.low < 0 || counted.high >= 2 * unit_ * power(low) ||
        (run.low == 0 && y.profile->bounds({0, 0}) != Bounds{-2 * unit_, -2 * unit_}))
      throw Rejected("the lower part of an address is out of range");
    for (const auto& [b, key] : bits) {
      const Factor& factor = factors_.at(key);
      if (b < low) {
        need_multiples(factor, lowest, b);
        continue;
      }
      if (factor.by.empty() && (factor.fixed == unit_ || factor.fixed == -unit_)) {
        address.add(Profile(run.low, run.high, 0, factor.fixed == unit_ ? 2 * unit_ : 0), power(b));
        continue;
      }
      if (factor.fixed != -unit_ || factor.by.size() != 1 || factor.by.begin()->second != 2 * unit_)
        throw Rejected("a bit that is not asked for");
      const Cell& beta = cells_[factor.by.begin()->first];
      if (beta.bounds.any.low < 0 || beta.bounds.any.high > 1 || !beta.profile || beta.root->terms != y.root->terms)
        throw Rejected("a bit that is not one of the count");
      address.add(*beta.profile, 2 * unit_ * power(b));
    }
    if (!address.is(2 * unit_, -2 * unit_)) throw Rejected("an address that is not its count");
    return {Win::By::one_key, true};
  }

  /// Bit b of lo counts 2^b times what bit 0 does, in multiples of 2U.
  void need_multiples(const Factor& factor, const Factor& lowest, int b) const {
    bool same = factor.fixed == lowest.fixed * power(b) && factor.by.size() == lowest.by.size();
    for (const auto& [query, w] : lowest.by) {
      const auto found = factor.by.find(query);
      same = same && found != factor.by.end() && found->second == w * power(b) && w % (2 * unit_) == 0;
    }
    if (!same || lowest.fixed % (2 * unit_) != 0) throw Rejected("an address with other factors");
  }

  const Claim& claim_;
  const Cells& cells_;
  const model::Head& head_;
  Int unit_ = 0;  // the greatest common divisor of all factors
  Factors factors_;
};

}  // namespace

Win win(const Claim& claim, const Cells& cells, const model::Head& head, Int& apart) {
  const ScoreCheck check(claim, cells, head);
  apart = check.apart();
  return check.win();
}

}  // namespace quench::check
