#include "lab/report/fit.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace quench::lab {

Line fit_line(std::span<const double> x, std::span<const double> y) {
  double count = 0, sx = 0, sy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k]) || !std::isfinite(y[k])) continue;
    ++count;
    sx += x[k];
    sy += y[k];
  }
  double sxx = 0, sxy = 0;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!std::isfinite(x[k]) || !std::isfinite(y[k])) continue;
    sxx += (x[k] - sx / count) * (x[k] - sx / count);
    sxy += (x[k] - sx / count) * (y[k] - sy / count);
  }
  const double slope = sxx > 0 ? sxy / sxx : 0;
  return {slope, count > 0 ? (sy - slope * sx) / count : 0};
}

Line fit_power(std::span<const double> x, std::span<const double> y) {
  std::vector<double> log_x, log_y;
  for (std::size_t k = 0; k < x.size(); ++k) {
    if (!(x[k] > 0) || !(y[k] > 0)) continue;
    log_x.push_back(std::log(x[k]));
    log_y.push_back(std::log(y[k]));
  }
  return fit_line(log_x, log_y);
}

double median(std::span<const double> values) {
  std::vector<double> sorted;
  for (const double value : values)
    if (!std::isnan(value)) sorted.push_back(value);
  if (sorted.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

}  // namespace quench::lab
