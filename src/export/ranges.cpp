#include "export/ranges.h"

#include <algorithm>
#include <cmath>

#include "export/tensors.h"

namespace quench::exports {

namespace {

struct Range {
  double low = 0, high = 0;
  Range operator+(const Range& other) const { return {low + other.low, high + other.high}; }
};

Range times(double weight, const Range& x) {
  return weight < 0 ? Range{weight * x.high, weight * x.low} : Range{weight * x.low, weight * x.high};
}

Range sum(const SparseMatrix::Row& row, const std::vector<Range>& x) {
  Range total;
  for (const auto& [column, weight] : row) total = total + times(weight, x[column]);
  return total;
}

std::vector<Range> columns(const Matrix& matrix) {
  std::vector<Range> ranges(matrix.cols);
  for (std::size_t column = 0; column < matrix.cols; ++column) {
    ranges[column] = {matrix(0, column), matrix(0, column)};
    for (std::size_t row = 1; row < matrix.rows; ++row)
      ranges[column] = {std::min(ranges[column].low, matrix(row, column)),
                        std::max(ranges[column].high, matrix(row, column))};
  }
  return ranges;
}

class RangePass {
 public:
  RangePass(const model::Transformer& model, std::size_t context) : model_(model), greatest_(model.width) {
    h_ = columns(dense(model.embedding));
    const std::vector<Range> positions = columns(position_table(model, context));
    for (std::size_t c = 0; c < h_.size(); ++c) h_[c] = h_[c] + positions[c];
    finish_sublayer();
  }

  void attend(const model::Layer& layer) {
    std::vector<Range> update(model_.width);
    for (const model::Head& head : layer.heads) {
      std::vector<Range> values;
      for (const SparseMatrix::Row& row : head.v.rows) {
        const Range value = sum(row, h_);
        values.push_back({std::min(value.low, 0.0), std::max(value.high, 0.0)});
      }
      for (std::size_t c = 0; c < update.size(); ++c) update[c] = update[c] + sum(head.o.rows[c], values);
    }
    add(update);
  }

  void feed_forward(const model::FeedForward& ffn) {
    std::vector<Range> hidden;
    for (std::size_t unit = 0; unit < ffn.b1.size(); ++unit) {
      const Range before = sum(ffn.w1.rows[unit], h_) + Range{ffn.b1[unit], ffn.b1[unit]};
      hidden.push_back({std::max(before.low, 0.0), std::max(before.high, 0.0)});
    }
    std::vector<Range> update(model_.width);
    for (std::size_t c = 0; c < update.size(); ++c)
      update[c] = sum(ffn.w2.rows[c], hidden) + Range{ffn.b2[c], ffn.b2[c]};
    add(update);
  }

  const std::vector<double>& greatest() const { return greatest_; }

 private:
  void add(const std::vector<Range>& update) {
    for (std::size_t c = 0; c < h_.size(); ++c) h_[c] = h_[c] + update[c];
    finish_sublayer();
  }

  void finish_sublayer() {
    for (const model::Tenant& tenant : model_.tenants) {
      if (sublayer_ < tenant.from || sublayer_ > tenant.to) continue;
      Range& range = h_[tenant.coordinate];
      if (tenant.low) range.low = std::max(range.low, *tenant.low);
      if (tenant.high) range.high = std::min(range.high, *tenant.high);
    }
    for (std::size_t c = 0; c < h_.size(); ++c)
      greatest_[c] = std::max({greatest_[c], std::fabs(h_[c].low), std::fabs(h_[c].high)});
    ++sublayer_;
  }

  const model::Transformer& model_;
  std::vector<Range> h_;
  std::vector<double> greatest_;
  int sublayer_ = 0;
};

}  // namespace

std::vector<double> magnitudes(const model::Transformer& model, std::size_t context) {
  RangePass pass(model, context);
  for (const model::Layer& layer : model.layers) {
    pass.attend(layer);
    pass.feed_forward(layer.ffn);
  }
  return pass.greatest();
}

}  // namespace quench::exports
