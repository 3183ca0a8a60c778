// The position-wise half of a network: projections, what heads write back, feed-forwards, as sums of weighted planes.
//
// A plane holds one coordinate for many positions, in any order, since none of this looks from one to another. Sums are
// those of the reference executor, in its order and its format: the same bits (but for the sign of zeros). A few
// vectors of positions go through all rows at a time, so that what a feed-forward keeps in between stays in the
// first-level cache. Planes are as long as a multiple of kLanes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "run/reference/plan.h"

namespace quench::run {

template <class T>
struct Term {
  std::uint32_t column;
  T weight;

  bool operator==(const Term&) const = default;
};

/// Row r is the sum of terms [first, last).
template <class T>
struct SumRows {
  std::vector<FlatRows::Row> rows;
  std::vector<Term<T>> terms;
  /// By row: a fused multiply-add changes nothing. Its weights are ±1, or powers of two near 1 where products with them
  /// leave the range of normal numbers for nothing but means of keys that do not count (by 2^−149 at most, or 2^−1074).
  std::vector<std::uint8_t> exact;

  bool operator==(const SumRows&) const = default;
};

template <class T>
struct LayerRows {
  struct Head {
    SumRows<T> q, k, v;
    /// By value: the coordinate that is this value and nothing else, so that the head can write it there (kNone: there
    /// is none).
    std::vector<std::uint32_t> into;
  };
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  /// Another coordinate that heads write: parts [first, last), one for each head.
  struct Target {
    std::uint32_t coordinate;
    std::uint32_t first, last;
    bool fresh;  ///< see LayerRows::fresh
  };
  std::vector<Head> heads;
  std::vector<Target> targets;
  SumRows<T> parts;   ///< columns: the outputs of all heads
  SumRows<T> hidden;  ///< by unit
  SumRows<T> written;
  std::vector<T> hidden_bias, written_bias;  ///< aligned with the rows
  std::vector<std::uint8_t> written_fresh;   ///< likewise
  std::vector<std::uint8_t> ramp;            ///< likewise: see KnownRows::ramps
  /// Coordinates that are 0 and not looked at until this layer writes them: the first sum need not be added to
  /// anything, and before it they need not be there.
  std::vector<std::uint32_t> fresh;
  std::vector<bool> repeats;  ///< by unit: the sum of the unit before, with another bias
  /// Every unit is for one written row, in the order of the units, and no row reads what one before it writes: rows can
  /// be written one after the other, and units need not be kept.
  bool in_place = false;
};

/// Whether written row r takes ReLU(x) off its coordinate x and does nothing else.
template <class T>
bool clears(const LayerRows<T>& layer, std::size_t r) {
  const FlatRows::Row& row = layer.written.rows[r];
  if (row.last != row.first + 1 || layer.written_bias[r] != 0) return false;
  const auto& [unit, weight] = layer.written.terms[row.first];
  const FlatRows::Row& read = layer.hidden.rows[unit];
  return weight == -1 && layer.hidden_bias[unit] == 0 && read.last == read.first + 1 &&
         layer.hidden.terms[read.first] == Term<T>{row.index, T{1}};
}

/// What is known of a layer's feed-forward beforehand (foreseen.h), by coordinate it writes.
struct KnownRows {
  /// It clears() what is finite and not below 0, so that nothing is left.
  std::set<std::uint32_t> cleared;
  /// Row w·ReLU(s + b) − w·ReLU(s + b'), w a power of 2, that is w·min(ReLU(s + b), b − b') to the bit.
  std::set<std::uint32_t> ramps;

  bool operator==(const KnownRows&) const = default;
};

/// With what is known, for runs of which only the output is looked at in the end: rows that clear a coordinate which is
/// written before it is looked at again are left out, and what is written next is fresh; ramps take one
/// unit.
template <class T>
std::vector<LayerRows<T>> make_layer_rows(const ReferencePlan& plan, const std::vector<KnownRows>& known = {});

/// out[p] = (row r · in)[first + p], p < count
template <class T>
void sum_row(const SumRows<T>& rows, std::size_t r, const T* const* in, std::size_t first, std::size_t count, T* out);

/// h += what the heads write, of their outputs
template <class T>
void add_outputs(const LayerRows<T>& layer, const T* const* outputs, std::size_t first, std::size_t count, T* const* h);

/// h += the feed-forward of h
template <class T>
void add_feed_forward(const LayerRows<T>& layer, std::size_t first, std::size_t count, T* const* h);

}  // namespace quench::run
