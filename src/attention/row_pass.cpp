#include "attention/row_pass.h"

#include <algorithm>

#include "base/error.h"

namespace quench::attention {

RowPass::RowPass(const Attention& attention, Rows<const double> q, Rows<const double> k)
    : attention_(attention), q_(q), k_(k), score_pass_(begin_pass(attention.score, k, q.cols)) {
  if (attention.window && is_recurrent(attention.weighting))
    throw UserError("monotonic attention already has a moving window; it takes no predicted one");
}

void RowPass::run(std::size_t i, std::span<const double> carry, std::span<const double> previous) {
  row_ = i;
  see(i);
  score(i, carry);
  plain_weights_.resize(keys_.size());
  weigh(attention_.weighting, context(i, previous), scores_, plain_weights_);
  weights_ = plain_weights_;
  if (attention_.window)
    for (std::size_t t = 0; t < keys_.size(); ++t) weights_[t] *= attention_.window->gaussian(centre_, keys_[t]);
}

void RowPass::see(std::size_t i) {
  attention_.mask.list(i, k_.rows, keys_);
  if (!attention_.window) return;
  centre_ = attention_.window->centre(q_[i], k_.rows);
  std::erase_if(keys_, [&](std::size_t j) { return !attention_.window->contains(centre_, j); });
}

void RowPass::score(std::size_t i, std::span<const double> carry) {
  scores_.resize(keys_.size());
  score_pass_->row(q_[i], keys_, scores_);
  for (const PositionTerm& term : attention_.position_terms)
    for (std::size_t t = 0; t < keys_.size(); ++t) scores_[t] += position_term(term, i, keys_[t], k_.rows);
  coverage_.assign(keys_.size(), 0.0);
  if (!carry.empty())
    for (std::size_t t = 0; t < keys_.size(); ++t) coverage_[t] = carry[keys_[t]];
  if (attention_.coverage)
    for (std::size_t t = 0; t < keys_.size(); ++t) scores_[t] += attention_.coverage->weight * coverage_[t];
}

RowContext RowPass::context(std::size_t i, std::span<const double> previous) const {
  return {.query = i, .length = k_.rows, .keys = keys_, .previous = previous};
}

double RowPass::dropout_factor(std::size_t t) const {
  return attention_.dropout ? attention_.dropout->factor(row_, keys_[t]) : 1.0;
}

// Through α = plain·Gaussian: fills d_plain_ and returns ∂L/∂centre.
double RowPass::window_backward(std::span<const double> d_weights) {
  d_plain_.assign(d_weights.begin(), d_weights.end());
  if (!attention_.window) return 0;
  double d_centre = 0;
  for (std::size_t t = 0; t < keys_.size(); ++t) {
    d_centre += d_weights[t] * weights_[t] * attention_.window->log_slope(centre_, keys_[t]);
    d_plain_[t] *= attention_.window->gaussian(centre_, keys_[t]);
  }
  return d_centre;
}

void RowPass::backward(std::size_t i, std::span<const double> d_weights, std::span<const double> d_coverage,
                       double advantage, std::span<const double> previous, const Sink& sink) {
  QUENCH_ASSERT(row_ == i);
  const auto d_q = Rows<double>(sink.gradients.q)[i];
  const double d_centre = window_backward(d_weights);
  if (attention_.window) attention_.window->centre_backward(q_[i], k_.rows, d_centre, d_q, *sink.gradients.window);

  d_scores_.resize(keys_.size());
  RowContext row = context(i, previous);
  row.advantage = advantage;
  RowGradient gradient{.scores = d_scores_, .previous = sink.d_previous};
  weigh_backward(attention_.weighting, row, scores_, plain_weights_, d_plain_, gradient);
  sink.gradients.weighting[i] += gradient.parameter;

  for (std::size_t t = 0; t < keys_.size(); ++t) {
    if (!sink.d_carry.empty()) sink.d_carry[keys_[t]] += d_coverage[t];
    if (!attention_.coverage) continue;
    sink.d_carry[keys_[t]] += attention_.coverage->weight * d_scores_[t];
    sink.gradients.coverage += coverage_[t] * d_scores_[t];
  }
  for (std::size_t p = 0; p < attention_.position_terms.size(); ++p)
    for (std::size_t t = 0; t < keys_.size(); ++t)
      add_gradient(attention_.position_terms[p], i, keys_[t], k_.rows, d_scores_[t], sink.gradients.position_terms[p]);
  score_pass_->row_backward(q_[i], keys_, d_scores_, d_q);
}

void RowPass::finish(Gradients& gradients) { score_pass_->finish(gradients.k, gradients.score); }

}  // namespace quench::attention
