#include "attention/tiled.h"

#include <tbb/parallel_for.h>

#include <algorithm>

#include "attention/tile_plan.h"

namespace quench::attention {

namespace {

constexpr std::size_t kBlocksTogether = 4;

// Groups of blocks are independent of each other, so how many there are and how they are spread over threads changes
// nothing.
template <class T, class Group>
void for_each_group(std::size_t rows, bool parallel, Group&& group) {
  const std::size_t block = block_width<T>(), blocks = (rows + block - 1) / block;
  const std::size_t width = block * std::clamp<std::size_t>(blocks / 8, 1, kBlocksTogether);
  const std::size_t groups = (rows + width - 1) / width;
  const auto run = [&](std::size_t g) { group(g * width, std::min(width, rows - g * width)); };
  if (parallel && groups > 1)
    tbb::parallel_for(std::size_t{0}, groups, run);
  else
    for (std::size_t g = 0; g < groups; ++g) run(g);
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
  for_each_group<T>(q.rows, attention.parallel,
                    [&](std::size_t begin, std::size_t count) { forward_blocks(problem, begin, count, output); });
  return statistics;
}

template RowStatistics<float> tiled_forward(const TiledAttention&, Rows<const float>, Rows<const float>,
                                            Rows<const float>, Rows<float>);
template RowStatistics<double> tiled_forward(const TiledAttention&, Rows<const double>, Rows<const double>,
                                             Rows<const double>, Rows<double>);

}  // namespace quench::attention
