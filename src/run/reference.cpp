#include "run/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rounding.h"
#include "model/position.h"
#include "run/reference_plan.h"

namespace quench::run {

namespace {

using Workspace = ReferenceExecutor::Workspace;
constexpr std::size_t kTabulatedLength = 64;  // position values of words up to this length are all kept

/// One word through the network; the formats are known at compile time, so that double pays nothing for rounding.
template <const FloatFormat& storage, const FloatFormat& compute>
class Pass {
 public:
  Pass(const ReferencePlan& plan, const Word& word, Workspace& workspace, const Observer& observer)
      : plan_(plan), word_(word), n_(word.size()), d_(plan.width), space_(workspace), observer_(observer) {}

  void run() {
    embed();
    observe(0);
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      attention(plan_.layers[l], l);
      observe(static_cast<int>(2 * l + 1));
      feed_forward(plan_.layers[l]);
      observe(static_cast<int>(2 * l + 2));
    }
  }

 private:
  static double s(double x) { return round_as<storage>(x); }
  static double c(double x) { return round_as<compute>(x); }

  double* residual(std::size_t i) { return space_.residual.data.data() + i * d_; }  // i is 0-based in this class

  void observe(int sublayer) {
    if (observer_.residual) observer_.residual(sublayer, space_.residual);
  }

  void embed() {
    space_.residual.rows = n_;
    space_.residual.cols = d_;
    space_.residual.data.assign(n_ * d_, 0.0);
    const std::vector<double>& positions = position_values();
    for (std::size_t i = 0; i < n_; ++i) {
      double* h = residual(i);
      const Symbol symbol = word_[i];
      for (const auto& [column, value] : plan_.embedding[symbol < 0 ? plan_.symbols : static_cast<std::size_t>(symbol)])
        h[column] = value;
      const double* value = positions.data() + i * plan_.position_encodings.size();
      for (const model::PositionEncoding& encoding : plan_.position_encodings)
        h[encoding.coordinate] = s(c(h[encoding.coordinate] + *value++));
    }
  }

  /// n × PEs, rounded to storage. Depends on the length alone.
  const std::vector<double>& position_values() {
    if (space_.owner != plan_.serial) {
      space_.position_values.assign(kTabulatedLength + 1, {});
      space_.long_length = 0;
      space_.owner = plan_.serial;
    }
    const bool is_long = n_ >= kTabulatedLength;
    std::vector<double>& table = space_.position_values[is_long ? kTabulatedLength : n_];
    if (is_long ? space_.long_length == n_ : !table.empty()) return table;
    std::vector<double> values;  // a predicate may throw halfway: nothing incomplete is kept
    values.reserve(n_ * plan_.position_encodings.size());
    for (std::size_t i = 1; i <= n_; ++i)
      for (const model::PositionEncoding& encoding : plan_.position_encodings)
        values.push_back(s(model::position_value(encoding.formula, i, n_)));
    table = std::move(values);
    if (is_long) space_.long_length = n_;
    return table;
  }

  double dot(const FlatRows& matrix, const FlatRows::Row& row, const double* h) const {
    return sum(matrix.entries.data() + row.first, matrix.entries.data() + row.last, h);
  }
  static double sum(const SparseMatrix::Entry* entry, const SparseMatrix::Entry* last, const double* h) {
    double total = 0;
    for (; entry != last; ++entry) total = c(total + c(entry->value * h[entry->column]));
    return total;
  }

  void attention(const LayerPlan& layer, std::size_t l) {
    space_.mixed.assign(n_ * layer.mixed_width, 0.0);
    space_.ablated.assign(layer.heads.size(), 0);
    for (std::size_t h = 0; h < layer.heads.size(); ++h) {
      const HeadIndex index{l, h};
      space_.ablated[h] = observer_.ablated && observer_.ablated(index) ? 1 : 0;
      project(layer.heads[h]);
      for (std::size_t i = 0; i < n_; ++i)
        attend(layer.heads[h], index, i, space_.mixed.data() + i * layer.mixed_width + layer.heads[h].mixed_offset);
    }
    for (std::size_t i = 0; i < n_; ++i) mix(layer, space_.mixed.data() + i * layer.mixed_width, residual(i));
  }

