// One head in linear time, by whichever of the methods in lanes its numbers allow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/number/aligned.h"
#include "run/reference/plan.h"
#include "run/structured/method.h"
#include "run/structured/methods/head_range.h"
#include "run/structured/methods/head_work.h"
#include "run/structured/methods/linear_method.h"
#include "run/structured/methods/scan.h"

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
  /// Whether all windows went through, if they were fed to the layer's heads side by side.
  std::optional<bool> side_by_side;

  void swap_projections(HeadSpace& other) {
    q.swap(other.q);
    k.swap(other.k);
    v.swap(other.v);
  }
};

template <class T>
class LaneHead {
 public:
  using Views = typename HeadWindow<T>::Views;

  /// `in_order`: the mask as windows come in (MethodSetting). The plan and what is foreseen must outlive the head.
  LaneHead(const HeadPlan& head, Mask in_order, double cutoff, std::size_t n, const ForeseenHead<T>* foreseen = nullptr,
           bool exact_sums = false);

  /// Runs the head in one window. Returns false if no method applies, or if the one chosen for earlier windows no
  /// longer does.
  bool feed(const LaneWindow& window, const std::uint32_t* position, const HeadSpace<T>& space, double steady,
            const std::vector<T*>& out, LanePhase phase);
  /// The keys' components at the first position of a word whose windows come last to first.
  void introduce(const Views& k);
  /// Whether queries and keys are no longer looked at.
  bool knows_scores() const { return scan_->knows_scores(); }
  /// Whether, with all keys known, every query has the same answer, which takes no further look at anything.
  bool answers_alike() const { return chosen_ && chosen_ == scan_.get() && scan_->answers_alike(); }
  bool by_rank(const LaneWindow& window) const { return scan_->by_rank(window); }
  void give_up_ranks() { scan_->give_up_ranks(); }
  /// The queries' scale, factor·by_position, in the form this head wants.
  void set_scale(const LaneWindow& window, const std::uint32_t* position, const std::vector<double>& by_position,
                 double factor, LaneScale& scale) const;
  /// Before other words: the sizes of numbers are theirs alone.
  void forget_sizes() { range_.forget(); }
  bool settled() const { return chosen_; }
  /// Resets for another pass from the first window on, keeping what the window that did not fit has shown. Returns
  /// false if there is nothing else to try.
  bool restart();
  /// How it was run; `dense` before anything was.
  Method method() const;

 private:
  void make_others();

  MethodSetting<T> setting_;
  HeadRange<T> range_;  ///< of heads that are not foreseen
  std::unique_ptr<LaneScan<T>> scan_;
  std::vector<std::unique_ptr<LinearMethod<T>>> others_;  ///< by row of linear_methods()
  std::vector<double> first_key_;                         ///< what was introduced
  LinearMethod<T>* chosen_ = nullptr;                     ///< null: none yet
  bool no_scan_ = false;
};

extern template class LaneHead<float>;
extern template class LaneHead<double>;

}  // namespace quench::run
