#include "attention/health/health.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/score/product.h"
#include "attention/weighting/adaptive.h"
#include "base/error.h"

namespace quench::attention {

EntropyBand entropy_band(double entropy) {
  if (entropy < 0.5) return EntropyBand::very_low;
  if (entropy < 1.5) return EntropyBand::low;
  return entropy <= 2.5 ? EntropyBand::medium : EntropyBand::high;
}

std::string_view to_string(EntropyBand band) {
  constexpr std::string_view kNames[] = {"very low", "low", "medium", "high"};
  return kNames[static_cast<std::size_t>(band)];
}

std::string_view to_string(Collapse collapse) {
  constexpr std::string_view kNames[] = {"none", "sink", "peaked", "uniform"};
  return kNames[static_cast<std::size_t>(collapse)];
}

double effective_support(std::span<const double> weights) { return std::exp(entropy(weights)); }

double saturation(std::span<const double> weights) {
  if (weights.size() < 2) return 0;
  const double k = static_cast<double>(weights.size());
  return std::clamp(1 - (1 - dot(weights, weights)) / (1 - 1 / k), 0.0, 1.0);
}

double gradient_gain(std::span<const double> weights, std::span<const double> d_weights) {
  const double weighted = dot(weights, d_weights);
  const double mean = std::accumulate(d_weights.begin(), d_weights.end(), 0.0) / static_cast<double>(d_weights.size());
  double passed = 0, arrived = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const double score_gradient = weights[j] * (d_weights[j] - weighted);
    passed += score_gradient * score_gradient;
    arrived += (d_weights[j] - mean) * (d_weights[j] - mean);
  }
  return arrived == 0 ? 0 : std::sqrt(passed / arrived);
}

namespace {

// The smallest box around the values, widened by what averaging them can lose to rounding.
struct Box {
  std::vector<double> low, high;
  double size = 0;  // the largest absolute value

  explicit Box(Rows<const double> values) : low(values.cols, INFINITY), high(values.cols, -INFINITY) {
    for (std::size_t j = 0; j < values.rows; ++j) {
      for (std::size_t c = 0; c < values.cols; ++c) {
        low[c] = std::min(low[c], values(j, c));
        high[c] = std::max(high[c], values(j, c));
      }
    }
    for (std::size_t c = 0; c < values.cols; ++c) {
      const double largest = std::max(std::abs(low[c]), std::abs(high[c]));
      const double slack = 0x1p-52 * static_cast<double>(values.rows + 2) * largest;  // m additions and a division
      size = std::max(size, largest);
      low[c] -= slack;
      high[c] += slack;
    }
  }
  bool contains(std::span<const double> point) const {
    for (std::size_t c = 0; c < point.size(); ++c)
      if (point[c] < low[c] || point[c] > high[c]) return false;
    return true;
  }
};

}  // namespace

HullCheck check_hull(Rows<const double> values, std::span<const double> point, int steps) {
  if (values.rows == 0) throw UserError("no values have no convex hull");
  const Box box(values);
  HullCheck check;
  check.inside_box = box.contains(point);
  const double tolerance = 1e-12 * box.size;
  std::vector<double> at(values[0].begin(), values[0].end()), away(values.cols);
  for (int step = 0; step < steps; ++step) {
    for (std::size_t c = 0; c < away.size(); ++c) away[c] = at[c] - point[c];
    check.distance = std::sqrt(dot(away, away));
    if (check.distance <= tolerance) return check;
    std::size_t best = 0;  // the value that goes furthest from `at` towards the point
    for (std::size_t j = 1; j < values.rows; ++j)
      if (dot(away, values[j]) < dot(away, values[best])) best = j;
    check.margin = (dot(away, values[best]) - dot(away, point)) / check.distance;
    if (check.margin > tolerance) {
      check.separated = true;  // every value is on the far side of the hyperplane through the point
      return check;
    }
    std::vector<double> move(values.cols);
    for (std::size_t c = 0; c < move.size(); ++c) move[c] = values(best, c) - at[c];
    const double length = dot(move, move);
    if (length == 0) break;
    add_scaled(std::clamp(-dot(away, move) / length, 0.0, 1.0), move, at);
  }
  check.margin = 0;
  return check;
}

namespace {

double row_norm(std::span<const double> x) { return std::sqrt(dot(x, x)); }

std::vector<double> row_norms(const Matrix& m) {
  std::vector<double> norms(m.rows);
  for (std::size_t r = 0; r < m.rows; ++r) norms[r] = row_norm(Rows<const double>(m)[r]);
  return norms;
}

// Collects rows one at a time and never keeps them.
class Meter {
 public:
  Meter(std::size_t keys, const HealthInputs& inputs, HealthReport& report)
      : inputs_(inputs), report_(report), mean_(keys, 0.0) {
    std::size_t classes = 0;
    for (const std::size_t label : inputs.labels) classes = std::max(classes, label + 1);
    by_label_ = Matrix(classes, keys);
  }

