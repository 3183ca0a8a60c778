#include "run/plane_executor.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <type_traits>

#include "base/error.h"
#include "model/position.h"
#include "run/planes.h"
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
      : plan_(plan), options_(options), batch_(batch), space_(workspace), size_(batch.symbols.size()) {}

  void run(const std::function<void(int)>& after) {
    embed();
    after(0);
    space_.methods.resize(plan_.layers.size());
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      attention(plan_.layers[l], l);
      after(static_cast<int>(2 * l + 1));
      feed_forward(plan_.layers[l]);
      after(static_cast<int>(2 * l + 2));
    }
  }

  std::vector<std::vector<T>>& residual() const {
    if constexpr (std::is_same_v<T, float>)
      return space_.floats;
    else
      return space_.doubles;
  }

 private:
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
    tabulate_positions();
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
      project_block(head.q, work.q, first, count);
      project_block(head.k, work.k, first, count);
      project_block(head.v, work.v, first, count);
    });
  }

  void project_block(const FlatRows& matrix, std::vector<Plane>& planes, std::size_t first, std::size_t count) const {
    for (const FlatRows::Row& row : matrix.rows) {
      double* out = planes[row.index].data() + first;
      if constexpr (std::is_same_v<T, double>) {
        dot(matrix, row, first, count, out);
      } else {
        T sum[kBlock];
        dot(matrix, row, first, count, sum);
        std::copy_n(sum, count, out);
      }
    }
  }

  void dot(const FlatRows& matrix, const FlatRows::Row& row, std::size_t first, std::size_t count, T* total) const {
    sparse_dot(
        matrix.entries.data() + row.first, matrix.entries.data() + row.last,
        [&](std::uint32_t column) { return static_cast<const T*>(residual()[column].data() + first); }, count, total);
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
    if (!options_.dense && took("classes", run_by_classes(work, crowd ? 1 : kMostClasses))) return how.reason.clear();
    if (!options_.dense && !crowd &&
        (took("lookup", run_by_lookup(work)) || took("series", run_by_series(work)) ||
         took("candidates", run_by_candidates(work))))
      return how.reason.clear();
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
    T total[kBlock], part_sum[kBlock];
    const auto source = [&](std::uint32_t column) { return static_cast<const T*>(mixed.data() + column * count); };
    for (const MixTarget& target : layer.targets) {
      for (std::size_t part = 0; part < target.parts.size(); ++part) {
        const SparseMatrix::Entry* entries = layer.target_entries.data();
        sparse_dot(entries + target.parts[part].first, entries + target.parts[part].last, source, count,
                   part == 0 ? total : part_sum);
        if (part > 0) planes::add(part_sum, count, total);
      }
      planes::add(total, count, residual()[target.coordinate].data() + first);
    }
  }

  void feed_forward(const LayerPlan& layer) const {
    if (layer.w2.rows.empty()) return;
    for_blocks([&](std::size_t first, std::size_t count) {
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
        planes::add_biased(sum, static_cast<T>(layer.b2[row]), count, residual()[at.index].data() + first);
      }
    });
  }

  const ReferencePlan& plan_;
  const PlaneOptions& options_;
  const Batch& batch_;
  Workspace& space_;
  const std::size_t size_;
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

void PlaneExecutor::run(const Batch& batch, Workspace& workspace, const std::function<void(int)>& after) const {
  check(batch, plan_->symbols);
  if (options_.run.format == NumberFormat::f32)
    PlanePass<float>(*plan_, options_, batch, workspace).run(after);
  else
    PlanePass<double>(*plan_, options_, batch, workspace).run(after);
  for (std::size_t l = 0; l < names_.size(); ++l)
    for (std::size_t h = 0; h < names_[l].size(); ++h) workspace.methods[l][h].name = names_[l][h];
}

void PlaneExecutor::outputs(const Batch& batch, Workspace& workspace, std::vector<double>& result,
                            const Observer& observer) const {
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
