// One batch through the network, its positions in lanes (run/lane_order.h), heads by scan wherever they are scans.
//
// Where all heads of a network look to the same side, one word goes through it in windows that stay in the cache
// through all layers, and every head keeps its sums from window to window. Otherwise the whole word goes through layer
// by layer, as do batches, as many words at a time as fit the cache. Heads that are no scans take the first of the
// other methods of run/head_work.h that applies.
#pragma once

#include <functional>
#include <vector>

#include "run/lane_order.h"
#include "run/plane_executor.h"
#include "run/plane_rows.h"
#include "run/reference_plan.h"

namespace quench::run {

/// A model as the passes want it; of the two layers, those of the run's format are there.
struct PlanePlan {
  ReferencePlan reference;
  std::vector<LayerRows<float>> layers_f32;
  std::vector<LayerRows<double>> layers_f64;
};

template <class T>
class LanePass {
 public:
  using Planes = std::vector<std::vector<T>>;
  /// A sublayer is over: the planes of the residual stream, and which positions they hold.
  using Visitor = std::function<void(std::size_t sublayer, const Planes& planes, const LaneOrder& order)>;
  struct Visits {
    Visitor visitor;
    bool every_sublayer = false;  ///< or only the last
    bool all_positions = false;   ///< of one word at once, not window by window
  };

  LanePass(const PlanePlan& plan, const PlaneOptions& options, const Batch& batch, LaneSpace<T>& space,
           std::vector<std::vector<HeadMethod>>& methods);

  void run(const Visits& visits);

 private:
  bool run_in_windows(const Visits& visits);
  /// scans: by head of the network, kept from window to window; null: made anew. False: one of them gave up.
  bool run_layers(std::vector<LaneScan<T>>* scans, const Visits& visits);
  void tabulate();
  void embed();
  bool attend(std::size_t layer, std::size_t head, LaneScan<T>* kept);
  bool scan(const HeadPlan& head, HeadSpace<T>& space, LaneScan<T>& scan);
  void run_otherwise(const HeadPlan& head, HeadSpace<T>& space, HeadMethod& how);
  LaneScan<T> make_scan(const HeadPlan& head, Mask mask) const;
  void project(const SumRows<T>& rows, std::size_t count, Planes& planes, std::vector<const T*>& views);
  template <class Work>
  void for_blocks(const Work& work) const;
  bool worth_threads() const;

  const ReferencePlan& plan_;
  const std::vector<LayerRows<T>>& layers_;
  const PlaneOptions& options_;
  const Batch& batch_;
  LaneSpace<T>& space_;
  std::vector<std::vector<HeadMethod>>& methods_;
  LaneOrder order_;
};

extern template class LanePass<float>;
extern template class LanePass<double>;

}  // namespace quench::run
