// The sublayers: what heads retrieve and W_O adds up, what hidden units are and W_2 makes of them.
#include <algorithm>
#include <cmath>
#include <map>

#include "check/whole/cells.h"

namespace quench::check {
namespace {

using Of = Sight::Of;

/// What the heads of a layer add to one coordinate. Blocks of one number are bounded together: where its bits are set,
/// the blocks have 2^bit keys each, so all of them as many as the number says.
struct Sum {
  struct Blocks {
    Bounds total;              ///< if all bits could be set at once
    Int above = 0, below = 0;  ///< most that one key adds, as a fraction over 2^50
    bool all_keys = true;
  };
  Everywhere others;
  std::map<Of, Blocks> blocks;
};
constexpr int kFraction = 50;

Int most_keys(Of number, double longest, bool all_keys) {
  const Int keys = static_cast<Int>(longest) - (number == Of::length ? 0 : 1);
  return std::max<Int>(0, all_keys ? keys - 1 : keys);  // the end is one of them, and adds nothing
}

/// One row of W_V through a head, times `weight` of W_O.
void add_result(const Claim& claim, const Cells& cells, const model::Head& head, const Win& win, std::size_t l,
                double weight, Sum& sum) {
  const Total value = total(claim, cells, head.v.rows[l], 0);
  need_room(claim.store, size_of(value.bounds.any), value.grid, "a value is not stored exactly");
  const Int w = whole_weight(claim, weight);
  if (win.by != Win::By::block) {
    const Everywhere& v = value.bounds;
    const bool one = win.by == Win::By::one_key;
    const Bounds got = win.by == Win::By::first ? v.first : win.by == Win::By::last ? v.last : v.any;
    const bool narrow = one && !win.anywhere;  // at an end the mask may leave one key
    plus(sum.others.any, scaled(got, w));
    plus(sum.others.first, scaled(narrow && head.mask == Mask::future ? v.first : got, w));
    plus(sum.others.last, scaled(narrow && head.mask == Mask::past ? v.last : got, w));
    return;
  }
  const bool right = win.number == Of::after;
  if ((right ? value.bounds.last : value.bounds.first) != Bounds{0, 0}) throw Rejected("a sink adds something");
  Sum::Blocks& blocks = sum.blocks[win.number];
  const Int longest = static_cast<Int>(claim.longest) - (win.number == Of::length ? 0 : 1);
  if (win.bit > 60 || longest < Int(1) << win.bit) return;  // never set
  const Int size = size_of(value.bounds.any);
  need_room(claim.work, size << win.keys_log, value.grid, "a mean is not exact");
  need_room(claim.store, size, value.grid - win.keys_log, "a mean is not stored exactly");
  if (last_bit(weight) + value.grid < win.keys_log) throw Rejected("what heads add is not whole");
  const Bounds part = scaled({std::min<Int>(0, value.bounds.any.low), std::max<Int>(0, value.bounds.any.high)}, w);
  plus(blocks.total, part);
  const auto per_key = [&](Int x) { return ((x << kFraction) + (Int(1) << win.bit) - 1) >> win.bit; };
  blocks.above = std::max(blocks.above, per_key(part.high));
  blocks.below = std::max(blocks.below, per_key(-part.low));
  blocks.all_keys = blocks.all_keys && win.keys_log == win.bit;
}

Cell added_up(const Claim& claim, const Sum& sum) {
  Cell cell;
  cell.bounds = sum.others;
  Int up = std::max<Int>(0, sum.others.any.high), down = std::max<Int>(0, -sum.others.any.low);
  for (const auto& [number, blocks] : sum.blocks) {
    const Int keys = most_keys(number, claim.longest, blocks.all_keys);
    const Int above = std::min(blocks.total.high, (blocks.above * keys) >> kFraction);
    const Int below = std::min(-blocks.total.low, (blocks.below * keys) >> kFraction);
    const Bounds here{-below, above}, none{0, 0};
    plus(cell.bounds.any, here);
    plus(cell.bounds.first, number == Of::before ? none : here);
    plus(cell.bounds.last, number == Of::after ? none : here);
    up += above;
    down += below;
    if (sum.blocks.size() == 1 && blocks.all_keys && blocks.above <= Int(1) << kFraction) {
      cell.within = number;
      cell.beyond = sum.others.any.high - 1;
    }
  }
  need_room(claim.work, std::max(up, down), 0, "heads add up to more than the format holds");
  need_room(claim.store, size_of(cell.bounds.any), 0, "a count is not stored exactly");
  return cell;
}

long unused_number(const Cells& cells) {
  long most = 0;
  for (const Cell& cell : cells) most = std::max(most, cell.number);
  return most + 1;
}

class Units {
 public:
  Units(const Claim& claim, const model::FeedForward& ffn, const Cells& cells)
      : claim_(claim), ffn_(ffn), cells_(cells) {
    for (std::size_t k = 0; k < ffn.b1.size(); ++k) {
      inputs_.push_back(total(claim, cells, ffn.w1.rows[k], ffn.b1[k]));
      need_room(claim.store, std::max<Int>(0, inputs_[k].bounds.any.high), inputs_[k].grid,
                "a hidden unit is not stored exactly");
    }
  }

