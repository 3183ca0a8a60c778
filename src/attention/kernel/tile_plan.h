// What the tiled passes make of an attention before they run. Internal to attention/kernel/tiled.cpp and tiled_backward.cpp.
#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "attention/kernel/tile_blocks.h"
#include "attention/kernel/tile_exp.h"
#include "attention/kernel/tiled.h"
#include "base/error.h"

namespace quench::attention {

// What every query needs to be told before its block runs.
template <class T>
struct QueryPlan {
  std::vector<std::size_t> first, last;
  std::vector<T> inverse_tau, exp_high, exp_low, exp_lowest;

  QueryPlan(const TiledAttention& attention, std::size_t queries, std::size_t keys)
      : first(queries), last(queries), inverse_tau(queries), exp_high(queries), exp_low(queries), exp_lowest(queries) {
    // Halves, so that log₂e/τ does not overflow either.
    constexpr double kSmallest = std::numeric_limits<T>::min(), kLargest = std::numeric_limits<T>::max() / 2;
    ExpScale<T> scale{};
    for (std::size_t i = 0; i < queries; ++i) {
      const KeyInterval hull = attention.mask.hull(i, keys);
      first[i] = hull.first;
      last[i] = hull.last;
      const double tau = attention.tau.at_row(i, keys);
      inverse_tau[i] = static_cast<T>(std::clamp(1 / tau, kSmallest, kLargest));
      if (i == 0 || inverse_tau[i] != inverse_tau[i - 1]) scale = exp_scale(inverse_tau[i]);
      exp_high[i] = scale.high;
      exp_low[i] = scale.low;
      exp_lowest[i] = scale.lowest;
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
                         .exp_high = plan.exp_high,
                         .exp_low = plan.exp_low,
                         .exp_lowest = plan.exp_lowest,
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

}  // namespace quench::attention
