// The SVG of an attention view: a heat map with the word along both axes and a scale. Plain shapes and text, nothing
// external, so that it opens anywhere and converts to PDF.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "run/inspect/attention_grid.h"
#include "run/inspect/attention_view.h"
#include "run/inspect/terminal_text.h"

namespace quench::run {

namespace {

constexpr std::size_t kMostCells = 256;
constexpr double kPlot = 480;  // side of the plot where cells need not be larger or smaller

struct Colour {
  double red, green, blue;
};
/// One hue, light to dark: prints well in grey, and lightness is monotone.
constexpr std::array<Colour, 9> kRamp{{{247, 251, 255},
                                       {222, 235, 247},
                                       {198, 219, 239},
                                       {158, 202, 225},
                                       {107, 174, 214},
                                       {66, 146, 198},
                                       {33, 113, 181},
                                       {8, 81, 156},
                                       {8, 48, 107}}};

std::string colour_of(double weight) {
  if (std::isnan(weight)) return "#d62728";
  const double at = std::clamp(weight, 0.0, 1.0) * (kRamp.size() - 1);
  const auto low = std::min(static_cast<std::size_t>(at), kRamp.size() - 2);
  const double part = at - static_cast<double>(low);
  const auto mix = [&](double a, double b) { return static_cast<int>(std::lround(a + part * (b - a))); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(kRamp[low].red, kRamp[low + 1].red),
                     mix(kRamp[low].green, kRamp[low + 1].green), mix(kRamp[low].blue, kRamp[low + 1].blue));
}

/// Text for XML: markup escaped, control characters (which XML forbids) gone to U+FFFD by cut().
std::string escape(std::string_view text, std::size_t limit = 80) {
  std::string escaped;
  for (const char byte : cut(text, limit)) {
    switch (byte) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&apos;";
        break;
      default:
        escaped += byte;
    }
  }
  return escaped;
}

/// Where everything goes.
struct Layout {
  std::size_t cells;
  double cell;         // side of a cell
  double left, top;    // corner of the plot
  double label_size;   // of the symbols
  double label_width;  // of the longest symbol
  std::size_t stride;  // every how many cells a label is written
  bool root_scale;     // colours follow √weight: on long words broad heads would be all white otherwise
  double shown(double weight) const { return root_scale ? std::sqrt(weight) : weight; }
  double side() const { return cell * static_cast<double>(cells); }
  double x(std::size_t column) const { return left + cell * static_cast<double>(column); }
  double y(std::size_t row) const { return top + cell * static_cast<double>(row); }
};

std::string cell_label(const AttentionView& view, std::size_t index, std::size_t block) {
  return block == 1 ? cut(view.symbols[index], 12) : "";
}

Layout layout_of(const AttentionView& view, const MergedWeights& merged) {
  Layout layout{};
  layout.cells = merged.greatest.rows;
  layout.cell = std::clamp(kPlot / static_cast<double>(layout.cells), 1.875, 36.0);
  layout.label_size = std::clamp(layout.cell * 0.55, 7.0, 14.0);
  std::size_t longest = 1;
  for (std::size_t index = 0; index < layout.cells; ++index)
    longest = std::max(longest, columns(cell_label(view, index, merged.block)));
  layout.label_width = static_cast<double>(longest) * layout.label_size * 0.62;
  layout.stride = layout.cell >= 12 ? 1 : static_cast<std::size_t>(std::ceil(24 / layout.cell / 5)) * 5;
  layout.root_scale = view.symbols.size() > 24;
  layout.left = 52 + layout.label_width;
  layout.top = 72 + (longest > 1 ? layout.label_width : layout.label_size);
  return layout;
}

std::string text_at(double x, double y, double size, const std::string& attributes, const std::string& content) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\"{}>{}</text>\n", x, y, size, attributes,
                     content);
}

std::string cells_of(const MergedWeights& merged, const Layout& layout) {
  std::string svg = fmt::format("<g shape-rendering=\"crispEdges\"{}>\n",
                                layout.cell >= 6 ? " stroke=\"#ffffff\" stroke-width=\"1\"" : "");
  for (std::size_t row = 0; row < layout.cells; ++row)
    for (std::size_t column = 0; column < layout.cells; ++column)
      if (merged.seen[row * layout.cells + column])
        svg += fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"/>\n",
                           layout.x(column), layout.y(row), layout.cell, layout.cell,
                           colour_of(layout.shown(merged.greatest(row, column))));
  return svg + "</g>\n";
}

/// Weights as numbers, where they fit.
std::string numbers_of(const MergedWeights& merged, const Layout& layout) {
  if (layout.cell < 30 || merged.block > 1) return "";
  std::string svg;
  for (std::size_t row = 0; row < layout.cells; ++row)
    for (std::size_t column = 0; column < layout.cells; ++column) {
      const double weight = merged.greatest(row, column);
      if (!merged.seen[row * layout.cells + column] || weight < 0.005) continue;
      const std::string number = std::isnan(weight) ? "?"
                                 : weight >= 0.995  ? "1"
                                                    : fmt::format("{:.2f}", weight).substr(1);  // ".25"
      svg += text_at(layout.x(column) + layout.cell / 2, layout.y(row) + layout.cell / 2 + 3.5, 10,
                     fmt::format(" text-anchor=\"middle\" fill=\"{}\"", weight > 0.55 ? "#ffffff" : "#1a1a1a"), number);
    }
  return svg;
}

