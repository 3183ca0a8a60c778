// The vector loops of run/lane_candidates.h.
#pragma once

#include <cstddef>

#include "run/scan_kernel.h"

namespace quench::run {

template <class T>
inline constexpr std::size_t kSlots = sizeof(T) == 4 ? 14 : 22;

/// By lane: the keys that still compete, the newest of them apart.
template <class T>
struct LaneList {
  // Slot c of lane s at c·kLanes + s; the one after the last takes what nobody reads.
  double kappa[(kSlots<T> + 1) * kLanes], count[(kSlots<T> + 1) * kLanes], sum[(kSlots<T> + 1) * kLanes];
  double newest_kappa[kLanes], newest_count[kLanes], newest_sum[kLanes];
  double max[kLanes], next[kLanes];  ///< the greatest κ; the slot to fill next

  LaneList() {
    for (std::size_t x = 0; x < (kSlots<T> + 1) * kLanes; ++x) kappa[x] = kNoKey, count[x] = sum[x] = 0;
    for (std::size_t s = 0; s < kLanes; ++s) {
      newest_kappa[s] = kNoKey;
      newest_count[s] = newest_sum[s] = next[s] = 0;
      max[s] = kNoMax;
    }
  }
};

/// Sharpness and keys by index; rows of kLanes positions.
template <class T>
struct CandidateRows {
  std::size_t steps = 0;
  bool backwards = false, strict = false;
  const double *t = nullptr, *kappa = nullptr;
  const T* v = nullptr;
  T* out = nullptr;  ///< null: keys only
  double cutoff = 0, tiny = 0;
};

/// Keys into the lists and queries out of them, row by row. False: a key that counts would have had to make room.
template <class T>
bool pass_candidates(const CandidateRows<T>& rows, LaneList<T>& list);

}  // namespace quench::run
