// One batch through the network, its positions in lanes (order.h), heads by scan wherever they are scans.
//
// Where all heads of a network look to the same side, one word goes through it in windows that stay in the cache
// through all layers, and every head keeps its sums from window to window. Otherwise the whole word goes through layer
// by layer, as do batches, as many words at a time as fit the cache. attention_stage.h
// runs the heads.
#pragma once

#include <functional>
#include <vector>

#include "run/reference/plan.h"
#include "run/structured/attention/attention_stage.h"
#include "run/structured/attention/head.h"
#include "run/structured/embedding.h"
#include "run/structured/position_wise.h"
#include "run/structured/structured_executor.h"

namespace quench::run {

/// A model as the passes want it; of the two layers, those of the run's format are there.
struct StructuredPlan {
  ReferencePlan reference;
  std::vector<LayerRows<float>> layers_f32;
  std::vector<LayerRows<double>> layers_f64;
};

template <class T>
class LanePass {
 public:
  /// A sublayer is over: the planes of the residual stream, and which positions they hold. Threads may call it at the
  /// same time with different positions.
  using Visitor = std::function<void(std::size_t sublayer, const Planes<T>& planes, const LaneOrder& order)>;
  struct Visits {
    Visitor visitor;
    bool every_sublayer = false;  ///< or only the last
    bool all_positions = false;   ///< of one word at once, not window by window
    bool output_only = false;     ///< other coordinates are not looked at
  };

  LanePass(const StructuredPlan& plan, const StructuredOptions& options, const Batch& batch, LaneSpace<T>& space,
           std::vector<std::vector<HeadMethod>>& methods);

  void run(const Visits& visits);

 private:
  using Part = LanePart<T>;

  bool run_in_windows(const Visits& visits);
  void run_whole(Part& part, std::vector<std::vector<LaneHead<T>>>& heads, const Visits& visits);
  /// By layer and head.
  std::vector<std::vector<LaneHead<T>>> make_heads(bool forwards) const;
  /// False: a head gave up.
  bool run_layer(Part& part, std::size_t layer, std::vector<LaneHead<T>>& runners, IfNotLinear otherwise,
                 const Visits& visits);
  void visit(const Part& part, std::size_t sublayer, const Visits& visits) const;
  bool worth_threads(const Part& part) const;
  template <class Work>
  void for_blocks(const Part& part, const Work& work) const;

  const ReferencePlan& plan_;
  const std::vector<LayerRows<T>>* layers_;  ///< the plan's, or those of space_ that are lean
  const StructuredOptions& options_;
  const Batch& batch_;
  LaneSpace<T>& space_;
  AttentionStage<T> attention_;
};

extern template class LanePass<float>;
extern template class LanePass<double>;

}  // namespace quench::run
