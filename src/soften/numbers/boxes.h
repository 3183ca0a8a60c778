// Boxes of intervals: what a residual vector may be at a place, and how linear maps and feed-forwards move them.
#pragma once

#include <algorithm>
#include <set>
#include <vector>

#include "soften/facts.h"

namespace quench::soften {

using Box = std::vector<Interval>;

Interval dot(const SparseMatrix::Row& row, const Box& box);
Box project(const SparseMatrix& matrix, const Box& box);
/// sum/count
Interval divide(const Interval& sum, double count);

/// Each box once.
void keep_distinct(std::vector<Box>& boxes);
/// One box per pattern of coordinates that are exactly 0 or 1: the others are joined.
void join_alike(std::vector<Box>& boxes);
/// All in one.
Box join(const std::vector<Box>& boxes);

/// Coordinates that are exactly 0 or 1, where boxes only say that they are between: to give each of their choices a box
/// of its own would take too many of them.
using Booleans = std::set<std::uint32_t>;
/// Those that a row reads.
std::vector<std::uint32_t> booleans_in(const SparseMatrix::Row& row, const Booleans& booleans);

/// Calls visit(Box) with the box for every choice of the coordinates that are not decided in it yet; of very many, the
/// first few are chosen.
template <class Visit>
void for_each_choice(Box box, std::vector<std::uint32_t> coordinates, Visit visit) {
  constexpr std::size_t kMostChosen = 12;
  std::erase_if(coordinates, [&](std::uint32_t c) { return box[c].is_point(); });
  coordinates.resize(std::min(coordinates.size(), kMostChosen));
  for (std::size_t choice = 0; choice < std::size_t{1} << coordinates.size(); ++choice) {
    for (std::size_t k = 0; k < coordinates.size(); ++k) {
      const double value = choice >> k & 1 ? 1 : 0;
      box[coordinates[k]] = {value, value};
    }
    visit(box);
  }
}

/// x + W_2 ReLU(W_1 x + b_1) + b_2, each coordinate by itself. Where a group of parallel units is linear over the box,
/// it is taken together with the residual connection, so that a coordinate that is cleared is 0.
Box feed_forward(const std::vector<ParallelUnits>& units, const std::vector<double>& bias, const Box& box,
                 const Booleans& booleans);

/// A position encoding's value, enclosed.
Interval enclose(const PositionFormula& formula, std::size_t i, std::size_t n);

}  // namespace quench::soften
