#include "lab/report/axis_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quench::lab {
namespace {

std::string superscript(int number) {
  static const char* const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = number < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(number))) text += digits[c - '0'];
  return text;
}

}  // namespace

std::string tick_text(double value, Scale scale) {
  if (scale == Scale::log10 || scale == Scale::log2) {
    const double power = scale == Scale::log10 ? std::log10(value) : std::log2(value);
    const int exponent = static_cast<int>(std::lround(power));
    const bool exact = std::fabs(power - exponent) < 1e-9;
    if (scale == Scale::log10 && exact && (exponent < -2 || exponent > 3)) return "10" + superscript(exponent);
    if (scale == Scale::log2 && exact && (exponent < -3 || exponent > 13)) return "2" + superscript(exponent);
  }
  if (value != 0 && (std::fabs(value) < 1e-4 || std::fabs(value) >= 1e6)) {
    const int exponent = static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-12));
    const double mantissa = value / std::pow(10, exponent);
    const std::string power = "10" + superscript(exponent);
    return std::fabs(mantissa - 1) < 1e-9 ? power : fmt::format("{:.3g}·{}", mantissa, power);
  }
  return fmt::format("{:.6g}", std::fabs(value) < 1e-12 ? 0.0 : value);
}

AxisScale::AxisScale(const Axis& axis, const std::vector<double>& data, bool pad, double pixels)
    : axis_(axis), pixels_(pixels) {
  if (!axis.categories.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.categories.size()) - 0.5;
    return;
  }
  bool any = false;
  for (const double value : data) {
    const double p = along(value);
    if (!std::isfinite(p)) continue;
    low_ = any ? std::min(low_, p) : p;
    high_ = any ? std::max(high_, p) : p;
    any = true;
  }
  if (!std::isnan(axis.low)) low_ = along(axis.low);
  if (!std::isnan(axis.high)) high_ = along(axis.high);
  const double margin = pad ? (high_ > low_ ? 0.04 * (high_ - low_) : 0.5) : 0;
  if (std::isnan(axis.low)) low_ -= margin;
  if (std::isnan(axis.high)) high_ += margin;
  if (!(high_ > low_)) high_ = low_ + 1;
}

double AxisScale::along(double value) const {
  switch (axis_.scale) {
    case Scale::log10:
      return value > 0 ? std::log10(value) : -HUGE_VAL;
    case Scale::log2:
      return value > 0 ? std::log2(value) : -HUGE_VAL;
    case Scale::linear:
      break;
  }
  return value;
}

double AxisScale::position(double value) const {
  double p = along(value);
  if (axis_.scale != Scale::linear && !std::isnan(axis_.low)) p = std::max(p, low_);
  return (p - low_) / (high_ - low_);
}

bool AxisScale::shows(double value) const {
  const double p = position(value);
  return std::isfinite(p);
}

std::vector<AxisScale::Tick> AxisScale::ticks() const {
  if (!axis_.categories.empty()) {
    std::vector<Tick> ticks;
    for (std::size_t c = 0; c < axis_.categories.size(); ++c)
      ticks.push_back({position(static_cast<double>(c)), axis_.categories[c]});
    return ticks;
  }
  return axis_.scale == Scale::linear ? linear_ticks() : power_ticks();
}

std::vector<AxisScale::Tick> AxisScale::linear_ticks() const {
  const double wish = (high_ - low_) / std::max(2.0, pixels_ / 55);
  const double decade = std::pow(10, std::floor(std::log10(wish)));
  double step = decade;
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * decade >= wish) {
      step = factor * decade;
      break;
    }
  std::vector<Tick> ticks;
  for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k)
    ticks.push_back({(k * step - low_) / (high_ - low_), tick_text(k * step, Scale::linear)});
  return ticks;
}

std::vector<AxisScale::Tick> AxisScale::power_ticks() const {
  const double base = axis_.scale == Scale::log10 ? 10 : 2;
  std::vector<Tick> ticks;
  const auto add = [&](double value) {
    const double p = (along(value) - low_) / (high_ - low_);
    if (p >= -1e-9 && p <= 1 + 1e-9) ticks.push_back({p, tick_text(value, axis_.scale)});
  };
  const int stride = std::max(1, static_cast<int>(std::ceil((high_ - low_) / std::max(2.0, pixels_ / 42))));
  const bool between = axis_.scale == Scale::log10 && high_ - low_ < 1.6;
  for (int power = static_cast<int>(std::floor(low_)); power <= static_cast<int>(std::ceil(high_)); ++power) {
    if (power % stride != 0) continue;
    add(std::pow(base, power));
    if (between) add(2 * std::pow(base, power));
    if (between) add(5 * std::pow(base, power));
  }
  return ticks;
}

}  // namespace quench::lab
