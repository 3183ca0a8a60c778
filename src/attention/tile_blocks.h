// The three block computations of the tiled path, compiled once per instruction set (tile_blocks.cpp) and chosen at run
// time. Internal to attention/tiled.cpp.
//
// A block holds `block_width` queries (or keys) side by side in SIMD lanes; the other side is walked in tiles.
// Everything is elementwise over the lanes, so a query's result does not depend on its neighbours or on the width of
// the machine's registers (only on whether it has fused multiply-add).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "attention/rows.h"

namespace quench::attention {

/// Rows of the other side per tile: 96 keys of 64 floats fill most of a 32 KB cache.
inline constexpr std::size_t kTileRows = 96;

template <class T>
struct TileProblem {
  Rows<const T> q, k, v;
  T scale = 1;
  std::span<const T> inverse_tau;            ///< per query, finite
  std::span<const std::size_t> first, last;  ///< per query: it sees no key outside first … last − 1
  /// Further terms of the score, −∞ where masked inside the interval; empty if there are none.
  std::function<double(std::size_t i, std::size_t j)> term;
  /// The dropout factor of (i, j); empty without dropout.
  std::function<double(std::size_t i, std::size_t j)> keep;

  // Per query, written by the forward pass and read by the backward pass.
  std::span<T> max, sum, entropy;
  // For the backward pass.
  std::span<const T> inverse_sum, log_sum;  ///< per query: 1/sum and ln sum, both 0 if nothing is visible
  Rows<const T> d_output;
  std::span<const T> output_gradient;  ///< Σ_c o_ic ∂L/∂o_ic per query
  std::span<const T> d_entropy;        ///< or empty
};

/// How many queries or keys one block holds.
template <class T>
std::size_t block_width();

/// Queries begin … begin + count − 1, count ≤ block_width: output, max, sum, entropy.
template <class T>
void forward_block(const TileProblem<T>& problem, std::size_t begin, std::size_t count, Rows<T> output);

/// The same queries: their gradients, and ∂L/∂(1/τ).
template <class T>
void query_gradient_block(const TileProblem<T>& problem, std::size_t begin, std::size_t count, Rows<T> d_q,
                          std::span<T> d_inverse_tau);

/// Keys begin … begin + count − 1: their gradients and those of their values.
template <class T>
void key_gradient_block(const TileProblem<T>& problem, std::size_t begin, std::size_t count, Rows<T> d_k, Rows<T> d_v);

}  // namespace quench::attention
