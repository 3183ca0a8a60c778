#include "circuits/split_run.h"

#include <algorithm>
#include <cmath>

#include "export/stock_decoder.h"
#include "export/tensors.h"
#include "run/answers.h"

namespace quench::circuits {
namespace {

void add(Matrix& sum, const Matrix& term, double sign = 1) {
  for (std::size_t k = 0; k < sum.data.size(); ++k) sum.data[k] += sign * term.data[k];
}

/// rows(x) · Wᵀ
Matrix projected(const Matrix& x, const SparseMatrix& weights) {
  Matrix result(x.rows, weights.rows.size());
  std::size_t r = 0;
  for (const SparseMatrix::Row& row : weights.rows) {
    for (const SparseMatrix::Entry& entry : row)
      for (std::size_t i = 0; i < x.rows; ++i) result(i, r) += entry.value * x(i, entry.column);
    ++r;
  }
  return result;
}

/// Every position sees itself and those before it.
Matrix mixed(const Matrix& queries, const Matrix& keys, const Matrix& values) {
  Matrix result(values.rows, values.cols);
  const double scale = 1 / std::sqrt(static_cast<double>(queries.cols));
  std::vector<double> weights(queries.rows);
  for (std::size_t i = 0; i < queries.rows; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      weights[j] = 0;
      for (std::size_t c = 0; c < queries.cols; ++c) weights[j] += queries(i, c) * keys(j, c);
      weights[j] *= scale;
    }
    const double greatest = *std::max_element(weights.begin(), weights.begin() + static_cast<std::ptrdiff_t>(i + 1));
    double total = 0;
    for (std::size_t j = 0; j <= i; ++j) total += weights[j] = std::exp(weights[j] - greatest);
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t c = 0; c < values.cols; ++c) result(i, c) += weights[j] / total * values(j, c);
  }
  return result;
}

Matrix fed_forward(const Matrix& x, const model::FeedForward& ffn) {
  Matrix hidden = projected(x, ffn.w1);
  for (std::size_t i = 0; i < hidden.rows; ++i)
    for (std::size_t u = 0; u < hidden.cols; ++u) hidden(i, u) = std::max(0.0, hidden(i, u) + ffn.b1[u]);
  Matrix result = projected(hidden, ffn.w2);
  for (std::size_t i = 0; i < result.rows; ++i)
    for (std::size_t c = 0; c < result.cols; ++c) result(i, c) += ffn.b2[c];
  return result;
}

Matrix embedded(const model::Transformer& model, const Word& word) {
  Matrix result(word.size(), model.width);
  for (std::size_t i = 0; i < word.size(); ++i) {
    const std::size_t row = word[i] == kUnmentioned ? model.alphabet.size() : static_cast<std::size_t>(word[i]);
    for (const SparseMatrix::Entry& entry : model.embedding.rows[row]) result(i, entry.column) = entry.value;
  }
  return result;
}

/// One run: the residual stream as it is, and for each reader what is replaced for it.
class Pass {
 public:
  Pass(const model::Transformer& model, const std::vector<Replacement>& replaced)
      : model_(model), replaced_(replaced) {}

  SplitResult run(const Word& word) {
    residual_ = Matrix(word.size(), model_.width);
    write(embedded(model_, word));
    write(exports::position_table(model_, word.size()));
    for (const model::Layer& layer : model_.layers) {
      std::vector<Matrix> written;
      for (const model::Head& head : layer.heads) {
        const Matrix queries = projected(next_input(), head.q), keys = projected(next_input(), head.k),
                     values = projected(next_input(), head.v);
        written.push_back(projected(mixed(queries, keys, values), head.o));
      }
      for (Matrix& one : written) write(std::move(one));
      write(fed_forward(next_input(), layer.ffn));
    }
    const std::int64_t answer = run::answers(model_, next_input()).back();
    return {std::move(writes_), answer};
  }

 private:
  void write(Matrix matrix) {
    add(residual_, matrix);
    writes_.push_back(std::move(matrix));
  }

  /// What the next reader, in the order of the graph, gets.
  Matrix next_input() {
    Matrix input = residual_;
    for (const Replacement& one : replaced_)
      if (one.reader == reader_) {
        add(input, writes_[one.writer], -1);
        add(input, *one.by);
      }
    ++reader_;
    return input;
  }

  const model::Transformer& model_;
  const std::vector<Replacement>& replaced_;
  Matrix residual_;
  Writes writes_;
  std::size_t reader_ = 0;
};

}  // namespace

SplitRun::SplitRun(const model::Transformer& model) : model_(model), graph_(graph_of(model)) {
  exports::require_stock_decoder(model);
}

SplitResult SplitRun::run(const Word& word, const std::vector<Replacement>& replaced) const {
  return Pass(model_, replaced).run(word);
}

}  // namespace quench::circuits
