// From data to the paper: where a value lies along an axis, and which values get a tick.
#pragma once

#include <string>
#include <vector>

#include "lab/report/figure.h"

namespace quench::lab {

class AxisScale {
 public:
  /// `data`: everything that is to be shown along this axis. `pixels`: how long the axis is, for the number of ticks.
  AxisScale(const Axis& axis, const std::vector<double>& data, bool pad, double pixels);

  /// 0 at the low end, 1 at the high one. Values below a given low end of a logarithmic axis lie on it.
  double position(double value) const;
  bool shows(double value) const;

  struct Tick {
    double position;
    std::string text;
  };
  std::vector<Tick> ticks() const;

 private:
  double along(double value) const;
  std::vector<Tick> linear_ticks() const;
  std::vector<Tick> power_ticks() const;

  const Axis& axis_;
  double low_ = 0, high_ = 1;  // along the scale: logarithms on logarithmic ones
  double pixels_;
};

}  // namespace quench::lab