  Cell written(std::size_t coordinate) const {
    const SparseMatrix::Row& row = ffn_.w2.rows[coordinate];
    const Int constant = whole_weight(claim_, ffn_.b2[coordinate]);
    Int up = std::max<Int>(0, constant), down = std::max<Int>(0, -constant);
    for (const auto& [unit, value] : row) {
      const Int w = whole_weight(claim_, value), most = std::max<Int>(0, inputs_[unit].bounds.any.high);
      (w > 0 ? up : down) += (w > 0 ? w : -w) * most;
    }
    need_room(claim_.work, std::max(up, down), 0, "hidden units add up to more than the format holds");
    Cell cell;
    if (!of_one_root(coordinate, row, constant, cell)) {
      const Int there = cells_[coordinate].bounds.any.low;
      if (!cells_[coordinate].bounds.is(there)) throw Rejected("a coordinate is written to before it is cleared");
      const bool apart = never_together(row);
      const Int start = constant + there;
      if (!capped(row, start, cell))
        cell.bounds = {sum(row, start, &Everywhere::any, apart), sum(row, start, &Everywhere::first, apart),
                       sum(row, start, &Everywhere::last, apart)};
    }
    need_room(claim_.store, size_of(cell.bounds.any), 0, "what is written is not stored exactly");
    return cell;
  }

 private:
  /// All units, and what is there already, as one function of one sum.
  bool of_one_root(std::size_t coordinate, const SparseMatrix::Row& row, Int constant, Cell& cell) const {
    std::vector<std::pair<const Total*, Int>> parts;
    for (const auto& [unit, value] : row) parts.emplace_back(&inputs_[unit], static_cast<Int>(value));
    if (parts.empty() || !parts[0].first->profile) return false;
    const std::shared_ptr<const Root> root = parts[0].first->root;
    const Bounds run = root->bounds.any;
    Profile f(run.low, run.high, 0, constant);
    for (const auto& [input, w] : parts) {
      if (!input->profile || input->root->terms != root->terms) return false;
      f.add(input->profile->positive_part(), w);
    }
    if (!cells_[coordinate].bounds.is(0)) {
      const Total old = total(claim_, cells_, {{static_cast<std::uint32_t>(coordinate), 1}}, 0);
      if (!old.profile || old.root->terms != root->terms) return false;
      f.add(*old.profile, 1);
    }
    cell.bounds = {f.bounds(run), f.bounds(root->bounds.first), f.bounds(root->bounds.last)};
    cell.root = root;
    cell.profile = f;
    return true;
  }

  Bounds sum(const SparseMatrix::Row& row, Int constant, Bounds Everywhere::*place, bool apart) const {
    Bounds all{0, 0}, one{0, 0};
    for (const auto& [unit, value] : row) {
      const Bounds& z = inputs_[unit].bounds.*place;
      const Bounds part = scaled({std::max<Int>(0, z.low), std::max<Int>(0, z.high)}, static_cast<Int>(value));
      plus(all, part);
      one = {std::min(one.low, part.low), std::max(one.high, part.high)};
    }
    if (apart) all = {std::max(all.low, one.low), std::min(all.high, one.high)};
    return {all.low + constant, all.high + constant};
  }