  /// queries: n × components, keys: components × n, values: n × d_v
  void project(const HeadPlan& head) {
    space_.queries.resize(n_ * head.components);
    space_.keys.resize(head.components * n_);
    space_.values.assign(n_ * head.d_v, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const double* h = residual(i);
      for (const FlatRows::Row& row : head.q.rows)
        space_.queries[i * head.components + row.index] = s(dot(head.q, row, h));
      for (const FlatRows::Row& row : head.k.rows) space_.keys[row.index * n_ + i] = s(dot(head.k, row, h));
      for (const FlatRows::Row& row : head.v.rows) space_.values[i * head.d_v + row.index] = s(dot(head.v, row, h));
    }
  }

  /// out (d_v): the weighted mean of the visible values.
  void attend(const HeadPlan& head, HeadIndex index, std::size_t i, double* out) {
    const KeyRange range = visible(head.mask, i + 1, n_);
    const std::size_t first = range.first - 1, count = range.last + 1 - range.first;
    space_.weights.resize(count);
    if (count > 0) {
      score(head, i, first, count);
      const double total = head.weighting == Weighting::soft ? soften(count) : harden(head.weighting, count);
      const double* value = space_.values.data() + first * head.d_v;
      for (std::size_t j = 0; j < count; ++j, value += head.d_v) {
        const double e = space_.weights[j];
        if (head.weighting != Weighting::soft && e == 0) continue;
        for (std::size_t component = 0; component < head.d_v; ++component)
          out[component] = c(out[component] + c(e * value[component]));
      }
      for (std::size_t component = 0; component < head.d_v; ++component) out[component] = s(c(out[component] / total));
      if (observer_.row)
        for (double& e : space_.weights) e = c(e / total);
    }
    if (observer_.row) observer_.row(index, i + 1, range.first, space_.weights);
  }

  /// weights (count): the scaled scores of the visible keys.
  void score(const HeadPlan& head, std::size_t i, std::size_t first, std::size_t count) {
    double* scores = space_.weights.data();
    std::fill(scores, scores + count, 0.0);
    for (std::size_t component = 0; component < head.components; ++component) {
      const double q = space_.queries[i * head.components + component];
      const double* k = space_.keys.data() + component * n_ + first;
      for (std::size_t j = 0; j < count; ++j) scores[j] = c(scores[j] + c(q * k[j]));
    }
    const double scale = head.score_scale;
    const double inverse_tau = c(model::inverse_temperature(head.temperature, i + 1, n_));
    for (std::size_t j = 0; j < count; ++j) scores[j] = c(c(scores[j] * scale) * inverse_tau);
  }

  double maximum(std::size_t count) const {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j)
      if (space_.weights[j] > greatest) greatest = space_.weights[j];  // never true of NaN
    return greatest;
  }

  /// Scores become e_j; the result is their sum. NaN scores, and rows whose maximum is infinite, give NaN.
  double soften(std::size_t count) {
    const double greatest = maximum(count);
    double total = 0;
    for (std::size_t j = 0; j < count; ++j) {
      const double x = c(space_.weights[j] - greatest);
      const double e = x < -746 ? 0 : c(std::exp(x));  // below −746 exp is 0 in double; saves the call
      space_.weights[j] = e;
      total = c(total + e);
    }
    return total;
  }

  /// Scores become 0 or 1; the result is the number of ones, as the format counts.
  double harden(Weighting weighting, std::size_t count) {
    const double greatest = maximum(count);
    const bool all_tie = greatest == -std::numeric_limits<double>::infinity();
    const auto chosen = [&](double score) { return all_tie || score == greatest; };
    double* scores = space_.weights.data();
    if (weighting == Weighting::ahardmax) {
      double total = 0;
      for (std::size_t j = 0; j < count; ++j) total = c(total + (scores[j] = chosen(scores[j]) ? 1 : 0));
      return total;
    }
    std::size_t j = weighting == Weighting::lhardmax ? 0 : count - 1;
    while (!chosen(scores[j])) weighting == Weighting::lhardmax ? ++j : --j;
    std::fill(scores, scores + count, 0.0);
    scores[j] = 1;
    return 1;
  }

  /// h (d) += Σ_heads W_O · (the head's part of mixed)
  void mix(const LayerPlan& layer, const double* mixed, double* h) {
    for (const MixTarget& target : layer.targets) {
      double total = 0;
      const SparseMatrix::Entry* entries = layer.target_entries.data();
      for (const MixTarget::Part& part : target.parts)
        if (!space_.ablated[part.head]) total = c(total + sum(entries + part.first, entries + part.last, mixed));
      h[target.coordinate] = s(c(h[target.coordinate] + total));
    }
  }

