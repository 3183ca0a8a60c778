// Straight lines through measurements.
#pragma once

#include <span>

namespace quench::lab {

struct Line {
  double slope = 0, intercept = 0;
};

/// Least squares through (x, y); points with a value that is not finite are left out.
Line fit_line(std::span<const double> x, std::span<const double> y);

/// Through (ln x, ln y): y ≈ e^intercept · x^slope. Points that are not positive are left out.
Line fit_power(std::span<const double> x, std::span<const double> y);

double median(std::span<const double> values);

}  // namespace quench::lab
