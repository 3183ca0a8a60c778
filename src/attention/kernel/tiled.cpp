#include "attention/kernel/tiled.h"

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "attention/kernel/tile_plan.h"

namespace quench::attention {

namespace {

constexpr std::size_t kBlocksTogether = 4;

struct Group {
  std::size_t begin, count;
  std::size_t pairs;  ///< of a query and a key that it sees
};

/// Groups of whole blocks, the costly ones first. More threads get more and smaller groups. (16 groups a thread or more
/// against 8: 1 % at n = 1,024, d = 64, one core.) Queries that fill no block, which take longer, are those that see
/// the fewest keys (1 % at n = 1,000, causal).
template <class T>
std::vector<Group> make_groups(const QueryPlan<T>& plan, std::size_t threads) {
  const std::size_t rows = plan.first.size(), block = block_width<T>(), blocks = (rows + block - 1) / block;
  const std::size_t width = block * std::clamp<std::size_t>(blocks / (16 * threads), 1, kBlocksTogether);
  const auto keys = [&](std::size_t i) { return std::max(plan.first[i], plan.last[i]) - plan.first[i]; };
  std::vector<Group> groups;
  for (std::size_t begin = 0; begin < rows; begin += groups.back().count) {
    const bool rest = begin == 0 && rows % block != 0 && keys(0) < keys(rows - 1);
    Group group{begin, rest ? rows % block : std::min(width, rows - begin), 0};
    for (std::size_t i = begin; i < begin + group.count; ++i) group.pairs += keys(i);
    groups.push_back(group);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.pairs > b.pairs; });
  return groups;
}

// Groups are independent of each other, so how many there are and how they are spread over threads changes nothing.
// Each thread takes the next when it is done with one, so that in the end they wait for a small one. Ranges as TBB
// splits them left two threads with six and five of eleven equal groups: 3 to 4 % at n = 1,024, unmasked, d = 64 and
// 128; causal no difference. Nor was there one for the cells of the backward pass, which are left to TBB.
template <class Run>
void for_each_group(const std::vector<Group>& groups, std::size_t threads, Run&& run) {
  if (threads == 1 || groups.size() < 2) {
    for (const Group& group : groups) run(group);
    return;
  }
  std::atomic<std::size_t> next{0};
  tbb::parallel_for(std::size_t{0}, std::min(threads, groups.size()), [&](std::size_t) {
    for (std::size_t g = next++; g < groups.size(); g = next++) run(groups[g]);
  });
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
  const std::size_t threads =
      attention.parallel ? static_cast<std::size_t>(tbb::this_task_arena::max_concurrency()) : 1;
  for_each_group(make_groups(plan, threads), threads,
                 [&](const Group& group) { forward_blocks(problem, group.begin, group.count, output); });
  return statistics;
}

template RowStatistics<float> tiled_forward(const TiledAttention&, Rows<const float>, Rows<const float>,
                                            Rows<const float>, Rows<float>);
template RowStatistics<double> tiled_forward(const TiledAttention&, Rows<const double>, Rows<const double>,
                                             Rows<const double>, Rows<double>);

}  // namespace quench::attention
