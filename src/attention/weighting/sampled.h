// Training through a hard choice: relaxations and estimators. The noise is addressed by (seed, row, key)
// (attention/weighting/keyed_random.h), so the same seed gives the same result and backward passes see the forward's noise.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "attention/row.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

/// Gumbel-softmax (Jang, Gu, Poole; Maddison, Mnih, Teh 2017): softmax((s + G)/τ), G_j independent standard Gumbel.
/// τ → 0: one-hot at argmax(s + G), which is an exact sample from softmax(s). With `straight_through` the forward is
/// that one-hot vector and the backward is the soft one's. Gradient: softmax's at the noisy scores (pathwise; biased
/// with `straight_through`). Parameter gradient: ∂L/∂τ(i, n).
struct GumbelSoftmax {
  Tau tau = {};
  std::uint64_t seed = 0;
  bool straight_through = false;
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// Straight-through (Bengio, Léonard, Courville 2013): forward lhardmax(s), backward as if it had been softmax_τ(s).
/// The gradient is an estimator and is biased; it tends to the truth of softmax_τ, not of lhardmax (whose gradient is
/// 0). The forward does not depend on τ. Parameter gradient: that of softmax_τ.
struct StraightThrough {
  Tau tau = {};
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// Sampled hard attention (Xu et al. 2015): one key drawn from softmax_τ(s), weight 1. τ → 0: a uniformly random
/// maximiser. The gradient of the *expected* loss is estimated by REINFORCE (Williams 1992) from the row's advantage,
/// loss minus baseline:   E[(L − b) ∂ln p_c/∂s] = ∂E[L]/∂s for any b that does not depend on the choice c.
/// The upstream ∂L/∂α is not used. Parameter gradient: the same estimator for ∂E[L]/∂τ(i, n).
struct SampledHard {
  Tau tau = {};
  std::uint64_t seed = 0;
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

/// The index drawn from `weights` (which sum to 1) by the uniform number `u`, by inverting the cumulative sum.
std::size_t draw(std::span<const double> weights, double u);

/// (L − b)·∂ln softmax_τ(s)_c/∂s_j = (L − b)([j = c] − p_j)/τ; returns the estimate for τ.
double reinforce(std::span<const double> scores, double tau, std::size_t chosen, double advantage,
                 std::span<double> d_scores);

/// The moving average of past losses: the usual baseline. It depends on earlier choices only, so it adds no bias.
class MovingBaseline {
 public:
  explicit MovingBaseline(double decay = 0.9) : decay_(decay) {}
  double value() const { return value_; }
  void update(double loss);

 private:
  double decay_, value_ = 0;
  bool started_ = false;
};

/// For several samples of one row: the baseline of each is the mean loss of the others (at least two losses).
std::vector<double> leave_one_out_baselines(std::span<const double> losses);

}  // namespace quench::attention
