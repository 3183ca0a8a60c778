#include "run/plane_executor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "model/position.h"
#include "run/causal_pass.h"
#include "run/plane_layers.h"
#include "run/reference_plan.h"

namespace quench::run {

namespace {

using Workspace = PlaneExecutor::Workspace;

constexpr std::size_t kShort = 64;  // words of a batch up to this length: dense rows across words are faster
constexpr std::size_t kWorthThreads = 1 << 14;

/// One batch through the network in T.
template <class T>
class PlanePass {
 public:
  PlanePass(const ReferencePlan& plan, const PlaneOptions& options, const Batch& batch, Workspace& workspace)
      : plan_(plan),
        options_(options),
        batch_(batch),
        space_(workspace),
        size_(batch.symbols.size()),
        layers_(residual()) {}

  /// The whole network at once, if it is one scan after the other; fills `result` from the output coordinate.
  bool run_as_scans(const PlaneExecutor::Observer& observer, std::vector<double>& result) {
    tabulate_positions();
    if (options_.dense || !run_causally<T>(plan_, batch_, positions(), result, observer)) return false;
    space_.methods.resize(plan_.layers.size());
    for (std::size_t l = 0; l < plan_.layers.size(); ++l)
      space_.methods[l].assign(plan_.layers[l].heads.size(), {"", "scan", ""});
    return true;
  }

  void run(const std::function<void(int)>& after) {
    tabulate_positions();
    embed();
    after(0);
    space_.methods.resize(plan_.layers.size());
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      attention(plan_.layers[l], l);
      after(static_cast<int>(2 * l + 1));
      for_blocks([&](std::size_t first, std::size_t count) { layers_.feed_forward(plan_.layers[l], first, count); });
      after(static_cast<int>(2 * l + 2));
    }
  }

 private:
  std::vector<std::vector<T>>& residual() const {
    if constexpr (std::is_same_v<T, float>)
      return space_.floats;
    else
      return space_.doubles;
  }

  std::vector<std::vector<T>>& positions() const {
    if constexpr (std::is_same_v<T, float>)
      return space_.positions_f32;
    else
      return space_.positions_f64;
  }

  /// Calls work(first, count) for every block of positions.
  template <class Work>
  void for_blocks(Work work) const {
    const std::size_t blocks = (size_ + kBlock - 1) / kBlock;
    const auto block = [&](std::size_t b) { work(b * kBlock, std::min(kBlock, size_ - b * kBlock)); };
    if (options_.parallel && size_ >= kWorthThreads)
      tbb::parallel_for(std::size_t{0}, blocks, block);
    else
      for (std::size_t b = 0; b < blocks; ++b) block(b);
  }

  void embed() {
    residual().resize(plan_.width);
    std::vector<std::vector<T>> table(plan_.width);  // by coordinate and symbol; the first entry is the unmentioned one
    for (std::size_t row = 0; row < plan_.embedding.size(); ++row)
      for (const auto& [column, value] : plan_.embedding[row]) {
        table[column].resize(plan_.symbols + 1);
        table[column][row == plan_.symbols ? 0 : row + 1] = static_cast<T>(value);
      }
    for (std::size_t c = 0; c < plan_.width; ++c) {
      std::vector<T>& h = residual()[c];
      h.resize(size_);
      if (table[c].empty())
        std::fill(h.begin(), h.end(), T{0});
      else
        for (std::size_t p = 0; p < size_; ++p) h[p] = table[c][static_cast<std::size_t>(batch_.symbols[p] + 1)];
    }
    for (std::size_t e = 0; e < plan_.position_encodings.size(); ++e) {
      T* h = residual()[plan_.position_encodings[e].coordinate].data();
      for (std::size_t i = 0; i < batch_.n; ++i)
        for (std::size_t w = 0; w < batch_.lanes; ++w) h[i * batch_.lanes + w] += positions()[e][i];
    }
  }

  void tabulate_positions() {
    if (space_.owner == plan_.serial && space_.length == batch_.n) return;
    space_.owner = 0;  // a predicate may throw halfway
    positions().assign(plan_.position_encodings.size(), {});
    for (std::size_t e = 0; e < plan_.position_encodings.size(); ++e)
      for (std::size_t i = 1; i <= batch_.n; ++i)
        positions()[e].push_back(
            static_cast<T>(model::position_value(plan_.position_encodings[e].formula, i, batch_.n)));
    space_.owner = plan_.serial;
    space_.length = batch_.n;
  }

  void attention(const LayerPlan& layer, std::size_t l) {
    space_.heads.resize(std::max(space_.heads.size(), layer.heads.size()));
    space_.methods[l].resize(layer.heads.size());
    for (std::size_t h = 0; h < layer.heads.size(); ++h) project(layer.heads[h], space_.heads[h]);
    const auto attend = [&](std::size_t h) { attend_with(space_.heads[h], space_.methods[l][h]); };
    if (options_.parallel && size_ >= kWorthThreads)
      tbb::parallel_for(std::size_t{0}, layer.heads.size(), attend);
    else
      for (std::size_t h = 0; h < layer.heads.size(); ++h) attend(h);
    for_blocks([&](std::size_t first, std::size_t count) { mix(layer, first, count); });
  }

