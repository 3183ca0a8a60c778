#include "run/reference/reference.h"

#include <algorithm>

#include "base/error.h"
#include "model/position.h"
#include "run/reference/arithmetic.h"
#include "run/reference/plan.h"

namespace quench::run {

namespace {

using Workspace = ReferenceExecutor::Workspace;
constexpr std::size_t kTabulatedLength = 64;  // position values of words up to this length are all kept

/// One word through the network.
template <class Arithmetic>
class Pass {
 public:
  Pass(const ReferencePlan& plan, const Arithmetic& arithmetic, const Word& word, Workspace& workspace,
       const Observer& observer)
      : plan_(plan),
        arithmetic_(arithmetic),
        word_(word),
        n_(word.size()),
        d_(plan.width),
        space_(workspace),
        observer_(observer) {}

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
  double s(double x) const { return arithmetic_.s(x); }
  double c(double x) const { return arithmetic_.c(x); }

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
    for (std::size_t i = 0; i < n_; ++i)
      arithmetic_.mix(layer, space_.ablated.data(), space_.mixed.data() + i * layer.mixed_width, residual(i));
  }

  /// queries: n × components, keys: components × n, values: n × d_v
  void project(const HeadPlan& head) {
    space_.queries.resize(n_ * head.components);
    space_.keys.resize(head.components * n_);
    space_.values.assign(n_ * head.d_v, 0.0);
    for (std::size_t i = 0; i < n_; ++i) {
      const double* h = residual(i);
      for (const FlatRows::Row& row : head.q.rows)
        space_.queries[i * head.components + row.index] = s(arithmetic_.dot(head.q, row, h));
      for (const FlatRows::Row& row : head.k.rows) space_.keys[row.index * n_ + i] = s(arithmetic_.dot(head.k, row, h));
      for (const FlatRows::Row& row : head.v.rows)
        space_.values[i * head.d_v + row.index] = s(arithmetic_.dot(head.v, row, h));
    }
  }

  /// out (d_v): the weighted mean of the visible values.
  void attend(const HeadPlan& head, HeadIndex index, std::size_t i, double* out) {
    const KeyRange range = visible(head.mask, i + 1, n_);
    const std::size_t first = range.first - 1, count = range.last + 1 - range.first;
    space_.weights.resize(count);
    if (count > 0) {
      double* weights = space_.weights.data();
      const double* keys = head.components == 0 ? nullptr : space_.keys.data() + first;
      arithmetic_.score(head, space_.queries.data() + i * head.components, keys, n_, count,
                        model::inverse_temperature(head.temperature, i + 1, n_), weights);
      const double total = arithmetic_.weigh(head.weighting, weights, count);
      arithmetic_.retrieve(head, weights, total, space_.values.data() + first * head.d_v, count, out);
      if (observer_.row)
        for (double& e : space_.weights) e = c(e / total);
    }
    if (observer_.row) observer_.row(index, i + 1, range.first, space_.weights);
  }

  void feed_forward(const LayerPlan& layer) {
    space_.hidden.resize(layer.hidden_width);
    for (std::size_t i = 0; i < n_; ++i) arithmetic_.feed_forward(layer, space_.hidden.data(), residual(i));
  }

  const ReferencePlan& plan_;
  const Arithmetic arithmetic_;
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
  with_arithmetic(plan_->options.format,
                  [&](const auto& arithmetic) { Pass(*plan_, arithmetic, word, workspace, observer).run(); });
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