  void add(std::size_t i, std::span<const std::size_t> keys, std::span<const double> weights, Rows<const double> v) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!(total > 0)) {
      ++report_.empty_rows;
      return;
    }
    rows_.push_back(i);
    report_.worst_weight_sum = std::max(report_.worst_weight_sum, std::abs(total - 1));
    std::vector<double> p(weights.begin(), weights.end());
    for (double& weight : p) weight /= total;
    describe(p);
    if (inputs_.d_output.rows > 0) report_.gain.push_back(gain(p, keys, v, inputs_.d_output[i]));
    for (std::size_t t = 0; t < keys.size(); ++t) {
      mean_[keys[t]] += p[t];
      if (!inputs_.labels.empty()) by_label_(inputs_.labels[i], keys[t]) += p[t];
    }
  }

  void finish(const Matrix& outputs, Rows<const double> v) {
    if (rows_.empty()) return;
    const double n = static_cast<double>(rows_.size());
    for (double& weight : mean_) weight /= n;
    const double mean_entropy = std::accumulate(report_.entropy.begin(), report_.entropy.end(), 0.0) / n;
    report_.mutual_information = std::max(0.0, entropy(mean_) - mean_entropy);
    report_.mutual_information_limit = std::log(static_cast<double>(std::min(rows_.size(), mean_.size())));
    report_.collapse = verdict();
    const Box box(v);
    for (const std::size_t i : rows_) report_.outside_box += !box.contains(Rows<const double>(outputs)[i]);
    if (!inputs_.labels.empty()) report_.bottleneck = bottleneck(n);
  }

 private:
  void describe(std::span<const double> p) {
    const double h = entropy(p), top = *std::ranges::max_element(p);
    report_.entropy.push_back(h);
    report_.support.push_back(std::exp(h));
    report_.saturation.push_back(saturation(p));
    ++report_.bands[static_cast<std::size_t>(entropy_band(h))];
    if (p.size() < 2) return;
    ++choosing_;
    peaked_ += top > 0.99;
    uniform_ += h >= 0.99 * std::log(static_cast<double>(p.size()));
  }

  static double gain(std::span<const double> p, std::span<const std::size_t> keys, Rows<const double> v,
                     std::span<const double> d_output) {
    std::vector<double> d_weights(keys.size());
    for (std::size_t t = 0; t < keys.size(); ++t) d_weights[t] = dot(v[keys[t]], d_output);
    return gradient_gain(p, d_weights);
  }

  Collapse verdict() const {
    const auto most = [&](std::size_t rows) { return 10 * rows >= 9 * choosing_; };
    if (choosing_ == 0) return Collapse::none;
    if (choosing_ >= 2 && *std::ranges::max_element(mean_) >= 0.9) return Collapse::sink;
    if (most(peaked_)) return Collapse::peaked;
    return most(uniform_) ? Collapse::uniform : Collapse::none;
  }

  // I(Y; J) = H(J) − Σ_y p(y) H(J | y).
  Bottleneck bottleneck(double n) const {
    Bottleneck result{.rate = report_.mutual_information, .relevance = entropy(mean_), .label_entropy = 0};
    for (std::size_t y = 0; y < by_label_.rows; ++y) {
      const auto row = Rows<const double>(by_label_)[y];
      const double count = std::accumulate(row.begin(), row.end(), 0.0);
      if (count == 0) continue;
      std::vector<double> conditional(row.begin(), row.end());
      for (double& weight : conditional) weight /= count;
      result.relevance -= count / n * entropy(conditional);
      result.label_entropy -= count / n * std::log(count / n);
    }
    result.relevance = std::max(0.0, result.relevance);
    return result;
  }

  const HealthInputs& inputs_;
  HealthReport& report_;
  std::vector<double> mean_;
  Matrix by_label_;                // Σ of the rows with each label
  std::vector<std::size_t> rows_;  // that see something
  std::size_t choosing_ = 0, peaked_ = 0, uniform_ = 0;
};

}  // namespace

HealthReport examine(const Attention& attention, Rows<const double> q, Rows<const double> k, Rows<const double> v,
                     const HealthInputs& inputs) {
  if (!inputs.labels.empty() && inputs.labels.size() != q.rows) throw UserError("health: one label per query");
  HealthReport report;
  report.queries = q.rows;
  report.keys = k.rows;
  Meter meter(k.rows, inputs, report);
  Attention plain = attention;
  plain.dropout.reset();  // the hull is of the weights themselves
  const Matrix outputs =
      attend_by_rows(plain, q, k, v, [&](std::size_t i, auto keys, auto weights) { meter.add(i, keys, weights, v); });
  meter.finish(outputs, v);
  if (inputs.d_output.rows > 0) {
    const Gradients g = attend_backward(attention, q, k, v, {.d_output = inputs.d_output});
    report.query_gradients = row_norms(g.q);
    report.key_gradients = row_norms(g.k);
    report.value_gradients = row_norms(g.v);
  }
  return report;
}

}  // namespace quench::attention
