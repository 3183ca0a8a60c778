#include "run/causal_pass.h"

#include <algorithm>

#include "model/position.h"
#include "run/lane_scan.h"
#include "run/plane_layers.h"

namespace quench::run {

namespace {

constexpr std::size_t kSteps = 256;  // per segment: windows of 2,048 positions
constexpr std::size_t kShortest = 16;

bool depends_on_position(Temperature temperature, std::size_t n) {
  return model::inverse_temperature(temperature, 1, n) != model::inverse_temperature(temperature, n, n);
}

/// The one side all heads look to, if they do.
bool one_sided(const ReferencePlan& plan, bool& backwards) {
  bool future = false, past = false;
  for (const LayerPlan& layer : plan.layers)
    for (const HeadPlan& head : layer.heads) {
      if (head.weighting != Weighting::soft) return false;
      if (head.mask == Mask::future)
        future = true;
      else if (head.mask == Mask::past)
        past = true;
      else
        return false;
    }
  backwards = past;
  return !(future && past);
}

template <class T>
class CausalPass {
 public:
  using Planes = std::vector<std::vector<T>>;

  CausalPass(const ReferencePlan& plan, const Batch& batch, const Planes& positions, bool backwards)
      : plan_(plan),
        batch_(batch),
        positions_(positions),
        backwards_(backwards),
        residual_(plan.width),
        layers_(residual_),
        table_(plan.width) {
    for (std::size_t row = 0; row < plan.embedding.size(); ++row)  // the first entry is the unmentioned symbol
      for (const auto& [column, value] : plan.embedding[row]) {
        table_[column].resize(plan.symbols + 1);
        table_[column][row == plan.symbols ? 0 : row + 1] = static_cast<T>(value);
      }
    const double cutoff = negligible(std::is_same_v<T, float> ? 24 : 53, batch.n);
    for (const LayerPlan& layer : plan.layers)
      for (const HeadPlan& head : layer.heads) scans_.emplace_back(head.components, head.d_v, cutoff);
  }

  bool run(std::vector<double>& result, const PlaneExecutor::Observer& observer) {
    if (observer) seen_.assign(2 * plan_.layers.size() + 1, Matrix(batch_.n, plan_.width));
    std::vector<double> answers(batch_.n);
    for (std::size_t first = 0; first < batch_.n; first += kSteps * kLanes) {
      first_ = first;
      live_ = std::min(kSteps * kLanes, batch_.n - first);
      steps_ = (live_ + kLanes - 1) / kLanes;
      locate();
      embed();
      see(0);
      std::size_t scan = 0;
      for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
        if (!attention(plan_.layers[l], scan)) return false;
        see(2 * l + 1);
        for_blocks([&](std::size_t at, std::size_t count) { layers_.feed_forward(plan_.layers[l], at, count); });
        see(2 * l + 2);
      }
      for_live([&](std::size_t index) { answers[place_[index]] = residual_[plan_.output][index]; });
    }
    result = std::move(answers);
    for (std::size_t s = 0; s < seen_.size(); ++s) observer(static_cast<int>(s), seen_[s]);
    return true;
  }

 private:
  std::size_t size() const { return steps_ * kLanes; }

  /// Where each index of the window lies in the word; indices beyond its end repeat the last position.
  void locate() {
    place_.resize(size());
    for (std::size_t s = 0; s < kLanes; ++s)
      for (std::size_t t = 0; t < steps_; ++t) {
        const std::size_t p = first_ + std::min(s * steps_ + t, live_ - 1);
        place_[t * kLanes + s] = static_cast<std::uint32_t>(backwards_ ? batch_.n - 1 - p : p);
      }
  }

  template <class Work>
  void for_live(Work work) const {
    for (std::size_t s = 0; s < kLanes; ++s)
      for (std::size_t t = 0; t < steps_ && s * steps_ + t < live_; ++t) work(t * kLanes + s);
  }

  template <class Work>
  void for_blocks(Work work) const {
    for (std::size_t first = 0; first < size(); first += kBlock) work(first, std::min(kBlock, size() - first));
  }

