#include "attention/score/dot_form.h"

#include <cmath>

#include "attention/score/product.h"
#include "base/error.h"

namespace quench::attention {

bool has_dot_form(const Score& score) {
  if (std::holds_alternative<Additive>(score)) return false;
  // The gradient to a cosine's scale is recovered by dividing by it.
  const auto* cosine = std::get_if<Cosine>(&score);
  return !cosine || cosine->scale != 0;
}

namespace {

std::vector<double> normalise(Rows<const double> x, Matrix& units) {
  units = Matrix(x.rows, x.cols);
  std::vector<double> norms(x.rows);
  for (std::size_t r = 0; r < x.rows; ++r) norms[r] = unit(x[r], Rows<double>(units)[r]);
  return norms;
}

void normalise_backward(const Matrix& units, const std::vector<double>& norms, Matrix& d) {
  Matrix result(d.rows, d.cols);
  for (std::size_t r = 0; r < d.rows; ++r)
    unit_backward(Rows<const double>(units)[r], norms[r], Rows<const double>(d)[r], Rows<double>(result)[r]);
  d = std::move(result);
}

}  // namespace

DotForm::DotForm(const Score& score, Rows<const double> q, Rows<const double> k)
    : score_(score), original_q_(q), q_(q), k_(k) {
  begin_pass(score, Rows<const double>(k.data, 0, k.cols, k.stride), q.cols);  // checks the widths
  if (std::holds_alternative<ScaledDot>(score)) scale_ = 1 / std::sqrt(static_cast<double>(k.cols));
  if (const auto* general = std::get_if<General>(&score)) {
    mapped_q_ = product(q, general->w);
    q_ = mapped_q_;
  }
  if (const auto* cosine = std::get_if<Cosine>(&score)) {
    q_norms_ = normalise(q, mapped_q_);
    k_norms_ = normalise(k, mapped_k_);
    q_ = mapped_q_;
    k_ = mapped_k_;
    scale_ = cosine->scale;
  }
}

void DotForm::pull_back(Matrix& d_q, Matrix& d_k, Score& d_score) const {
  if (const auto* general = std::get_if<General>(&score_)) {
    add(transposed_product(original_q_, d_q), std::get<General>(d_score).w);
    d_q = product_transposed(d_q, general->w);
  }
  if (std::holds_alternative<Cosine>(score_)) {
    // s = scale·û·k̂ and d_q = scale Σ_j ∂L/∂s_j k̂_j, so ∂L/∂scale = Σ_j ∂L/∂s_j û·k̂_j = û·d_q/scale.
    for (std::size_t i = 0; i < d_q.rows; ++i)
      std::get<Cosine>(d_score).scale += dot(q_[i], Rows<const double>(d_q)[i]) / scale_;
    normalise_backward(mapped_q_, q_norms_, d_q);
    normalise_backward(mapped_k_, k_norms_, d_k);
  }
}

}  // namespace quench::attention
