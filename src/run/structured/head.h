// One head in linear time, by whichever of the methods in lanes its numbers allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/number/aligned.h"
#include "run/reference/plan.h"
#include "run/structured/method.h"
#include "run/structured/methods/candidates.h"
#include "run/structured/methods/head_range.h"
#include "run/structured/methods/head_work.h"
#include "run/structured/methods/lookup.h"
#include "run/structured/methods/scan.h"
#include "run/structured/methods/series.h"

namespace quench::run {

template <class T>
using Planes = std::vector<AlignedVector<T>>;

/// A head's projections in one window, and its outputs in all of them.
template <class T>
struct HeadSpace {
  Planes<T> q, k, v, own_out;
  std::vector<const T*> q_view, k_view, v_view;
  std::vector<T*> out, out_view;  ///< in all windows, and in this one
  LaneScale scale;
  HeadWork work;
};

template <class T>
class LaneHead {
 public:
  LaneHead(const HeadPlan& head, Mask mask, double cutoff, std::size_t n, const ForeseenHead<T>* foreseen = nullptr,
           bool exact_sums = false)
      : foreseen_(foreseen && foreseen->scan),
        range_(head, n),
        scan_(head.components, head.d_v, cutoff, mask, foreseen),
        others_{LaneLookup<T>(cutoff, head.mask, n), LaneSeries<T>(head.d_v, head.mask, n),
                LaneCandidates<T>(head.d_v, cutoff, mask, exact_sums)},
        as_new_(others_) {}

  /// The head's plan must outlive it. False: by none, or not by that of the windows before.
  bool feed(const LaneWindow& window, const std::uint32_t* position, const HeadSpace<T>& space, double steady,
            const std::vector<T*>& out, LanePhase phase);
  /// The keys' components at the first position of a word whose windows come last to first.
  void introduce(const std::vector<const T*>& k) {
    if (k.size() == 2) others_.lookup.introduce(k);
    as_new_ = others_;
  }
  /// Whether queries and keys are no longer looked at.
  bool knows_scores() const { return scan_.knows_scores(); }
  bool by_rank(const LaneWindow& window) const { return scan_.by_rank(window); }
  void give_up_ranks() { scan_.give_up_ranks(); }
  /// The queries' scale, factor·by_position, in the form this head wants.
  void set_scale(const LaneWindow& window, const std::uint32_t* position, const std::vector<double>& by_position,
                 double factor, LaneScale& scale) const;
  /// Before other words: the sizes of numbers are theirs alone.
  void forget_sizes() { range_.forget(); }
  bool settled() const { return way_ != Way::unknown; }
  /// After some window did not fit: forgets them all but for what it showed, for another try from the first window on.
  /// False: there is no other way.
  bool restart();
  /// How it was run; `dense` before anything was.
  Method method() const;

 private:
  enum class Way { unknown, scan, lookup, series, candidates };

  struct Others {
    LaneLookup<T> lookup;
    LaneSeries<T> series;
    LaneCandidates<T> candidates;
  };

  bool foreseen_;
  HeadRange<T> range_;  ///< of heads that are not foreseen
  LaneScan<T> scan_;
  Others others_, as_new_;
  Way way_ = Way::unknown;
  bool no_scan_ = false;
};

extern template class LaneHead<float>;
extern template class LaneHead<double>;

}  // namespace quench::run
