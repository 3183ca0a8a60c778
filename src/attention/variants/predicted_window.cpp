#include "attention/variants/predicted_window.h"

#include <cmath>

#include "attention/score/product.h"
#include "attention/weighting/stick_breaking.h"

namespace quench::attention {

namespace {
double position(std::size_t j) { return static_cast<double>(j + 1); }
}  // namespace

double PredictedWindow::centre(std::span<const double> q, std::size_t keys) const {
  double inside = 0;
  for (std::size_t a = 0; a < v.size(); ++a) inside += v[a] * std::tanh(dot(Rows<const double>(w)[a], q));
  return static_cast<double>(keys) * sigmoid(inside);
}

bool PredictedWindow::contains(double centre, std::size_t j) const { return std::abs(position(j) - centre) <= radius; }

double PredictedWindow::gaussian(double centre, std::size_t j) const {
  const double standardised = (position(j) - centre) / (radius / 2);
  return std::exp(-standardised * standardised / 2);
}

double PredictedWindow::log_slope(double centre, std::size_t j) const {
  return (position(j) - centre) / (radius / 2) / (radius / 2);
}

void PredictedWindow::centre_backward(std::span<const double> q, std::size_t keys, double d_centre,
                                      std::span<double> d_q, PredictedWindow& gradient) const {
  const double share = centre(q, keys) / static_cast<double>(keys);
  const double d_inside = d_centre * static_cast<double>(keys) * share * (1 - share);
  for (std::size_t a = 0; a < v.size(); ++a) {
    const double h = std::tanh(dot(Rows<const double>(w)[a], q));
    gradient.v[a] += d_inside * h;
    const double d_hidden = d_inside * v[a] * (1 - h * h);
    add_scaled(d_hidden, q, Rows<double>(gradient.w)[a]);
    add_scaled(d_hidden, Rows<const double>(w)[a], d_q);
  }
}

}  // namespace quench::attention
