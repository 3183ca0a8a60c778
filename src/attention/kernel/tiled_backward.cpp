// The backward pass: every cell of (tile of queries) × (group of keys) once, adding to the gradients of both.
//
// Threads. Cells in one row add to the same queries and cells in one column to the same keys, so the cells that run at
// the same time must differ in both. With L ranges of tiles and of groups, step t runs the L cells (i, i + t mod L): a
// Latin square. Every sum is then formed in an order that only n and m decide, whatever the number of threads.
#include <tbb/parallel_for.h>

#include <hwy/aligned_allocator.h>

#include <cmath>

#include "attention/kernel/tile_plan.h"

namespace quench::attention {

namespace {

template <class T>
std::vector<T> output_gradients(Rows<const T> output, Rows<const T> d_output) {
  std::vector<T> sums(output.rows, 0);
  for (std::size_t i = 0; i < output.rows; ++i)
    for (std::size_t c = 0; c < output.cols; ++c) sums[i] += output(i, c) * d_output(i, c);
  return sums;
}

template <class Body>
void for_each(std::size_t count, bool parallel, Body&& body) {
  if (parallel && count > 1)
    tbb::parallel_for(std::size_t{0}, count, body);
  else
    for (std::size_t c = 0; c < count; ++c) body(c);
}

// `parts` ranges of 0 … count − 1, as equal as can be.
std::size_t part_begin(std::size_t part, std::size_t parts, std::size_t count) { return part * count / parts; }

template <class T>
class Backward {
 public:
  Backward(const TileProblem<T>& problem, bool parallel, bool full)
      : p_(problem),
        parallel_(parallel),
        tiles_((problem.q.rows + kTileRows - 1) / kTileRows),
        groups_((problem.k.rows + kTileRows - 1) / kTileRows) {
    constexpr std::size_t kAligned = 64 / sizeof(T);
    const std::size_t pitch = (p_.k.cols + kAligned - 1) / kAligned * kAligned;
    const std::size_t keys = groups_ * kTileRows, queries = tiles_ * kTileRows;
    const std::size_t sizes[] = {keys * p_.k.cols, keys * p_.v.cols, keys * pitch,      keys * p_.k.cols,
                                 keys * p_.v.cols, queries * pitch,  full ? queries : 0};
    std::size_t total = 0;
    for (const std::size_t size : sizes) total += (size + kAligned - 1) / kAligned * kAligned;
    memory_ = hwy::AllocateAligned<T>(std::max<std::size_t>(total, 1));
    T* at = memory_.get();
    const auto take = [&](std::size_t index) {
      T* part = at;
      at += (sizes[index] + kAligned - 1) / kAligned * kAligned;
      return part;
    };
    space_ = {.k_packed = take(0),
              .v_packed = take(1),
              .k_rows = take(2),
              .d_k = take(3),
              .d_v = take(4),
              .d_q = take(5),
              .d_inverse_tau = nullptr,
              .pitch = pitch};
    if (full) space_.d_inverse_tau = take(6);
    std::fill_n(space_.d_q, sizes[5], T{0});
    if (full) std::fill_n(space_.d_inverse_tau, sizes[6], T{0});
  }

  void run() {
    for_each(groups_, parallel_, [&](std::size_t group) { pack_group(p_, space_, group); });
    // Ranges of three tiles: what a task touches stays in the second-level cache (n = 1,024 unmasked and 4,096 causal,
    // d = 128: 6 to 7 % of forward and backward together against ranges of one). At most 64 of them.
    const std::size_t most = std::max(tiles_, groups_), ranges = std::min<std::size_t>((most + 2) / 3, 64);
    for (std::size_t step = 0; step < ranges; ++step)
      for_each(ranges, parallel_, [&](std::size_t i) { run_cells(i, (i + step) % ranges, ranges); });
  }

  void write(const TiledGradients<T>& gradients) const {
    for_each(groups_, parallel_, [&](std::size_t group) { unpack_group(p_, space_, group, gradients.k, gradients.v); });
    for (std::size_t i = 0; i < p_.q.rows; ++i)
      for (std::size_t c = 0; c < p_.q.cols; ++c) gradients.q(i, c) = p_.scale * space_.d_q[i * space_.pitch + c];
    for (std::size_t i = 0; i < gradients.tau.size(); ++i) {
      const T slope = space_.d_inverse_tau[i];  // ∂(1/τ)/∂τ = −1/τ², which may overflow; 0 stays 0
      gradients.tau[i] = slope == 0 ? 0 : slope * (-p_.inverse_tau[i] * p_.inverse_tau[i]);
    }
  }

 private:
  void run_cells(std::size_t i, std::size_t j, std::size_t ranges) {
    const CellRange range{part_begin(i, ranges, tiles_), part_begin(i + 1, ranges, tiles_),
                          part_begin(j, ranges, groups_), part_begin(j + 1, ranges, groups_)};
    if (sees(range)) gradient_cells(p_, space_, range);
  }

  bool sees(const CellRange& range) const {
    const std::size_t begin = range.group_begin * kTileRows, end = std::min(range.group_end * kTileRows, p_.k.rows);
    const std::size_t last = std::min(range.tile_end * kTileRows, p_.q.rows);
    for (std::size_t i = range.tile_begin * kTileRows; i < last; ++i)
      if (p_.first[i] < std::min(p_.last[i], end) && p_.last[i] > begin) return true;
    return false;
  }

  const TileProblem<T>& p_;
  bool parallel_;
  std::size_t tiles_, groups_;
  hwy::AlignedFreeUniquePtr<T[]> memory_;
  GradientSpace<T> space_{};
};

}  // namespace

template <class T>
void tiled_backward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                    Rows<const T> output, const RowStatistics<T>& statistics, const TiledUpstream<T>& upstream,
                    const TiledGradients<T>& gradients) {
  const QueryPlan<T> plan(attention, q.rows, k.rows);
  TileProblem<T> problem = make_problem(attention, q, k, v, plan);
  QUENCH_ASSERT(upstream.d_output.rows == q.rows && upstream.d_output.cols == v.cols);
  RowStatistics<T> known = statistics;
  known.entropy.resize(q.rows, 0);
  const std::vector<T> means = output_gradients(output, upstream.d_output);
  std::vector<T> inverse_sum(q.rows, 0), log_sum(q.rows, 0), d_entropy(q.rows, 0);
  for (std::size_t i = 0; i < q.rows; ++i) {
    if (known.sum[i] > 0) inverse_sum[i] = 1 / known.sum[i];
    if (known.sum[i] > 0) log_sum[i] = std::log(known.sum[i]);
    if (!upstream.d_entropy.empty()) d_entropy[i] = upstream.d_entropy[i];
  }
  problem.max = known.max;
  problem.sum = known.sum;
  problem.entropy = known.entropy;
  problem.inverse_sum = inverse_sum;
  problem.log_sum = log_sum;
  problem.d_output = upstream.d_output;
  problem.output_gradient = means;
  problem.d_entropy = d_entropy;
  Backward<T> backward(problem, attention.parallel, !upstream.d_entropy.empty() || !gradients.tau.empty());
  backward.run();
  backward.write(gradients);
}

template void tiled_backward(const TiledAttention&, Rows<const float>, Rows<const float>, Rows<const float>,
                             Rows<const float>, const RowStatistics<float>&, const TiledUpstream<float>&,
                             const TiledGradients<float>&);
template void tiled_backward(const TiledAttention&, Rows<const double>, Rows<const double>, Rows<const double>,
                             Rows<const double>, const RowStatistics<double>&, const TiledUpstream<double>&,
                             const TiledGradients<double>&);

}  // namespace quench::attention
