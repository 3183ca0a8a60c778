// One head of one layer at a time: its projections, the method that runs it, what it puts out.
#pragma once

#include <mutex>
#include <vector>

#include "run/batch.h"
#include "run/reference/plan.h"
#include "run/structured/attention/head.h"
#include "run/structured/embedding.h"
#include "run/structured/position_wise.h"
#include "run/structured/structured_executor.h"

namespace quench::run {

/// What to do with a head that no linear method takes: give the pass up, or run it on whole words.
enum class IfNotLinear { give_up, run };

template <class T>
class AttentionStage {
 public:
  using Part = LanePart<T>;

  /// All must outlive it. `methods` is where it says how each head was run.
  AttentionStage(const ReferencePlan& plan, const std::vector<LayerRows<T>>& layers, const StructuredOptions& options,
                 const Batch& batch, const LaneSpace<T>& space, std::vector<std::vector<HeadMethod>>& methods);

  /// Takes other rows of weights for the same plan.
  void use(const std::vector<LayerRows<T>>& layers) { layers_ = &layers; }

  /// `forwards`: windows come in the order in which the mask brings keys into sight.
  LaneHead<T> make_head(std::size_t layer, std::size_t head, bool forwards) const;

  /// Feeds windows of one word to the heads from `first` to before `last`, to all of them each window while it is in
  /// the cache; run() takes it from there.
  void feed_side_by_side(Part& part, std::size_t layer, std::size_t first, std::size_t last,
                         std::vector<LaneHead<T>>& runners) const;
  /// Leaves the head's means in part.heads[head].out. Returns false if it gave up.
  bool run(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner, IfNotLinear otherwise);

 private:
  /// Of a head's projections: all, all but queries foreseen as constants, the values alone, or these and the ranks of
  /// the keys (LaneScan::by_rank) in place of the keys.
  enum class Want { all, not_foreseen, values, ranks };

  /// Why a head is run by definition whatever its numbers are, if it is.
  const char* needs_definition(std::size_t layer, const HeadPlan& head) const;
  void project(Part& part, const LaneWindow& window, std::size_t layer, std::size_t head, Want want) const;
  /// Whether methods in lanes are tried.
  bool by_methods(const Part& part, std::size_t layer, std::size_t head) const;
  bool asks_for_codes(const Part& part, std::size_t layer, std::size_t head) const;
  void find_place(Part& part, std::size_t layer, std::size_t head) const;
  void introduce(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const;
  bool feed_window(Part& part, const LaneWindow& window, std::size_t layer, std::size_t head, LaneHead<T>& runner,
                   LanePhase phase) const;
  bool feed_windows(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const;
  /// By a method in lanes. False: there is none for its numbers.
  bool feed(Part& part, std::size_t layer, std::size_t head, LaneHead<T>& runner) const;
  void run_on_whole_words(Part& part, std::size_t layer, std::size_t head, HeadMethod& how);
  /// Planes of whole words are large: heads that run one after the other use the same ones.
  Plane take_plane(std::size_t size);
  void give_planes(std::vector<Plane>& planes);

  const ReferencePlan& plan_;
  const std::vector<LayerRows<T>>* layers_;
  const StructuredOptions& options_;
  const Batch& batch_;
  const LaneSpace<T>& space_;
  std::vector<std::vector<HeadMethod>>& methods_;
  mutable std::mutex mutex_;
  std::vector<Plane> spares_;
  std::size_t hard_layers_ = 0;  ///< how many layers there are up to the last one with a hard head
};

extern template class AttentionStage<float>;
extern template class AttentionStage<double>;

}  // namespace quench::run