  void embed() {
    for (std::size_t c = 0; c < plan_.width; ++c) {
      std::vector<T>& h = residual_[c];
      h.resize(size());
      if (table_[c].empty())
        std::fill(h.begin(), h.end(), T{0});
      else
        for (std::size_t p = 0; p < size(); ++p)
          h[p] = table_[c][static_cast<std::size_t>(batch_.symbols[place_[p]] + 1)];
    }
    for (std::size_t e = 0; e < plan_.position_encodings.size(); ++e) {
      T* h = residual_[plan_.position_encodings[e].coordinate].data();
      for (std::size_t p = 0; p < size(); ++p) h[p] += positions_[e][place_[p]];
    }
  }

  bool attention(const LayerPlan& layer, std::size_t& scan) {
    outputs_.resize(std::max(outputs_.size(), layer.mixed_width));
    for (const HeadPlan& head : layer.heads) {
      const auto prepare = [&](Planes& planes, std::size_t count) {
        planes.resize(count);
        for (std::vector<T>& plane : planes) plane.resize(size());
      };
      prepare(q_, head.components);
      prepare(k_, head.components);
      prepare(v_, head.d_v);
      prepare(out_, head.d_v);
      if (head.v.rows.size() < head.d_v)
        for (std::vector<T>& plane : v_) std::fill(plane.begin(), plane.end(), T{0});
      for_blocks([&](std::size_t at, std::size_t count) {
        layers_.project(head.q, q_, at, count);
        layers_.project(head.k, k_, at, count);
        layers_.project(head.v, v_, at, count);
      });
      scale_.clear();
      const bool varies = depends_on_position(head.temperature, batch_.n);
      for (std::size_t p = 0; varies && p < size(); ++p)
        scale_.push_back(head.score_scale * model::inverse_temperature(head.temperature, place_[p] + 1, batch_.n));
      const double steady = head.score_scale * model::inverse_temperature(head.temperature, 1, batch_.n);
      if (!scans_[scan++].feed(q_, k_, v_, scale_, steady, steps_, live_, out_)) return false;
      for (std::size_t x = 0; x < head.d_v; ++x) outputs_[head.mixed_offset + x].swap(out_[x]);
    }
    for_blocks([&](std::size_t at, std::size_t count) {
      layers_.mix(
          layer, [&](std::uint32_t column) { return static_cast<const T*>(outputs_[column].data() + at); }, at, count);
    });
    return true;
  }

  void see(std::size_t sublayer) {
    if (seen_.empty()) return;
    for (std::size_t c = 0; c < plan_.width; ++c)
      for_live([&](std::size_t index) { seen_[sublayer](place_[index], c) = residual_[c][index]; });
  }

  const ReferencePlan& plan_;
  const Batch& batch_;
  const Planes& positions_;
  const bool backwards_;
  Planes residual_, q_, k_, v_, out_, outputs_;
  const PlaneLayers<T> layers_;
  Planes table_;  // by coordinate and symbol
  std::vector<LaneScan<T>> scans_;
  std::vector<double> scale_;
  std::vector<std::uint32_t> place_;
  std::size_t first_ = 0, live_ = 0, steps_ = 0;
  std::vector<Matrix> seen_;  // by sublayer, if there is an observer
};

}  // namespace

template <class T>
bool run_causally(const ReferencePlan& plan, const Batch& batch, const std::vector<std::vector<T>>& positions,
                  std::vector<double>& result, const PlaneExecutor::Observer& observer) {
  bool backwards = false;
  if (batch.lanes != 1 || batch.n < kShortest || !one_sided(plan, backwards)) return false;
  return CausalPass<T>(plan, batch, positions, backwards).run(result, observer);
}

template bool run_causally<float>(const ReferencePlan&, const Batch&, const std::vector<std::vector<float>>&,
                                  std::vector<double>&, const PlaneExecutor::Observer&);
template bool run_causally<double>(const ReferencePlan&, const Batch&, const std::vector<std::vector<double>>&,
                                   std::vector<double>&, const PlaneExecutor::Observer&);

}  // namespace quench::run