/// Symbols and positions along both axes.
std::string axes_of(const AttentionView& view, const MergedWeights& merged, const Layout& layout) {
  std::string svg;
  const bool upright = layout.label_width <= layout.cell + 2;
  for (std::size_t index = 0; index < layout.cells; ++index) {
    // A merged cell is named by its last position, so that round numbers show; the first cell always by 1.
    const std::size_t position = index == 0 ? 1 : std::min((index + 1) * merged.block, view.symbols.size());
    if (layout.stride > 1 && index != 0 && (index + 1) % layout.stride != 0) continue;
    const double column = layout.x(index) + layout.cell / 2, row = layout.y(index) + layout.cell / 2;
    const std::string symbol = escape(cell_label(view, index, merged.block));
    const double size = layout.label_size;
    if (layout.stride == 1) {
      const std::string turned =
          upright ? " text-anchor=\"middle\""
                  : fmt::format(" transform=\"rotate(-60 {:.1f} {:.1f})\"", column + 3, layout.top - 6);
      svg += text_at(upright ? column : column + 3, layout.top - 6, size, turned, symbol);
      svg += text_at(layout.left - 7, row + size * 0.35, size, " text-anchor=\"end\"", symbol);
    }
    const double small = std::clamp(size * 0.7, 7.0, 9.0);
    svg += text_at(column, layout.top + layout.side() + 12, small, " text-anchor=\"middle\" fill=\"#666666\"",
                   fmt::format("{}", position));
    svg += text_at(layout.left - (layout.stride == 1 ? 12 + layout.label_width : 6), row + 3, small,
                   " text-anchor=\"end\" fill=\"#666666\"", fmt::format("{}", position));
  }
  const double middle_x = layout.left + layout.side() / 2, middle_y = layout.top + layout.side() / 2;
  svg += text_at(middle_x, layout.top + layout.side() + 30, 12, " text-anchor=\"middle\"",
                 "key position <tspan font-style=\"italic\">j</tspan>");
  svg += text_at(14, middle_y, 12, fmt::format(" text-anchor=\"middle\" transform=\"rotate(-90 14 {:.1f})\"", middle_y),
                 "query position <tspan font-style=\"italic\">i</tspan>");
  return svg;
}

std::string scale_of(const Layout& layout) {
  const double x = layout.left + std::max(layout.side(), 90.0) + 24, height = std::clamp(layout.side(), 90.0, 200.0);
  std::string svg = "<defs><linearGradient id=\"ramp\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
  for (std::size_t stop = 0; stop < kRamp.size(); ++stop) {
    const double at = static_cast<double>(stop) / (kRamp.size() - 1);
    svg += fmt::format("<stop offset=\"{:.3f}\" stop-color=\"{}\"/>\n", at, colour_of(at));
  }
  svg += fmt::format(
      "</linearGradient></defs>\n<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"{:.1f}\" fill=\"url(#ramp)\" "
      "stroke=\"#999999\" stroke-width=\"0.5\"/>\n",
      x, layout.top, height);
  for (const double weight : {0.0, 0.1, 0.25, 0.5, 1.0})
    if (layout.root_scale || weight != 0.1)
      svg +=
          text_at(x + 17, layout.top + height * (1 - layout.shown(weight)) + 3.5, 10, "", fmt::format("{:g}", weight));
  return svg + text_at(x - 2, layout.top - 8, 10, "", "weight");
}

}  // namespace

AttentionPicture picture_of(const AttentionView& view) {
  const MergedWeights merged = merge(view, kMostCells);
  const Layout layout = layout_of(view, merged);
  // A bold character of size 15 is about 10 wide; a title longer than the picture is cut.
  const double picture_width = std::max(layout.left + std::max(layout.side(), 90.0) + 84, 480.0);
  const double width = std::max(picture_width, 24 + 6 * static_cast<double>(columns(subtitle_of(view))));
  const std::string title = escape(cut(title_of(view), static_cast<std::size_t>((width - 32) / 10)));
  const std::string subtitle = escape(subtitle_of(view));
  const double height = layout.top + std::max(layout.side(), 90.0) + (merged.block > 1 ? 58 : 42);

  std::string svg;
  svg += text_at(16, 26, 15, " font-weight=\"bold\"", title);
  svg += text_at(16, 45, 11, " fill=\"#555555\"", subtitle);
  // What the mask hides is hatched, not white: a weight of 0 and no weight are different things.
  svg +=
      "<defs><pattern id=\"hidden\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"#f4f4f4\"/>"
      "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"5\" stroke=\"#dddddd\" stroke-width=\"1.5\"/></pattern></defs>\n";
  svg += fmt::format("<rect x=\"{0:.2f}\" y=\"{1:.2f}\" width=\"{2:.2f}\" height=\"{2:.2f}\" fill=\"url(#hidden)\"/>\n",
                     layout.left, layout.top, layout.side());
  svg += cells_of(merged, layout) + numbers_of(merged, layout);
  svg += fmt::format(
      "<rect x=\"{0:.2f}\" y=\"{1:.2f}\" width=\"{2:.2f}\" height=\"{2:.2f}\" fill=\"none\" stroke=\"#999999\" "
      "stroke-width=\"0.8\"/>\n",
      layout.left, layout.top, layout.side());
  svg += axes_of(view, merged, layout) + scale_of(layout);
  if (merged.block > 1)
    svg += text_at(layout.left, height - 8, 10, " fill=\"#555555\"",
                   fmt::format("each cell is the greatest of {0} × {0} weights", merged.block));
  return {width, height, std::move(svg)};
}

std::string to_svg(const AttentionView& view) {
  const AttentionPicture picture = picture_of(view);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} "
             "{1:.0f}\" "
             "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" fill=\"#1a1a1a\">\n<title>{2}</title>\n"
             "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
             picture.width, picture.height, escape(title_of(view))) +
         picture.content + "</svg>\n";
}

}  // namespace quench::run
