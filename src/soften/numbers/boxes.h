// Boxes of intervals: what a residual vector may be at a place, and how linear maps and feed-forwards move them.
#pragma once

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

/// x + W_2 ReLU(W_1 x + b_1) + b_2. Where a group of parallel units is linear over the box, it is taken together with
/// the residual connection, so that a coordinate that is cleared is 0.
Box feed_forward(const std::vector<ParallelUnits>& units, const std::vector<double>& bias, const Box& box);

/// A position encoding's value, enclosed.
Interval enclose(const PositionFormula& formula, std::size_t i, std::size_t n);

}  // namespace quench::soften
