// Figures as data: panels in a grid, each with axes and either series (lines and markers) or a heat map; `to_svg` draws
// them. Series differ by dash pattern and marker as well as by colour, heat maps go from light to dark: nothing is told
// by colour alone.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace quench::lab {

inline constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();

enum class Scale { linear, log10, log2 };

struct Axis {
  std::string label;  ///< with its unit
  Scale scale = Scale::linear;
  double low = kNotGiven, high = kNotGiven;  ///< from the data if not given
  std::vector<std::string> categories = {};  ///< category c stands at c; instead of a scale
};

struct Series {
  std::string label;  ///< empty: not in the legend
  std::vector<double> x, y;
  bool line = true, markers = true;
  bool emphasised = false;  ///< a thicker line
  int style = -1;           ///< colour, dash and marker; by its place in the panel if not given
  bool reference = false;   ///< grey, thin, dashed, no markers: a bound or a slope to compare with
};

/// value(r, c) fills the cell whose lower left corner is (c, r) in an evenly spaced grid.
struct HeatMap {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;  ///< row-major; NaN leaves a cell empty
  double low = 0, high = 1;    ///< the ends of the colour scale
  std::string label;           ///< of the colour scale
  bool numbers = false;        ///< write each value into its cell
  double at(std::size_t r, std::size_t c) const { return values[r * columns + c]; }
};

struct Panel {
  std::string title;
  Axis x, y;
  std::vector<Series> series = {};
  std::optional<HeatMap> heat = {};  ///< below the series; its cells are between the axes' categories or scale ends
  double height = 0;                 ///< 0: the figure's
};

struct Figure {
  std::vector<Panel> panels;
  std::size_t columns = 2;
  double panel_width = 430, panel_height = 300;
};

/// A self-contained SVG on a white ground.
std::string to_svg(const Figure& figure);

/// "10⁻³", "2¹⁰", "0.25": how ticks are written.
std::string tick_text(double value, Scale scale);

}  // namespace quench::lab
