#include "lab/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lab/report/axis_scale.h"
#include "lab/report/svg.h"

namespace quench::lab {
namespace {

constexpr double kTickSize = 11, kLabelSize = 12, kTitleSize = 13, kLegendSize = 11.5;
constexpr double kLineHeight = 16;
constexpr double kSample = 30;  // length of a line in the legend

struct Look {
  const char* colour;
  const char* dash;
};
// Colours that stay apart for colour-blind readers, each with a dash pattern; the marker has the same number.
constexpr std::array<Look, 8> kLooks{{{"#0b5fa5", ""},
                                      {"#c8500a", "7 3"},
                                      {"#00805b", "2 3"},
                                      {"#9b3f86", "9 3 2 3"},
                                      {"#222222", "4 2"},
                                      {"#a57c00", "12 4"},
                                      {"#2f8fc4", "1 2"},
                                      {"#7a3b1d", "6 2 1 2 1 2"}}};

struct Box {
  double x, y, width, height;
};

/// Light to dark, even in lightness: t in [0, 1].
std::string shade(double t) {
  struct Stop {
    double t, r, g, b;
  };
  constexpr std::array<Stop, 4> stops{{{0, 247, 249, 252}, {0.35, 158, 202, 225}, {0.7, 42, 110, 180}, {1, 8, 38, 92}}};
  t = std::clamp(t, 0.0, 1.0);
  std::size_t k = 1;
  while (k + 1 < stops.size() && t > stops[k].t) ++k;
  const Stop &a = stops[k - 1], &b = stops[k];
  const double f = (t - a.t) / (b.t - a.t);
  const auto mix = [&](double x, double y) { return static_cast<int>(std::lround(x + f * (y - x))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

class PanelDrawing {
 public:
  PanelDrawing(const Panel& panel, double width, double height)
      : panel_(panel),
        width_(width),
        x_(panel.x, data(true), !panel.heat, width - 120),
        y_(panel.y, data(false), !panel.heat, height - 90) {
    for (const AxisScale::Tick& tick : y_.ticks()) left_ = std::max(left_, text_width(tick.text, kTickSize));
    left_ += 12 + (panel.y.label.empty() ? 0 : kLineHeight + 4);
    right_ = panel.heat && !panel.heat->label.empty() ? 72 : 16;
    title_ = wrap(panel.title, 1.08 * kTitleSize, width - 20);  // bold is wider
    top_ = 18 + kLineHeight * static_cast<double>(title_.size());
    const double slot = (width - left_ - right_) / std::max(1.0, static_cast<double>(panel.x.categories.size()));
    for (const std::string& name : panel.x.categories) {
      const double w = text_width(name, kTickSize);
      if (w > slot - 4) slanted_ = true;
      longest_ = std::max(longest_, w);
    }
    bottom_ = (slanted_ ? 0.62 * longest_ + 16 : 18) + (panel.x.label.empty() ? 4 : kLineHeight + 6);
    lay_out_legend();
    height_ = height + legend_height();
  }

  double height() const { return height_; }

  void draw(Svg& svg, double x, double y) {
    plot_ = {x + left_, y + top_, width_ - left_ - right_, height_ - top_ - bottom_ - legend_height()};
    for (std::size_t line = 0; line < title_.size(); ++line)
      svg.text(x + 10, y + 8 + kLineHeight * static_cast<double>(line + 1) - 4, title_[line],
               {.size = kTitleSize, .bold = true});
    if (panel_.heat) draw_heat(svg, *panel_.heat);
    draw_axes(svg, x);
    svg.begin_clip(plot_.x - 6, plot_.y - 6, plot_.width + 12, plot_.height + 12);
    for (std::size_t s = 0; s < panel_.series.size(); ++s) draw_series(svg, panel_.series[s], style_of(s));
    svg.end_clip();
    draw_legend(svg, x);
  }

 private:
  std::vector<double> data(bool along_x) const {
    std::vector<double> all;
    for (const Series& series : panel_.series) {
      if (series.reference && panel_.series.size() > 1 && !along_x) continue;  // bounds must not squeeze the data
      const std::vector<double>& values = along_x ? series.x : series.y;
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

  int style_of(std::size_t s) const {
    if (panel_.series[s].style >= 0) return panel_.series[s].style;
    int place = 0;
    for (std::size_t before = 0; before < s; ++before)
      place += !panel_.series[before].reference && panel_.series[before].style < 0;
    return place;
  }

  double px(double value) const { return plot_.x + plot_.width * x_.position(value); }
  double py(double value) const {
    const double p = y_.position(value);
    return plot_.y + plot_.height * (panel_.y.categories.empty() ? 1 - p : p);
  }

  void draw_axes(Svg& svg, double x) {
    const double bottom = plot_.y + plot_.height;
    for (const AxisScale::Tick& tick : x_.ticks()) {
      const double at = plot_.x + plot_.width * tick.position;
      if (!panel_.heat && panel_.x.categories.empty()) svg.line(at, plot_.y, at, bottom, "#e4e4e4");
      svg.line(at, bottom, at, bottom + 4, "#444");
      if (slanted_)
        svg.text(at + 3, bottom + 14, tick.text, {.size = kTickSize, .anchor = Anchor::end, .rotate = -38});
      else
        svg.text(at, bottom + 16, tick.text, {.size = kTickSize, .anchor = Anchor::middle});
    }
    for (const AxisScale::Tick& tick : y_.ticks()) {
      const double at = plot_.y + plot_.height * (panel_.y.categories.empty() ? 1 - tick.position : tick.position);
      if (!panel_.heat) svg.line(plot_.x, at, plot_.x + plot_.width, at, "#e4e4e4");
      svg.line(plot_.x - 4, at, plot_.x, at, "#444");
      svg.text(plot_.x - 7, at + 4, tick.text, {.size = kTickSize, .anchor = Anchor::end});
    }
    svg.line(plot_.x, plot_.y, plot_.x, bottom, "#444");
    svg.line(plot_.x, bottom, plot_.x + plot_.width, bottom, "#444");
    if (!panel_.x.label.empty())
      svg.text(plot_.x + plot_.width / 2, bottom + bottom_ - 8, panel_.x.label,
               {.size = kLabelSize, .anchor = Anchor::middle});
    if (!panel_.y.label.empty())
      svg.text(x + 16, plot_.y + plot_.height / 2, panel_.y.label,
               {.size = kLabelSize, .anchor = Anchor::middle, .rotate = -90});
  }

  void draw_heat(Svg& svg, const HeatMap& heat) {
    const double w = plot_.width / static_cast<double>(heat.columns);
    const double h = plot_.height / static_cast<double>(heat.rows);
    for (std::size_t r = 0; r < heat.rows; ++r) {
      for (std::size_t c = 0; c < heat.columns; ++c) {
        const double value = heat.at(r, c);
        if (std::isnan(value)) continue;
        const double t = (value - heat.low) / (heat.high - heat.low);
        const double x = plot_.x + w * static_cast<double>(c);
        const double row = static_cast<double>(panel_.y.categories.empty() ? heat.rows - 1 - r : r);
        const double y = plot_.y + h * row;
        svg.rectangle(x, y, w + 0.3, h + 0.3, shade(t));
        if (heat.numbers)
          svg.text(x + w / 2, y + h / 2 + 4, fmt::format("{:.2g}", value),
                   {.size = std::min(10.5, 0.38 * w), .anchor = Anchor::middle, .fill = t > 0.5 ? "#fff" : "#222"});
      }
    }
    if (heat.label.empty()) return;
    const double x = plot_.x + plot_.width + 12;
    constexpr int kSteps = 40;
    for (int k = 0; k < kSteps; ++k)
      svg.rectangle(x, plot_.y + plot_.height * (1 - (k + 1.0) / kSteps), 12, plot_.height / kSteps + 0.4,
                    shade((k + 0.5) / kSteps));
    for (const double f : {0.0, 0.25, 0.5, 0.75, 1.0})
      svg.text(x + 16, plot_.y + plot_.height * (1 - f) + 4,
               tick_text(heat.low + f * (heat.high - heat.low), Scale::linear), {.size = 10});
    svg.text(x + 56, plot_.y + plot_.height / 2, heat.label,
             {.size = kTickSize, .anchor = Anchor::middle, .rotate = -90});
  }

  void draw_series(Svg& svg, const Series& series, int style) {
    const Look& look = kLooks[static_cast<std::size_t>(style) % kLooks.size()];
    const std::string colour = series.reference ? (panel_.heat ? "#111" : "#777") : look.colour;
    const std::string dash = series.reference ? "5 4" : look.dash;
    const double width = series.reference ? 1.3 : series.emphasised ? 2.6 : 1.8;
    std::vector<std::pair<double, double>> points;
    const auto flush = [&] {
      if (series.line && points.size() > 1) {
        if (panel_.heat) svg.polyline(points, "#fff", width + 2.2, "");
        svg.polyline(points, colour, width, dash);
      }
      points.clear();
    };
    for (std::size_t p = 0; p < series.x.size(); ++p) {
      if (std::isnan(series.y[p]) || !x_.shows(series.x[p]) || !y_.shows(series.y[p]))
        flush();
      else
        points.emplace_back(px(series.x[p]), py(series.y[p]));
    }
    flush();
    if (!series.markers || series.reference) return;
    for (std::size_t p = 0; p < series.x.size(); ++p)
      if (!std::isnan(series.y[p]) && x_.shows(series.x[p]) && y_.shows(series.y[p]))
        svg.marker(style, px(series.x[p]), py(series.y[p]), 3.6, colour);
  }

  struct Entry {
    std::size_t series;
    double x;
    std::size_t line;
  };

  void lay_out_legend() {
    double at = 0;
    std::size_t line = 0;
    for (std::size_t s = 0; s < panel_.series.size(); ++s) {
      if (panel_.series[s].label.empty()) continue;
      const double w = kSample + 6 + text_width(panel_.series[s].label, kLegendSize) + 14;
      if (at > 0 && at + w > width_ - 24) {
        at = 0;
        ++line;
      }
      legend_.push_back({s, at, line});
      at += w;
    }
  }
  double legend_height() const {
    return legend_.empty() ? 4 : 8 + kLineHeight * static_cast<double>(legend_.back().line + 1);
  }

  void draw_legend(Svg& svg, double x) {
    for (const Entry& entry : legend_) {
      const Series& series = panel_.series[entry.series];
      const int style = style_of(entry.series);
      const Look& look = kLooks[static_cast<std::size_t>(style) % kLooks.size()];
      const double left = x + 14 + entry.x;
      const double y = plot_.y + plot_.height + bottom_ + 10 + kLineHeight * static_cast<double>(entry.line);
      const std::string colour = series.reference ? (panel_.heat ? "#111" : "#777") : look.colour;
      if (series.line)
        svg.line(left, y, left + kSample, y, colour, series.emphasised ? 2.6 : 1.8,
                 series.reference ? "5 4" : look.dash);
      if (series.markers && !series.reference) svg.marker(style, left + kSample / 2, y, 3.6, colour);
      svg.text(left + kSample + 6, y + 4, series.label, {.size = kLegendSize});
    }
  }

  const Panel& panel_;
  double width_, height_ = 0;
  AxisScale x_, y_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0, longest_ = 0;
  bool slanted_ = false;
  std::vector<std::string> title_;
  std::vector<Entry> legend_;
  Box plot_{};
};

}  // namespace

std::string to_svg(const Figure& figure) {
  constexpr double kGap = 14;
  const std::size_t columns = std::max<std::size_t>(1, std::min(figure.columns, figure.panels.size()));
  const double whole = static_cast<double>(columns) * (figure.panel_width + kGap) - kGap;
  std::vector<PanelDrawing> drawings;
  drawings.reserve(figure.panels.size());
  for (std::size_t p = 0; p < figure.panels.size(); ++p) {
    const Panel& panel = figure.panels[p];
    const bool alone = p % columns == 0 && p + 1 == figure.panels.size();  // the last row is its own
    drawings.emplace_back(panel, alone ? whole : figure.panel_width,
                          panel.height > 0 ? panel.height : figure.panel_height);
  }
  Svg svg;
  double y = 6;
  for (std::size_t first = 0; first < drawings.size(); first += columns) {
    const std::size_t last = std::min(first + columns, drawings.size());
    double tallest = 0;
    for (std::size_t p = first; p < last; ++p) tallest = std::max(tallest, drawings[p].height());
    for (std::size_t p = first; p < last; ++p)
      drawings[p].draw(svg, 6 + static_cast<double>(p - first) * (figure.panel_width + kGap), y);
    y += tallest + kGap;
  }
  return svg.finish(12 + whole, y);
}

}  // namespace quench::lab
