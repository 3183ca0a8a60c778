#include "attention/tiled.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/tile_blocks.h"
#include "base/error.h"

namespace quench::attention {

namespace {

// What every query needs to be told before its block runs.
template <class T>
struct QueryPlan {
  std::vector<std::size_t> first, last;
  std::vector<T> inverse_tau;

  QueryPlan(const TiledAttention& attention, std::size_t queries, std::size_t keys)
      : first(queries), last(queries), inverse_tau(queries) {
    constexpr double kSmallest = std::numeric_limits<T>::min(), kLargest = std::numeric_limits<T>::max();
    for (std::size_t i = 0; i < queries; ++i) {
      const KeyInterval hull = attention.mask.hull(i, keys);
      first[i] = hull.first;
      last[i] = hull.last;
      const double tau = std::max(attention.tau.at_row(i, keys), kSmallest);
      inverse_tau[i] = static_cast<T>(std::min(1 / tau, kLargest));
    }
  }
};

template <class T>
TileProblem<T> make_problem(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                            const QueryPlan<T>& plan) {
  if (q.cols != k.cols) throw UserError("queries and keys of a dot product need the same width");
  if (k.rows != v.rows) throw UserError("attention needs as many values as keys");
  TileProblem<T> problem{.q = q,
                         .k = k,
                         .v = v,
                         .scale = static_cast<T>(attention.scale),
                         .inverse_tau = plan.inverse_tau,
                         .first = plan.first,
                         .last = plan.last,
                         .term = {},
                         .keep = {},
                         .max = {},
                         .sum = {},
                         .entropy = {},
                         .inverse_sum = {},
                         .log_sum = {},
                         .d_output = {},
                         .output_gradient = {},
                         .d_entropy = {}};
  if (!attention.position_terms.empty() || !attention.mask.solid())
    problem.term = [&attention, keys = k.rows](std::size_t i, std::size_t j) {
      if (!attention.mask.solid() && !attention.mask.allows(i, j)) return -std::numeric_limits<double>::infinity();
      double sum = 0;
      for (const PositionTerm& term : attention.position_terms) sum += position_term(term, i, j, keys);
      return sum;
    };
  if (attention.dropout)
    problem.keep = [dropout = *attention.dropout](std::size_t i, std::size_t j) { return dropout.factor(i, j); };
  return problem;
}

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

template <class T>
std::vector<T> output_gradients(Rows<const T> output, Rows<const T> d_output) {
  std::vector<T> sums(output.rows, 0);
  for (std::size_t i = 0; i < output.rows; ++i)
    for (std::size_t c = 0; c < output.cols; ++c) sums[i] += output(i, c) * d_output(i, c);
  return sums;
}

}  // namespace

template <class T>
RowStatistics<T> tiled_forward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                               Rows<T> output) {
  const QueryPlan<T> plan(attention, q.rows, k.rows);
  TileProblem<T> problem = make_problem(attention, q, k, v, plan);
  QUENCH_ASSERT(output.rows == q.rows && output.cols == v.cols);
  RowStatistics<T> statistics{std::vector<T>(q.rows), std::vector<T>(q.rows), std::vector<T>(q.rows)};
  problem.max = statistics.max;
  problem.sum = statistics.sum;
  problem.entropy = statistics.entropy;
  for_each_block<T>(q.rows, attention.parallel,
                    [&](std::size_t begin, std::size_t count) { forward_block(problem, begin, count, output); });
  return statistics;
}

template <class T>
void tiled_backward(const TiledAttention& attention, Rows<const T> q, Rows<const T> k, Rows<const T> v,
                    Rows<const T> output, const RowStatistics<T>& statistics, const TiledUpstream<T>& upstream,
                    const TiledGradients<T>& gradients) {
  const QueryPlan<T> plan(attention, q.rows, k.rows);
  TileProblem<T> problem = make_problem(attention, q, k, v, plan);
  QUENCH_ASSERT(upstream.d_output.rows == q.rows && upstream.d_output.cols == v.cols);
  RowStatistics<T> known = statistics;
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
  for_each_block<T>(q.rows, attention.parallel, [&](std::size_t begin, std::size_t count) {
    query_gradient_block(problem, begin, count, gradients.q, gradients.tau);
  });
  for_each_block<T>(k.rows, attention.parallel, [&](std::size_t begin, std::size_t count) {
    key_gradient_block(problem, begin, count, gradients.k, gradients.v);
  });
  for (std::size_t i = 0; i < q.rows; ++i)  // ∂(1/τ)/∂τ = −1/τ², which may overflow; 0 stays 0
    if (gradients.tau[i] != 0) gradients.tau[i] *= -plan.inverse_tau[i] * plan.inverse_tau[i];
}

template RowStatistics<float> tiled_forward(const TiledAttention&, Rows<const float>, Rows<const float>,
                                            Rows<const float>, Rows<float>);
template RowStatistics<double> tiled_forward(const TiledAttention&, Rows<const double>, Rows<const double>,
                                             Rows<const double>, Rows<double>);
template void tiled_backward(const TiledAttention&, Rows<const float>, Rows<const float>, Rows<const float>,
                             Rows<const float>, const RowStatistics<float>&, const TiledUpstream<float>&,
                             const TiledGradients<float>&);
template void tiled_backward(const TiledAttention&, Rows<const double>, Rows<const double>, Rows<const double>,
                             Rows<const double>, const RowStatistics<double>&, const TiledUpstream<double>&,
                             const TiledGradients<double>&);

}  // namespace quench::attention
