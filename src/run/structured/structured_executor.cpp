#include "run/structured/structured_executor.h"

#include <algorithm>

#include "base/error.h"
#include "run/structured/pass.h"

namespace quench::run {

namespace {

std::shared_ptr<const StructuredPlan> make_plan(const model::Transformer& transformer, const Options& options) {
  StructuredPlan plan{make_reference_plan(transformer, options), {}, {}};
  if (options.format == NumberFormat::f32)
    plan.layers_f32 = make_layer_rows<float>(plan.reference);
  else
    plan.layers_f64 = make_layer_rows<double>(plan.reference);
  return std::make_shared<const StructuredPlan>(std::move(plan));
}

/// Makes new scratch space if a copy of the workspace, which another thread may be using, shares this one.
template <class T>
LaneSpace<T>& exclusive_space(std::shared_ptr<LaneSpace<T>>& space) {
  if (space.use_count() != 1) space = std::make_shared<LaneSpace<T>>();
  return *space;
}

void check(const Batch& batch) {
  if (batch.symbols.empty()) throw UserError("the empty word has no positions, so a model has no value on it");
  QUENCH_ASSERT(batch.symbols.size() == batch.n * batch.words);
}

}  // namespace

StructuredExecutor::StructuredExecutor(const model::Transformer& transformer, const StructuredOptions& options)
    : plan_(make_plan(transformer, options.run)), options_(options) {
  if (options.run.format != NumberFormat::f64 && options.run.format != NumberFormat::f32)
    throw UserError("the fast engines compute in f64 and f32; other formats need --engine reference");
  for (const model::Layer& layer : transformer.layers) {
    names_.emplace_back();
    for (const model::Head& head : layer.heads) names_.back().push_back(head.name);
  }
}

void StructuredExecutor::name_methods(Workspace& workspace) const {
  for (std::size_t l = 0; l < names_.size(); ++l)
    for (std::size_t h = 0; h < names_[l].size(); ++h) workspace.methods[l][h].name = names_[l][h];
}

void StructuredExecutor::run(const Batch& batch, Workspace& workspace, const std::function<void(int)>& after) const {
  check(batch);
  QUENCH_ASSERT(!after || batch.words == 1);
  if (options_.run.format == NumberFormat::f32)
    run_in(batch, workspace, workspace.lanes_f32, workspace.floats, after);
  else
    run_in(batch, workspace, workspace.lanes_f64, workspace.doubles, after);
}

template <class T>
void StructuredExecutor::run_in(const Batch& batch, Workspace& workspace, std::shared_ptr<LaneSpace<T>>& space,
                                std::vector<std::vector<T>>& planes, const std::function<void(int)>& after) const {
  planes.resize(plan_->reference.width);
  for (std::vector<T>& plane : planes) plane.resize(batch.symbols.size());
  LanePass<T>(*plan_, options_, batch, exclusive_space(space), workspace.methods)
      .run({[&](std::size_t sublayer, const auto& residual, const LaneOrder& order) {
              for (std::size_t c = 0; c < planes.size(); ++c) order.put_back(residual[c].data(), planes[c].data());
              if (after) after(static_cast<int>(sublayer));
            },
            static_cast<bool>(after), static_cast<bool>(after)});
  name_methods(workspace);
}

void StructuredExecutor::outputs(const Batch& batch, Workspace& workspace, std::vector<double>& result,
                                 const Observer& observer) const {
  check(batch);
  if (options_.run.format == NumberFormat::f32)
    outputs_in(batch, workspace, workspace.lanes_f32, result, observer);
  else
    outputs_in(batch, workspace, workspace.lanes_f64, result, observer);
}

template <class T>
void StructuredExecutor::outputs_in(const Batch& batch, Workspace& workspace, std::shared_ptr<LaneSpace<T>>& space,
                                    std::vector<double>& result, const Observer& observer) const {
  const ReferencePlan& plan = plan_->reference;
  std::vector<Matrix> seen;
  if (observer) seen.assign(2 * plan.layers.size() + 1, Matrix(batch.symbols.size(), plan.width));
  result.resize(batch.symbols.size());
  LanePass<T>(*plan_, options_, batch, exclusive_space(space), workspace.methods)
      .run({[&](std::size_t sublayer, const auto& residual, const LaneOrder& order) {
              if (observer)
                for (std::size_t c = 0; c < plan.width; ++c)
                  order.for_places(
                      [&](std::size_t index, std::size_t place) { seen[sublayer](place, c) = residual[c][index]; });
              if (sublayer == 2 * plan.layers.size()) order.put_back(residual[plan.output].data(), result.data());
            },
            static_cast<bool>(observer), false, !observer});
  name_methods(workspace);
  for (std::size_t s = 0; s < seen.size(); ++s) observer(static_cast<int>(s), seen[s]);
}

}  // namespace quench::run
