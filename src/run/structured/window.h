// A window: positions in lanes, as many as stay in the cache while they go through a layer. src/run/README.md has the
// picture.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/attention_kind.h"
#include "run/structured/kernels/scan_kernel.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

/// Rows of kLanes positions. One word: one group, whose lanes are consecutive segments of the word; the first `live` of
/// the group's positions exist, and the rest are copies of the last one. Words of one length: kLanes words to a group,
/// each of `steps` positions.
struct LaneWindow {
  bool segments = true;
  std::size_t groups = 1, steps = 0, live = 0;
  std::size_t begin = 0;  ///< index of its first row among all windows of a pass

  std::size_t size() const { return groups * steps * kLanes; }

  /// Whether the lanes, one after the other, are consecutive positions.
  bool is_one_stretch(const std::uint32_t* position) const {
    return segments && live == size() && position[size() - 1] > position[0];
  }

  /// Whether positions that do not exist must be kept from being keys. Under masks that look back they come after all
  /// others, where no query sees them.
  bool has_holes(Mask mask) const { return segments && live < size() && ScanOrder(mask).last_before_others(); }
  void leave_out_holes(double* kappa) const {
    for (std::size_t p = live; p < size(); ++p) kappa[p % steps * kLanes + p / steps] = kNoKey;
  }
};

/// What a head does with a window. Without a mask the keys of all windows of a word come first, then the queries.
enum class LanePhase : std::uint8_t { keys, queries, both };

/// The scale of a window's queries, (1/√d_k)·(1/τ): by index in `rows`, or factor·stretch, lane after lane. Neither:
/// it is the same for all of them.
struct LaneScale {
  std::vector<double> rows;
  const double* stretch = nullptr;
  double factor = 1;

  bool empty() const { return rows.empty() && !stretch; }
  void clear() {
    rows.clear();
    stretch = nullptr;
  }
};

}  // namespace quench::run