  void project(const HeadPlan& head, HeadWork& work) const {
    work.mask = head.mask;
    work.weighting = head.weighting;
    work.n = batch_.n;
    work.lanes = batch_.lanes;
    work.precision = std::is_same_v<T, float> ? 24 : 53;
    work.scale.resize(batch_.n);
    for (std::size_t i = 0; i < batch_.n; ++i)
      work.scale[i] = head.score_scale * model::inverse_temperature(head.temperature, i + 1, batch_.n);
    const auto prepare = [&](std::vector<Plane>& planes, std::size_t count) {
      planes.resize(count);
      for (Plane& plane : planes) plane.resize(size_);
    };
    prepare(work.q, head.components);
    prepare(work.k, head.components);
    prepare(work.v, head.d_v);
    prepare(work.out, head.d_v);
    if (head.v.rows.size() < head.d_v)
      for (Plane& plane : work.v) std::fill(plane.begin(), plane.end(), 0.0);
    for_blocks([&](std::size_t first, std::size_t count) {
      layers_.project(head.q, work.q, first, count);
      layers_.project(head.k, work.k, first, count);
      layers_.project(head.v, work.v, first, count);
    });
  }

  void attend_with(HeadWork& work, HeadMethod& how) const {
    const auto took = [&](const char* method, const std::optional<std::string>& refusal) {
      if (refusal)
        how.reason += (how.reason.empty() ? "" : "; ") + *refusal;
      else
        how.method = method;
      return !refusal;
    };
    how.reason.clear();
    const bool crowd = batch_.lanes > 1 && batch_.n <= kShort;
    if (!options_.dense && (took("classes", run_by_classes(work, crowd ? 1 : kMostClasses)) ||
                            (!crowd && (took("lookup", run_by_lookup(work)) || took("series", run_by_series(work)) ||
                                        took("candidates", run_by_candidates(work)))))) {
      drop_tiny_means(work);
      return how.reason.clear();
    }
    run_densely(work, options_.dense && std::is_same_v<T, float>, options_.parallel && batch_.n > kShort);
    how.method = "dense";
    if (options_.dense) how.reason = "asked for";
    if (crowd) how.reason = "short words, all at once";
  }

  /// h += Σ_heads W_O·o, o rounded to T first.
  void mix(const LayerPlan& layer, std::size_t first, std::size_t count) const {
    std::vector<T> mixed(layer.mixed_width * count);
    for (std::size_t h = 0; h < layer.heads.size(); ++h)
      for (std::size_t x = 0; x < layer.heads[h].d_v; ++x) {
        const double* out = space_.heads[h].out[x].data() + first;
        T* to = mixed.data() + (layer.heads[h].mixed_offset + x) * count;
        for (std::size_t p = 0; p < count; ++p) to[p] = static_cast<T>(out[p]);
      }
    layers_.mix(
        layer, [&](std::uint32_t column) { return static_cast<const T*>(mixed.data() + column * count); }, first,
        count);
  }

  const ReferencePlan& plan_;
  const PlaneOptions& options_;
  const Batch& batch_;
  Workspace& space_;
  const std::size_t size_;
  const PlaneLayers<T> layers_;
};

void check(const Batch& batch, std::size_t symbols) {
  if (batch.symbols.empty()) throw UserError("the empty word has no positions, so a model has no value on it");
  QUENCH_ASSERT(batch.symbols.size() == batch.n * batch.lanes);
  for (const Symbol symbol : batch.symbols)
    if (symbol != kUnmentioned && (symbol < 0 || static_cast<std::size_t>(symbol) >= symbols))
      throw UserError("the word has a symbol outside the model's alphabet of " + std::to_string(symbols));
}

}  // namespace

PlaneExecutor::PlaneExecutor(const model::Transformer& transformer, const PlaneOptions& options)
    : plan_(std::make_shared<const ReferencePlan>(make_reference_plan(transformer, options.run))), options_(options) {
  if (options.run.format != NumberFormat::f64 && options.run.format != NumberFormat::f32)
    throw UserError("the fast engines compute in f64 and f32; other formats need --engine reference");
  for (const model::Layer& layer : transformer.layers) {
    names_.emplace_back();
    for (const model::Head& head : layer.heads) names_.back().push_back(head.name);
  }
}

void PlaneExecutor::name_methods(Workspace& workspace) const {
  for (std::size_t l = 0; l < names_.size(); ++l)
    for (std::size_t h = 0; h < names_[l].size(); ++h) workspace.methods[l][h].name = names_[l][h];
}

void PlaneExecutor::run(const Batch& batch, Workspace& workspace, const std::function<void(int)>& after) const {
  check(batch, plan_->symbols);
  if (options_.run.format == NumberFormat::f32)
    PlanePass<float>(*plan_, options_, batch, workspace).run(after);
  else
    PlanePass<double>(*plan_, options_, batch, workspace).run(after);
  name_methods(workspace);
}

void PlaneExecutor::outputs(const Batch& batch, Workspace& workspace, std::vector<double>& result,
                            const Observer& observer) const {
  check(batch, plan_->symbols);
  if (options_.run.format == NumberFormat::f32
          ? PlanePass<float>(*plan_, options_, batch, workspace).run_as_scans(observer, result)
          : PlanePass<double>(*plan_, options_, batch, workspace).run_as_scans(observer, result))
    return name_methods(workspace);
  const auto with_planes = [&](const auto& use) {
    options_.run.format == NumberFormat::f32 ? use(workspace.floats) : use(workspace.doubles);
  };
  run(batch, workspace, [&](int sublayer) {
    if (!observer) return;
    Matrix matrix(batch.symbols.size(), plan_->width);
    with_planes([&](const auto& planes) {
      for (std::size_t c = 0; c < matrix.cols; ++c)
        for (std::size_t p = 0; p < matrix.rows; ++p) matrix(p, c) = planes[c][p];
    });
    observer(sublayer, matrix);
  });
  with_planes([&](const auto& planes) { result.assign(planes[plan_->output].begin(), planes[plan_->output].end()); });
}

}  // namespace quench::run
