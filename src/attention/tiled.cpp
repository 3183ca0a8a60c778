#include "attention/tiled.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "attention/tile_plan.h"

namespace quench::attention {

namespace {

// Blocks are independent of each other, so how they are spread over threads changes nothing.
template <class T, class Block>
void for_each_block(std::size_t rows, bool parallel, Block&& block) {
  const std::size_t width = block_width<T>(), blocks = (rows + width - 1) / width;
  const auto run = [&](std::size_t b) { block(b * width, std::min(width, rows - b * width)); };
  if (parallel && blocks > 1)
    tbb::parallel_for(std::size_t{0}, blocks, run);
  else
    for (std::size_t b = 0; b < blocks; ++b) run(b);
}

}  // namespace

template <class T>
RowStatistics<T> tiled_forward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                               Rows<T> output) {
  const QueryPlan<T> plan(attention, q.rows, k.rows);
  TileProblem<T> problem = make_problem(attention, q, k, v, plan);
  QUENCH_ASSERT(output.rows == q.rows && output.cols == v.cols);
  RowStatistics<T> statistics{std::vector<T>(q.rows), std::vector<T>(q.rows),
                              std::vector<T>(attention.entropy ? q.rows : 0)};
  problem.max = statistics.max;
  problem.sum = statistics.sum;
  problem.entropy = statistics.entropy;
  for_each_block<T>(q.rows, attention.parallel,
                    [&](std::size_t begin, std::size_t count) { forward_block(problem, begin, count, output); });
  return statistics;
}

template RowStatistics<float> tiled_forward(const TiledAttention&, Rows<const float>, Rows<const float>,
                                            Rows<const float>, Rows<float>);
template RowStatistics<double> tiled_forward(const TiledAttention&, Rows<const double>, Rows<const double>,
                                             Rows<const double>, Rows<double>);

}  // namespace quench::attention
