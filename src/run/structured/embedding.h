// Words in lanes before the first layer: embeddings and position encodings, read off tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <tuple>
#include <vector>

#include "run/reference/plan.h"
#include "run/structured/attention/column_cache.h"
#include "run/structured/attention/foreseen.h"
#include "run/structured/attention/head.h"
#include "run/structured/attention/shared_rows.h"
#include "run/structured/order.h"

namespace quench::run {

/// A part of the batch on its way through the layers.
template <class T>
struct LanePart {
  LaneOrder order;
  std::vector<std::uint32_t> symbols;  ///< from 1; 0 is the unmentioned one
  Planes<T> residual;                  ///< by coordinate
  std::vector<T*> h;                   ///< its planes
  Planes<T> shared;                    ///< by row of LaneSpace::shared
  std::vector<HeadSpace<T>> heads;     ///< of a layer
  ColumnCache<T> columns;
  std::vector<const T*> outputs;  ///< of a layer's heads
  /// The tables (LaneSpace::owner, length), the size and the direction for which LaneSpace::steady coordinates are there
  /// already.
  std::tuple<std::uint64_t, std::size_t, std::size_t, bool> steady_for;
  bool spared_there = false;                ///< whether LaneSpace::spared coordinates are there, too,
  std::vector<std::uint8_t> shared_there;  ///< and, by window, shared rows
};

template <class T>
struct LaneSpace {
  std::vector<bool> fresh;     ///< by coordinate
  std::vector<bool> steady;    ///< by coordinate: the same in all words, and no layer writes it
  SharedRows<T> shared;        ///< of steady coordinates
  Planes<T> shared_at;         ///< the same by position
  std::vector<bool> spared;    ///< by coordinate: read by nothing but shared rows
  std::vector<bool> alone;     ///< by position encoding: there is no other in its coordinate
  Planes<T> positions, table;  ///< position encodings by position, embeddings by coordinate and symbol
  std::vector<std::vector<double>> temperatures;  ///< 1/τ by kind and position; empty where it is the same everywhere
  ForeseenRun<T> foreseen;
  std::vector<LayerRows<T>> lean;  ///< the layers with what is foreseen of their rows,
  std::vector<KnownRows> lean_by;  ///< which was this
  std::uint64_t owner = 0;         ///< whose tables these are,
  std::size_t length = 0;          ///< for which length,
  bool many = false;               ///< and for many words at once
  std::vector<LanePart<T>> parts;
};

/// Whether a table has the same number for all symbols, or is empty: 0 for all.
template <class T>
bool is_one_number(const AlignedVector<T>& table) {
  return std::adjacent_find(table.begin(), table.end(), std::not_equal_to<>()) == table.end();
}

/// Fills the tables of `space` (tables.cpp), unless they are this plan's for this length, and for many words, already.
template <class T>
void tabulate(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers, std::size_t n, bool many,
              LaneSpace<T>& space);

/// The residual stream of the positions in part.order; fresh coordinates (LayerRows::fresh) and spared ones on demand,
/// and no shared rows.
template <class T>
void embed(const ReferencePlan& plan, const Batch& batch, const LaneSpace<T>& space, LanePart<T>& part, bool fresh_too,
           bool spared_too);
/// Spared coordinates, if they are not there.
template <class T>
void embed_spared(const ReferencePlan& plan, const LaneSpace<T>& space, LanePart<T>& part);
/// The shared rows of a window, if they are not there.
template <class T>
void embed_shared(const LaneSpace<T>& space, const LaneWindow& window, LanePart<T>& part);

}  // namespace quench::run