  /// start + ReLU(z) − ReLU(z−m), where m is i−1, or n, in all of its bits, and `more`: at most start + m.
  bool capped(const SparseMatrix::Row& row, Int start, Cell& cell) const {
    if (row.size() != 2) return false;
    for (const std::size_t plus_at : {0u, 1u}) {
      const SparseMatrix::Entry &plus_unit = row[plus_at], &minus_unit = row[1 - plus_at];
      if (plus_unit.value != 1 || minus_unit.value != -1) continue;
      std::map<std::uint32_t, Int> m;
      for (const auto& [column, w] : ffn_.w1.rows[plus_unit.column]) m[column] += static_cast<Int>(w);
      for (const auto& [column, w] : ffn_.w1.rows[minus_unit.column]) m[column] -= static_cast<Int>(w);
      std::map<int, Of> bits;
      for (const auto& [column, w] : m) {
        if (w == 0) continue;
        const Sight& sight = cells_[column].sight;
        if ((sight.of != Of::before && sight.of != Of::length) || w != Int(1) << sight.bit ||
            !bits.emplace(sight.bit, sight.of).second)
          return false;
      }
      if (bits.empty() || bits.rbegin()->first + 1 != static_cast<int>(bits.size()) || bits.size() > 60) return false;
      const Of of = bits.begin()->second;
      for (const auto& [b, each] : bits)
        if (each != of) return false;
      const Int more = static_cast<Int>(ffn_.b1[plus_unit.column]) - static_cast<Int>(ffn_.b1[minus_unit.column]);
      const Int most = static_cast<Int>(claim_.longest) - (of == Of::before ? 1 : 0), least = of == Of::before ? 0 : 1;
      if (most >= Int(1) << bits.size() || least + more < 0) return false;
      cell.bounds.any = cell.bounds.first = cell.bounds.last = {start, start + most + more};
      if (of == Of::before) cell.bounds.first.high = start + more;
      cell.within = of;
      cell.beyond = start + more;
      return true;
    }
    return false;
  }

  /// No two are positive at once: two whole numbers that are add up to 2 at least.
  bool never_together(const SparseMatrix::Row& row) const {
    for (std::size_t a = 0; a < row.size(); ++a)
      for (std::size_t b = a + 1; b < row.size(); ++b) {
        std::map<std::uint32_t, Int> both;
        Int most = static_cast<Int>(ffn_.b1[row[a].column]) + static_cast<Int>(ffn_.b1[row[b].column]);
        for (const std::size_t unit : {row[a].column, row[b].column})
          for (const auto& [column, w] : ffn_.w1.rows[unit]) both[column] += static_cast<Int>(w);
        for (const auto& [column, w] : both) most += scaled(cells_[column].bounds.any, w).high;
        if (most > 1) return false;
      }
    return true;
  }

  const Claim& claim_;
  const model::FeedForward& ffn_;
  const Cells& cells_;
  std::vector<Total> inputs_;
};

}  // namespace

void pass_heads(const Claim& claim, const model::Layer& layer, Cells& cells, std::vector<Line>& lines) {
  std::map<std::size_t, Sum> sums;
  for (const model::Head& head : layer.heads) {
    if (head.weighting != Weighting::soft || head.temperature != Temperature::one)
      throw Rejected("a head that is not softmax at temperature 1");
    Int apart = 0;
    const Win won = win(claim, cells, head, apart);
    for (std::size_t coordinate = 0; coordinate < head.o.rows.size(); ++coordinate)
      for (const auto& [l, w] : head.o.rows[coordinate]) add_result(claim, cells, head, won, l, w, sums[coordinate]);
    Line line;
    line.lemma = head.claim.lemma.value();
    line.gap = static_cast<double>(apart);
    lines.push_back(line);
  }
  long number = unused_number(cells);
  for (const auto& [coordinate, sum] : sums) {
    if (!cells[coordinate].bounds.is(0)) throw Rejected("heads write to a coordinate that is in use");
    cells[coordinate] = added_up(claim, sum);
    cells[coordinate].number = number++;
  }
}

void pass_units(const Claim& claim, const model::FeedForward& ffn, Cells& cells) {
  const Units units(claim, ffn, cells);
  std::map<std::size_t, Cell> written;
  for (std::size_t k = 0; k < cells.size(); ++k)
    if (!ffn.w2.rows[k].empty() || ffn.b2[k] != 0) written[k] = units.written(k);
  long number = unused_number(cells);
  for (auto& [k, cell] : written) {
    cells[k] = std::move(cell);
    cells[k].number = number++;
  }
}

}  // namespace quench::check
