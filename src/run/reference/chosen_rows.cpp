#include "run/reference/chosen_rows.h"

#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.h"
#include "model/position.h"
#include "run/reference/arithmetic.h"
#include "run/reference/float_row.h"
#include "run/reference/plan.h"

namespace quench::run {
namespace {

constexpr std::size_t kBlockOfKeys = 4096;

/// One head at work on a few rows of a long word.
template <class Arithmetic>
class HeadRows {
 public:
  HeadRows(const HeadPlan& head, const Arithmetic& arithmetic, const ReferenceRows::Planes& planes,
           const ReferenceRows::Rows& rows)
      : head_(head), arithmetic_(arithmetic), planes_(planes), rows_(rows), n_(planes.front().size()) {
    project_all();
    for (std::size_t r = 0; r < rows.positions.size(); ++r) project(row(r), rows.positions[r] - 1);
    if constexpr (std::is_same_v<decltype(arithmetic_.c), FixedRounding<kSingle>>) {
      const auto finite = [](double x) { return std::isfinite(x); };
      single_ = head.weighting == Weighting::soft && std::all_of(values_.begin(), values_.end(), finite);
      if (single_) single_keys_.assign(keys_.begin(), keys_.end());
    }
  }

  /// out (d_v): the head's result at one of the rows.
  void attend(std::size_t r, RowScratch& scratch, double* out) const {
    const std::size_t i = rows_.positions[r];
    const KeyRange range = visible(head_.mask, i, n_);
    if (range.first > range.last) return;
    const std::size_t first = range.first - 1, count = range.last + 1 - range.first;
    std::vector<double> q(head_.components);
    for (const FlatRows::Row& each : head_.q.rows)
      q[each.index] = arithmetic_.s(arithmetic_.dot(head_.q, each, row(r)));
    const double inverse_tau = model::inverse_temperature(head_.temperature, i, n_);
    const double* values = values_.data() + first * head_.d_v;
    if (single_) {
      const SingleRow single{head_, q.data(), from(single_keys_, first), n_, count, inverse_tau, values};
      if (attend_in_single(single, scratch, out)) {
        for (std::size_t x = 0; x < head_.d_v; ++x) out[x] = arithmetic_.s(out[x]);
        return;
      }
    }
    scratch.weights.resize(count);
    arithmetic_.score(head_, q.data(), from(keys_, first), n_, count, inverse_tau, scratch.weights.data());
    const double total = arithmetic_.weigh(head_.weighting, scratch.weights.data(), count);
    arithmetic_.retrieve(head_, scratch.weights.data(), total, values, count, out);
  }

 private:
  /// A head without components has no keys.
  template <class T>
  static const T* from(const std::vector<T>& keys, std::size_t first) {
    return keys.empty() ? nullptr : keys.data() + first;
  }
  const double* row(std::size_t r) const { return rows_.residual.data.data() + r * rows_.residual.cols; }

  /// keys: components × n, values: n × d_v
  void project_all() {
    keys_.resize(head_.components * n_);
    values_.assign(n_ * head_.d_v, 0.0);
    std::vector<std::uint32_t> columns;
    for (const FlatRows* matrix : {&head_.k, &head_.v})
      for (const SparseMatrix::Entry& entry : matrix->entries) columns.push_back(entry.column);
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    tbb::parallel_for(std::size_t{0}, (n_ + kBlockOfKeys - 1) / kBlockOfKeys, [&](std::size_t block) {
      std::vector<double> h(planes_.size());
      const std::size_t last = std::min(n_, (block + 1) * kBlockOfKeys);
      for (std::size_t j = block * kBlockOfKeys; j < last; ++j) {
        for (const std::uint32_t column : columns) h[column] = arithmetic_.s(planes_[column][j]);
        project(h.data(), j);
      }
    });
  }

  void project(const double* h, std::size_t j) {
    for (const FlatRows::Row& each : head_.k.rows)
      keys_[each.index * n_ + j] = arithmetic_.s(arithmetic_.dot(head_.k, each, h));
    for (const FlatRows::Row& each : head_.v.rows)
      values_[j * head_.d_v + each.index] = arithmetic_.s(arithmetic_.dot(head_.v, each, h));
  }

  const HeadPlan& head_;
  const Arithmetic arithmetic_;
  const ReferenceRows::Planes& planes_;
  const ReferenceRows::Rows& rows_;
  const std::size_t n_;
  std::vector<double> keys_, values_;
  bool single_ = false;  // rows may be formed in float
  std::vector<float> single_keys_;
};

double* row_of(ReferenceRows::Rows& rows, std::size_t r) { return rows.residual.data.data() + r * rows.residual.cols; }

}  // namespace

ReferenceRows::ReferenceRows(const model::Transformer& transformer, const Options& options)
    : plan_(std::make_shared<const ReferencePlan>(make_reference_plan(transformer, options))) {}

ReferenceRows::Rows ReferenceRows::embed(const Word& word, std::vector<std::size_t> positions) const {
  Rows rows{std::move(positions), {}};
  rows.residual = Matrix(rows.positions.size(), plan_->width);
  with_arithmetic(plan_->options.format, [&](const auto& arithmetic) {
    for (std::size_t r = 0; r < rows.positions.size(); ++r) {
      const std::size_t i = rows.positions[r];
      QUENCH_ASSERT(i >= 1 && i <= word.size());
      double* h = row_of(rows, r);
      const Symbol symbol = word[i - 1];
      for (const auto& [column, value] :
           plan_->embedding[symbol < 0 ? plan_->symbols : static_cast<std::size_t>(symbol)])
        h[column] = value;
      for (const model::PositionEncoding& encoding : plan_->position_encodings) {
        const double value = arithmetic.s(model::position_value(encoding.formula, i, word.size()));
        h[encoding.coordinate] = arithmetic.s(arithmetic.c(h[encoding.coordinate] + value));
      }
    }
  });
  return rows;
}

void ReferenceRows::attention(std::size_t l, const Planes& planes, Rows& rows) const {
  const LayerPlan& layer = plan_->layers[l];
  const std::vector<std::uint8_t> ablated(layer.heads.size(), 0);
  std::vector<double> mixed(rows.positions.size() * layer.mixed_width, 0.0);
  with_arithmetic(plan_->options.format, [&](const auto& arithmetic) {
    tbb::enumerable_thread_specific<RowScratch> scratch;
    for (const HeadPlan& head : layer.heads) {
      const HeadRows at_work(head, arithmetic, planes, rows);
      tbb::parallel_for(std::size_t{0}, rows.positions.size(), [&](std::size_t r) {
        at_work.attend(r, scratch.local(), mixed.data() + r * layer.mixed_width + head.mixed_offset);
      });
    }
    for (std::size_t r = 0; r < rows.positions.size(); ++r)
      arithmetic.mix(layer, ablated.data(), mixed.data() + r * layer.mixed_width, row_of(rows, r));
  });
}

void ReferenceRows::feed_forward(std::size_t l, Rows& rows) const {
  const LayerPlan& layer = plan_->layers[l];
  std::vector<double> hidden(layer.hidden_width);
  with_arithmetic(plan_->options.format, [&](const auto& arithmetic) {
    for (std::size_t r = 0; r < rows.positions.size(); ++r)
      arithmetic.feed_forward(layer, hidden.data(), row_of(rows, r));
  });
}

double ReferenceRows::output(const Rows& rows, std::size_t row) const { return rows.residual(row, plan_->output); }

}  // namespace quench::run
