// Positions a recipe can point at: parity, the first and the last position, and the reciprocals of how many positions
// are visible. [P-11] and the remark after it.
#include <algorithm>

#include "lower/paper/paper.h"

namespace quench::lower {

using Kind = PositionFormula::Kind;

namespace {

/// An upper bound of 1/3 that a double holds exactly.
constexpr double kThird = 0.375;

}  // namespace

bool PaperConstructions::offers(Kind kind) const {
  return std::find(recipe_.position_encodings.begin(), recipe_.position_encodings.end(), kind) !=
         recipe_.position_encodings.end();
}

/// With 1/i at hand: 1 at i = 1, at most ½ elsewhere. Otherwise [P-11a]: the future-masked mean of (−1)^{j+1} is
/// 1 at i = 1, 0 at even i, and 1/i ≤ 1/3 at odd i > 1.
ir::Literal PaperConstructions::first() {
  if (offers(Kind::inverse_index))
    return {graph_.add(ir::Threshold{position(Kind::inverse_index), 0.5, 1, 0, 1}, "first"), false};
  const ir::NodeId mean = graph_.add(
      ir::Attend{uniform(Mask::future), -1 * ir::Affine(position(Kind::alternating))}, "mean of (-1)^(j+1)");
  return {graph_.add(ir::Threshold{mean, kThird, 1, 0, 1}, "first"), false};
}

/// [P-11b] The past-masked mean of (−1)^j at i is (−1)^i/(n−i+1) if n−i+1 is odd, else 0. So it is +1 iff i = n is
/// even, −1 iff i = n is odd, and within ±1/3 elsewhere: each sign gives one of the two cases.
ir::Literal PaperConstructions::last_where(bool odd) {
  const ir::NodeId mean = graph_.add(ir::Attend{uniform(Mask::past), position(Kind::alternating)},
                                     "mean of (-1)^j from i on");
  return {graph_.add(ir::Threshold{(odd ? -1.0 : 1.0) * ir::Affine(mean), kThird, 1, -1, 1},
                     odd ? "last, odd" : "last, even"),
          false};
}

/// Either case, guarded by the parity it implies: the guard is exact and lets one sublayer decide.
ir::Literal PaperConstructions::last() {
  if (offers(Kind::inverse_remaining))
    return {graph_.add(ir::Threshold{position(Kind::inverse_remaining), 0.5, 1, 0, 1}, "last"), false};
  return graph_.disjunction(
      {graph_.conjunction({odd(), last_where(true)}), graph_.conjunction({!odd(), last_where(false)})}, "last");
}

/// The mean, over the visible positions, of a mark that exactly one of them carries.
ir::Affine PaperConstructions::inverse_visible(lang::Scope scope) {
  switch (scope) {
    case lang::Scope::left:
      if (offers(Kind::inverse_index)) return position(Kind::inverse_index);
      return graph_.add(ir::Attend{uniform(Mask::future), first()}, "1/i");
    case lang::Scope::right:
      if (offers(Kind::inverse_remaining)) return position(Kind::inverse_remaining);
      return graph_.add(ir::Attend{uniform(Mask::past), last()}, "1/(n-i+1)");
    case lang::Scope::all:
      return graph_.add(ir::Attend{uniform(Mask::none), first()}, "1/n");
  }
  return {};
}

}  // namespace quench::lower
