// The position-wise half of a network on planes: projections, what heads write back, feed-forwards. Positions may lie
// in any order, since none of this looks from one to another.
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include "run/planes.h"
#include "run/reference_plan.h"

namespace quench::run {

template <class T>
class PlaneLayers {
 public:
  using Planes = std::vector<std::vector<T>>;

  /// `residual` has a plane per coordinate.
  explicit PlaneLayers(Planes& residual) : residual_(residual) {}

  /// out[row.index] = row · h, for the matrix's nonzero rows, in To (exact: T is To or narrower).
  template <class To>
  void project(const FlatRows& matrix, std::vector<std::vector<To>>& out, std::size_t first, std::size_t count) const {
    for (const FlatRows::Row& row : matrix.rows) {
      To* to = out[row.index].data() + first;
      if constexpr (std::is_same_v<T, To>) {
        dot(matrix, row, first, count, to);
      } else {
        T sum[kBlock];
        dot(matrix, row, first, count, sum);
        std::copy_n(sum, count, to);
      }
    }
  }

  /// h += Σ_heads W_O·o; `outputs(column)` is the block of one output of one head, rounded to T.
  template <class Outputs>
  void mix(const LayerPlan& layer, const Outputs& outputs, std::size_t first, std::size_t count) const {
    T total[kBlock], part_sum[kBlock];
    for (const MixTarget& target : layer.targets) {
      for (std::size_t part = 0; part < target.parts.size(); ++part) {
        const SparseMatrix::Entry* entries = layer.target_entries.data();
        sparse_dot(entries + target.parts[part].first, entries + target.parts[part].last, outputs, count,
                   part == 0 ? total : part_sum);
        if (part > 0) planes::add(part_sum, count, total);
      }
      planes::add(total, count, residual_[target.coordinate].data() + first);
    }
  }

  void feed_forward(const LayerPlan& layer, std::size_t first, std::size_t count) const {
    if (layer.w2.rows.empty()) return;
    static thread_local std::vector<T> hidden;
    hidden.resize(layer.hidden_width * kBlock);
    for (std::size_t unit = 0; unit < layer.hidden_width; ++unit) {
      dot(layer.w1, layer.w1.rows[unit], first, count, hidden.data() + unit * kBlock);
      planes::rectify(static_cast<T>(layer.b1[unit]), count, hidden.data() + unit * kBlock);
    }
    T sum[kBlock];
    for (std::size_t row = 0; row < layer.w2.rows.size(); ++row) {
      const FlatRows::Row& at = layer.w2.rows[row];
      sparse_dot(
          layer.w2.entries.data() + at.first, layer.w2.entries.data() + at.last,
          [&](std::uint32_t unit) { return static_cast<const T*>(hidden.data() + unit * kBlock); }, count, sum);
      planes::add_biased(sum, static_cast<T>(layer.b2[row]), count, residual_[at.index].data() + first);
    }
  }

 private:
  void dot(const FlatRows& matrix, const FlatRows::Row& row, std::size_t first, std::size_t count, T* total) const {
    sparse_dot(
        matrix.entries.data() + row.first, matrix.entries.data() + row.last,
        [&](std::uint32_t column) { return static_cast<const T*>(residual_[column].data() + first); }, count, total);
  }

  Planes& residual_;
};

}  // namespace quench::run
