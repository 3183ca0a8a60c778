// The block computations of the tiled path, compiled once per instruction set (tile_blocks.cpp) and chosen at run time.
// Internal to attention/kernel/tiled.cpp and tiled_backward.cpp.
//
// A block holds queries (forward) or keys (backward) side by side in SIMD lanes; the other side is walked in tiles.
// Sums over positions are formed tile by tile in a fixed order, so a result does not depend on its neighbours in the
// block, on threads, or on the width of the machine's registers (only on whether it has fused multiply-add).
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "attention/rows.h"

namespace quench::attention {

/// Rows per tile: 96 keys of 64 floats fill most of a 32 KB cache. A multiple of every target's block width.
inline constexpr std::size_t kTileRows = 96;

template <class T>
struct TileProblem {
  Rows<const T> q, k, v;
  T scale = 1;
  std::span<const T> inverse_tau;                    ///< per query, finite and positive
  std::span<const T> exp_high, exp_low, exp_lowest;  ///< per query, of tile_exp-inl.h
  std::span<const std::size_t> first, last;          ///< per query: it sees no key outside first … last − 1
  /// Further terms of the score, −∞ where masked inside the interval; empty if there are none.
  std::function<double(std::size_t i, std::size_t j)> term;
  /// The dropout factor of (i, j); empty without dropout.
  std::function<double(std::size_t i, std::size_t j)> keep;

  // Per query, written by the forward pass and read by the backward pass.
  std::span<T> max, sum, entropy;  ///< entropy empty: not wanted
  // For the backward pass.
  std::span<const T> inverse_sum, log_sum;  ///< per query: 1/sum and ln sum, both 0 if nothing is visible
  Rows<const T> d_output;
  std::span<const T> output_gradient;  ///< Σ_c o_ic ∂L/∂o_ic per query
  std::span<const T> d_entropy;        ///< or empty
};

/// How many queries or keys one block holds.
template <class T>
std::size_t block_width();

/// Queries begin … begin + count − 1: output, max, sum, entropy.
template <class T>
void forward_blocks(const TileProblem<T>& problem, std::size_t begin, std::size_t count, Rows<T> output);

/// What the backward pass keeps beside its results, all of size O(n). A group is kTileRows keys, a tile kTileRows
/// queries; groups and tiles are filled up with zeros.
template <class T>
struct GradientSpace {
  T *k_packed, *v_packed;  ///< per block: [column][lane]; keys times the scale
  T* k_rows;               ///< [key][pitch]
  T *d_k, *d_v;            ///< sums so far, packed as the keys and values are
  T* d_q;                  ///< sums so far, [query][pitch]
  T* d_inverse_tau;        ///< sums so far per query; or null, and then ∂L/∂H is not looked at either
  std::size_t pitch;       ///< numbers per row of k_rows and d_q
};

/// Cells (tile, group) of half-open ranges.
struct CellRange {
  std::size_t tile_begin, tile_end, group_begin, group_end;
};

template <class T>
void pack_group(const TileProblem<T>& problem, const GradientSpace<T>& space, std::size_t group);
/// Adds the cells' part of all gradients, group by group and inside tile by tile.
template <class T>
void gradient_cells(const TileProblem<T>& problem, const GradientSpace<T>& space, CellRange range);
template <class T>
void unpack_group(const TileProblem<T>& problem, const GradientSpace<T>& space, std::size_t group, Rows<T> d_k,
                  Rows<T> d_v);

}  // namespace quench::attention
