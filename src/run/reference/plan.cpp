#include "run/reference/plan.h"

#include <algorithm>
#include <atomic>
#include <cmath>

namespace quench::run {

namespace {

/// Rounds weights to the storage format of the run.
class Rounder {
 public:
  explicit Rounder(const FloatFormat& storage) : storage_(storage) {}

  SparseMatrix::Row row(const SparseMatrix::Row& row) const {
    SparseMatrix::Row rounded;
    for (const auto& [column, value] : row)
      if (const double stored = round_to(storage_, value); stored != 0) rounded.push_back({column, stored});
    return rounded;
  }

  void append(FlatRows& flat, std::size_t index, const SparseMatrix::Row& source, bool keep_empty = false) const {
    const auto first = static_cast<std::uint32_t>(flat.entries.size());
    const SparseMatrix::Row rounded = row(source);
    if (rounded.empty() && !keep_empty) return;
    flat.entries.insert(flat.entries.end(), rounded.begin(), rounded.end());
    flat.rows.push_back({static_cast<std::uint32_t>(index), first, static_cast<std::uint32_t>(flat.entries.size())});
  }

  FlatRows flat(const SparseMatrix& matrix) const {
    FlatRows result;
    for (std::size_t index = 0; index < matrix.rows.size(); ++index) append(result, index, matrix.rows[index]);
    return result;
  }

  std::vector<double> vector(const std::vector<double>& values) const {
    std::vector<double> rounded;
    for (const double value : values) rounded.push_back(round_to(storage_, value));
    return rounded;
  }

 private:
  const FloatFormat& storage_;
};

HeadPlan make_head(const model::Head& head, const Options& options, const Rounder& rounder) {
  HeadPlan plan;
  plan.mask = head.mask;
  plan.temperature = head.temperature;
  // A head intended to be soft stays what it is.
  plan.weighting = options.hard && head.intended != Weighting::soft ? head.intended : head.weighting;
  plan.d_v = head.v.rows.size();
  const auto d_k = static_cast<double>(head.q.rows.size());
  plan.score_scale = round_to(compute_format(options.format), 1 / std::sqrt(d_k));
  for (std::size_t component = 0; component < head.q.rows.size(); ++component) {
    if (rounder.row(head.q.rows[component]).empty() || rounder.row(head.k.rows[component]).empty()) continue;
    rounder.append(plan.q, plan.components, head.q.rows[component]);
    rounder.append(plan.k, plan.components, head.k.rows[component]);
    ++plan.components;
  }
  plan.v = rounder.flat(head.v);
  return plan;
}

void add_targets(LayerPlan& plan, const model::Layer& layer, std::size_t width, const Rounder& rounder) {
  for (std::size_t coordinate = 0; coordinate < width; ++coordinate) {
    MixTarget target{static_cast<std::uint32_t>(coordinate), {}};
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const auto first = static_cast<std::uint32_t>(plan.target_entries.size());
      HeadPlan& head = plan.heads[h];
      for (auto [column, value] : rounder.row(layer.heads[h].o.rows[coordinate])) {
        plan.target_entries.push_back({column + static_cast<std::uint32_t>(head.mixed_offset), value});
        head.greatest_mix = std::max(head.greatest_mix, std::fabs(value));
      }
      const auto last = static_cast<std::uint32_t>(plan.target_entries.size());
      if (first != last) target.parts.push_back({static_cast<std::uint32_t>(h), first, last});
    }
    if (!target.parts.empty()) plan.targets.push_back(std::move(target));
  }
}

LayerPlan make_layer(const model::Layer& layer, std::size_t width, const Options& options, const Rounder& rounder) {
  LayerPlan plan;
  for (const model::Head& head : layer.heads) {
    plan.heads.push_back(make_head(head, options, rounder));
    plan.heads.back().mixed_offset = plan.mixed_width;
    plan.mixed_width += plan.heads.back().d_v;
  }
  add_targets(plan, layer, width, rounder);
  plan.hidden_width = layer.ffn.b1.size();
  plan.b1 = rounder.vector(layer.ffn.b1);
  for (std::size_t unit = 0; unit < plan.hidden_width; ++unit)
    rounder.append(plan.w1, unit, layer.ffn.w1.rows[unit], /*keep_empty=*/true);
  const std::vector<double> b2 = rounder.vector(layer.ffn.b2);
  for (std::size_t coordinate = 0; coordinate < width; ++coordinate) {
    const std::size_t before = plan.w2.rows.size();
    rounder.append(plan.w2, coordinate, layer.ffn.w2.rows[coordinate], /*keep_empty=*/b2[coordinate] != 0);
    if (plan.w2.rows.size() > before) plan.b2.push_back(b2[coordinate]);
  }
  return plan;
}

}  // namespace

ReferencePlan make_reference_plan(const model::Transformer& transformer, const Options& options) {
  static std::atomic<std::uint64_t> next_serial{1};
  const Rounder rounder(storage_format(options.format));
  ReferencePlan plan;
  plan.serial = next_serial.fetch_add(1);
  plan.options = options;
  plan.symbols = transformer.alphabet.size();
  plan.width = transformer.width;
  plan.output = transformer.output.coordinate;
  for (const SparseMatrix::Row& row : transformer.embedding.rows) plan.embedding.push_back(rounder.row(row));
  plan.position_encodings = transformer.position_encodings;
  for (const model::Layer& layer : transformer.layers)
    plan.layers.push_back(make_layer(layer, transformer.width, options, rounder));
  return plan;
}

}  // namespace quench::run