  void feed_forward(const LayerPlan& layer) {
    space_.hidden.resize(layer.hidden_width);
    for (std::size_t i = 0; i < n_; ++i) {
      double* h = residual(i);
      for (std::size_t unit = 0; unit < layer.hidden_width; ++unit) {
        const double x = c(dot(layer.w1, layer.w1.rows[unit], h) + layer.b1[unit]);
        space_.hidden[unit] = s(x <= 0 ? 0 : x);  // keeps NaN
      }
      for (std::size_t row = 0; row < layer.w2.rows.size(); ++row) {
        const double x = c(dot(layer.w2, layer.w2.rows[row], space_.hidden.data()) + layer.b2[row]);
        double& target = h[layer.w2.rows[row].index];
        target = s(c(target + x));
      }
    }
  }

  const ReferencePlan& plan_;
  const Word& word_;
  const std::size_t n_, d_;
  Workspace& space_;
  const Observer& observer_;
};

void check_word(const ReferencePlan& plan, const Word& word) {
  if (word.empty()) throw UserError("the empty word has no positions, so a model has no value on it");
  for (const Symbol symbol : word)
    if (symbol != kUnmentioned && (symbol < 0 || static_cast<std::size_t>(symbol) >= plan.symbols))
      throw UserError("the word has a symbol outside the model's alphabet of " + std::to_string(plan.symbols));
}

}  // namespace

ReferenceExecutor::ReferenceExecutor(const model::Transformer& transformer, const Options& options)
    : plan_(std::make_shared<const ReferencePlan>(make_reference_plan(transformer, options))) {}

const Matrix& ReferenceExecutor::run(const Word& word, Workspace& workspace, const Observer& observer) const {
  check_word(*plan_, word);
  const auto pass = [&]<const FloatFormat & storage, const FloatFormat & compute>() {
    Pass<storage, compute>(*plan_, word, workspace, observer).run();
  };
  switch (plan_->options.format) {
    case NumberFormat::f64:
      pass.template operator()<kDouble, kDouble>();
      break;
    case NumberFormat::f32:
      pass.template operator()<kSingle, kSingle>();
      break;
    case NumberFormat::bf16:
      pass.template operator()<kBfloat16, kSingle>();
      break;
    case NumberFormat::f16:
      pass.template operator()<kHalf, kSingle>();
      break;
    case NumberFormat::bf16_pure:
      pass.template operator()<kBfloat16, kBfloat16>();
      break;
    case NumberFormat::f16_pure:
      pass.template operator()<kHalf, kHalf>();
      break;
    case NumberFormat::f8e4m3:
      pass.template operator()<kFloat8E4M3, kFloat8E4M3>();
      break;
    case NumberFormat::f8e5m2:
      pass.template operator()<kFloat8E5M2, kFloat8E5M2>();
      break;
  }
  return workspace.residual;
}

void ReferenceExecutor::outputs(const Word& word, Workspace& workspace, std::vector<double>& result) const {
  const Matrix& residual = run(word, workspace);
  result.resize(residual.rows);
  for (std::size_t i = 0; i < residual.rows; ++i) result[i] = residual(i, plan_->output);
}

Matrix run(const model::Transformer& transformer, const Word& word, const Options& options, const Observer& observer) {
  Workspace workspace;
  ReferenceExecutor(transformer, options).run(word, workspace, observer);
  return std::move(workspace.residual);
}

std::vector<double> outputs(const model::Transformer& transformer, const Word& word, const Options& options,
                            const Observer& observer) {
  const Matrix residual = run(transformer, word, options, observer);
  std::vector<double> result(residual.rows);
  for (std::size_t i = 0; i < residual.rows; ++i) result[i] = residual(i, transformer.output.coordinate);
  return result;
}

std::vector<std::uint8_t> booleans(const std::vector<double>& outputs) {
  std::vector<std::uint8_t> values(outputs.size());
  std::transform(outputs.begin(), outputs.end(), values.begin(), [](double y) { return y >= 0.5 ? 1 : 0; });
  return values;
}

}  // namespace quench::run
