// The hidden units of a feed-forward sublayer in groups that look along the same direction: Σ_k w2_k·ReLU(±z + b_k) is
// a piecewise-linear function of z = w·x alone. A rounding ramp is such a group, and so is the clearing of a
// coordinate, whose slope is −1 everywhere: seen unit by unit, neither bound nor error would show that.
#pragma once

#include <vector>

#include "model/transformer.h"
#include "soften/numbers/up.h"

namespace quench::soften {

struct ParallelUnits {
  struct Unit {
    std::size_t index = 0;  ///< of the hidden unit
    double sign = 1, bias = 0;
  };
  struct Target {
    std::uint32_t coordinate = 0;
    std::vector<double> weights;   ///< w2 by unit of the group
    std::vector<Interval> slopes;  ///< by cell
  };
  SparseMatrix::Row direction;  ///< w; empty for constant units
  std::vector<Unit> units;
  std::vector<double> breakpoints;  ///< of z, increasing; cell c lies between breakpoints c − 1 and c
  std::vector<Target> targets;

  std::size_t cells() const { return breakpoints.size() + 1; }
  /// The cell of z; a breakpoint belongs to the cell on its right.
  std::size_t cell(double z) const;
  /// The values of a target over an interval of z.
  Interval values(const Target& target, const Interval& z) const;
};

std::vector<ParallelUnits> parallel_units(const model::FeedForward& ffn);

}  // namespace quench::soften
