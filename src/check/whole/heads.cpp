// The attention sublayers: what heads retrieve and W_O adds up.
#include <algorithm>
#include <cmath>
#include <map>

#include "check/whole/cells.h"

namespace quench::check {
namespace {

using Of = Sight::Of;

/// What the heads of a layer add to one coordinate, and what is there. Blocks of one number are bounded together: where
/// its bits are set, the blocks have 2^bit keys each, so all of them as many as the number says.
struct Sum {
  struct Blocks {
    Bounds total;              ///< if all bits could be set at once
    Int above = 0, below = 0;  ///< most that one key adds, as a fraction over 2^50
    bool all_keys = true;
  };
  Everywhere others;
  Int up = 0, down = 0;  ///< what their positive terms add up to at most, and the negative ones
  std::map<Of, Blocks> blocks;

  void add(const Everywhere& part) {
    plus(others.any, part.any);
    plus(others.first, part.first);
    plus(others.last, part.last);
    up += std::max<Int>(0, part.any.high);
    down += std::max<Int>(0, -part.any.low);
  }
};
constexpr int kFraction = 50;

/// Whether of the keys that are counted one is the sink, which adds nothing: n−1 keys are all but the last, its sink.
bool has_sink(Of number, const Sum::Blocks& blocks) { return blocks.all_keys && number != Of::others; }

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
    return sum.add({scaled(got, w), scaled(narrow && head.mask == Mask::future ? v.first : got, w),
                    scaled(narrow && head.mask == Mask::past ? v.last : got, w)});
  }
  if ((win.number == Of::before ? value.bounds.first : value.bounds.last) != Bounds{0, 0})
    throw Rejected("a sink adds something");
  Sum::Blocks& blocks = sum.blocks[win.number];
  if (win.bit > 60 || static_cast<Int>(claim.longest) - 1 < Int(1) << win.bit) return;  // never set
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
  Int up = sum.up, down = sum.down;
  for (const auto& [number, blocks] : sum.blocks) {
    const Int keys = std::max<Int>(0, static_cast<Int>(claim.longest) - (has_sink(number, blocks) ? 2 : 1));
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
      cell.beyond = sum.others.any.high - (has_sink(number, blocks) ? 1 : 0);
    }
  }
  need_room(claim.work, std::max(up, down), 0, "heads add up to more than the format holds");
  need_room(claim.store, size_of(cell.bounds.any), 0, "a count is not stored exactly");
  return cell;
}

}  // namespace

void pass_heads(const Claim& claim, const model::Layer& layer, Cells& cells, std::vector<Line>& lines) {
  std::map<std::size_t, Sum> sums;
  for (const model::Head& head : layer.heads) {
    if (head.weighting != Weighting::soft || head.temperature != Temperature::one)
      throw Rejected("a head that is not softmax at temperature 1");
    if (head.mask == Mask::strict_future || head.mask == Mask::strict_past) throw Rejected("a strict mask");
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
  for (auto& [coordinate, sum] : sums) {
    sum.add(cells[coordinate].bounds);
    cells[coordinate] = added_up(claim, sum);
    cells[coordinate].number = number++;
  }
}

}  // namespace quench::check
