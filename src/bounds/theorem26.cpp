#include "bounds/theorem26.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bounds/ball.h"

namespace quench::bounds {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

double up(const Ball& ball) { return upper_of(ball).to_double(); }
double down(const Ball& ball) { return -upper_of(Ball(0) - ball).to_double(); }

/// 2·(outside : inside)·e^{−(γ−2δ)/τ}, the mass that leaves the maximisers, counted twice.
Ball escaped(const Row& row, double outside, double inside) {
  if (outside <= 0 || std::isinf(row.gap)) return Ball(0);
  const Ball exponent = (Ball(2) * Ball(row.score_error) - Ball(row.gap)) * Ball(row.inverse_tau);
  return Ball(2) * Ball(outside) / Ball(inside) * exp(exponent);
}

Ball power(const Ball& base, int exponent) {
  Ball result(1);
  for (int k = 0; k < exponent; ++k) result = result * base;
  return result;
}

Ball dp(const Size& size) { return Ball(size.d) * Ball(size.p); }

/// G = (1+dp)(1+dp+2(dp)²): attention adds dp‖u‖ to ‖u‖; the feed-forward adds (dp)²‖u‖ + dp·‖b₁‖ + ‖b₂‖, and
/// ‖b₁‖, ‖b₂‖ ≤ dp ≤ dp·‖u‖ where ‖u‖ is bounded by at least d·x_max ≥ 1.
Ball growth(const Size& size) {
  const Ball a = dp(size);
  return (Ball(1) + a) * (Ball(1) + a + Ball(2) * a * a);
}

}  // namespace

double tieless_distance(const Row& row) {
  if (!(2 * row.score_error < row.gap)) return kInfinite;
  return std::min(2.0, up(escaped(row, row.keys - 1, 1)));
}

double tied_distance(const Row& row, double maximisers) {
  if (!(2 * row.score_error < row.gap)) return kInfinite;
  // 2tanh(y/2) = 2(e^y − 1)/(e^y + 1) with y = δ/τ; at y ≥ 40 the difference to 2 no longer matters.
  const double y = up(Ball(row.score_error) * Ball(row.inverse_tau));
  const Ball rise = expm1(Ball(std::min(y, 40.0)));
  const Ball inside = y >= 40 ? Ball(2) : Ball(2) * rise / (rise + Ball(2));
  return std::min(2.0, up(inside + escaped(row, row.keys - maximisers, maximisers)));
}

double linear_norm(const Size& size, double norm) { return up(dp(size) * Ball(norm)); }

double activation_norm(const Size& size, int layers) {
  return up(power(dp(size), 3 * layers) * Ball(size.d) * Ball(size.x_max));
}

double residual_activation_norm(const Size& size, int layers) {
  return up(power(growth(size), layers) * Ball(size.d) * Ball(size.x_max));
}

double feed_forward_error(const Size& size, double error) { return up(dp(size) * dp(size) * Ball(error)); }

double uniform_error(const Size& size, double error) { return up(dp(size) * Ball(error)); }

double score_error(const Size& size, double norm, double error) {
  const Ball e(error);
  return up(Ball(size.d) * sqrt(Ball(size.d)) * Ball(size.p) * Ball(size.p) * (Ball(2) * Ball(norm) * e + e * e));
}

double attention_error(const Size& size, double norm, double weight_error, double error) {
  return up(dp(size) * (Ball(norm) * Ball(weight_error) + Ball(error)));
}

// K₂: [P-L32] with ε ≤ 1 ≤ u gives 3d^{3/2}p²·u·ε, u = G^{L−1}·d·x_max.
// K₁: after attention ε + dp(u·2n·e^{…} + ε), times (1 + (dp)²) for the feed-forward.
PaperConstants paper_constants(const Size& size, int layers, double gap, double length) {
  const Size at_least_one{std::max(size.d, 1.0), std::max(size.p, 1.0), std::max(size.x_max, 1.0)};
  const Ball d(at_least_one.d), p(at_least_one.p), x(at_least_one.x_max), a = dp(at_least_one);
  const Ball norm = power(growth(at_least_one), std::max(layers - 1, 0)) * d;  // over x_max
  const Ball k2 = Ball(3) * d * sqrt(d) * p * p * norm;
  const Ball k1 = (Ball(1) + a * a) * (Ball(1) + a + Ball(2) * a * norm);
  const double gamma = std::min(gap, 1.0);
  PaperConstants result{up(log(k1)), up(log(k2)), std::vector<double>(static_cast<std::size_t>(layers)), 0};
  Ball allowed = log(Ball(gamma)) - log(Ball(4) * k2 * x);
  for (int l = layers; l-- > 0; allowed = allowed - log(Ball(2) * k1))
    result.log_allowed[static_cast<std::size_t>(l)] = down(allowed);
  const double first = layers > 0 ? result.log_allowed[0] : 0;
  result.inverse_tau = up(Ball(2) / Ball(gamma) * (log(k1 * Ball(length) * x) - Ball(first)));
  return result;
}

double paper_layer_error(const PaperConstants& constants, const Size& size, const Row& row, double error) {
  const Ball x(std::max(size.x_max, 1.0));
  const Ball lost = Ball(2) * exp(Ball(constants.log_k2)) * x * Ball(error);
  return up(exp(Ball(constants.log_k1)) *
            (Ball(error) + Ball(row.keys) * x * exp((lost - Ball(row.gap)) * Ball(row.inverse_tau))));
}

}  // namespace quench::bounds
