// One query's row from visibility to weights, as attention/attention.h defines it, and back. Internal to the row-by-row
// path; the buffers live here so that a row costs no allocation.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "attention/attention.h"

namespace quench::attention {

class RowPass {
 public:
  RowPass(const Attention& attention, Rows<const double> q, Rows<const double> k);

  /// Computes row i. `carry` holds Σ_{i' < i} α_i' (coverage) and `previous` α_{i−1} (monotonic attention), over all
  /// keys.
  void run(std::size_t i, std::span<const double> carry, std::span<const double> previous);

  std::span<const std::size_t> keys() const { return keys_; }
  std::span<const double> weights() const { return weights_; }    ///< α_i, before dropout
  std::span<const double> coverage() const { return coverage_; }  ///< c_i of the visible keys
  double dropout_factor(std::size_t t) const;

  /// Where row i's gradient goes.
  struct Sink {
    Gradients& gradients;
    std::span<double> d_carry;     ///< ∂L/∂carry, over all keys, added to
    std::span<double> d_previous;  ///< ∂L/∂previous, over all keys, added to
  };
  /// Gradient of row i, which must be the last one run, from d_weights = ∂L/∂α_i and d_coverage = ∂L/∂c_i (beside the
  /// part that goes through the scores).
  void backward(std::size_t i, std::span<const double> d_weights, std::span<const double> d_coverage, double advantage,
                std::span<const double> previous, const Sink& sink);
  /// Adds what the rows collected for keys and score parameters.
  void finish(Gradients& gradients);

 private:
  void see(std::size_t i);
  void score(std::size_t i, std::span<const double> carry);
  RowContext context(std::size_t i, std::span<const double> previous) const;
  double window_backward(std::span<const double> d_weights);

  const Attention& attention_;
  Rows<const double> q_, k_;
  std::unique_ptr<ScorePass> score_pass_;
  std::size_t row_ = 0;
  double centre_ = 0;
  std::vector<std::size_t> keys_;
  std::vector<double> scores_, plain_weights_, weights_, coverage_, d_plain_, d_scores_;
};

}  // namespace quench::attention
