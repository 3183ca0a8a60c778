#include "lab/report/svg.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>

namespace quench::lab {
namespace {

/// Coordinates with at most two digits after the point: small files, and the same on every machine.
std::string at(double x) {
  const double rounded = std::round(x * 100) / 100;
  return fmt::format("{}", rounded == 0 ? 0 : rounded);
}

}  // namespace

std::string escape_xml(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  }
  return result;
}

double text_width(std::string_view text, double size) {
  double width = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;  // inside a code point
    const bool narrow = std::string_view("iljtfr.,:;|'!()[] ").find(c) != std::string_view::npos;
    const bool wide = std::string_view("mwMW@%").find(c) != std::string_view::npos || (c >= 'A' && c <= 'Z');
    width += narrow ? 0.37 : wide ? 0.8 : 0.63;
  }
  return width * size;
}

std::vector<std::string> wrap(std::string_view text, double size, double width) {
  std::istringstream words{std::string(text)};
  std::vector<std::string> lines;
  for (std::string word; words >> word;) {
    const bool fits = !lines.empty() && text_width(lines.back() + " " + word, size) <= width;
    if (fits)
      lines.back() += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& stroke, double width,
               const std::string& dash) {
  body_ += fmt::format(R"(<line x1="{}" y1="{}" x2="{}" y2="{}" stroke="{}" stroke-width="{}")", at(x1), at(y1), at(x2),
                       at(y2), stroke, width);
  if (!dash.empty()) body_ += fmt::format(R"( stroke-dasharray="{}")", dash);
  body_ += "/>\n";
}

void Svg::rectangle(double x, double y, double width, double height, const std::string& fill,
                    const std::string& stroke) {
  body_ += fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="{}"/>)", at(x), at(y), at(width),
                       at(height), fill, stroke) +
           "\n";
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& stroke, double width,
                   const std::string& dash) {
  body_ += R"(<polyline points=")";
  for (const auto& [x, y] : points) body_ += at(x) + "," + at(y) + " ";
  body_ += fmt::format(R"(" fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round")", stroke, width);
  if (!dash.empty()) body_ += fmt::format(R"( stroke-dasharray="{}")", dash);
  body_ += "/>\n";
}

void Svg::marker(int shape, double x, double y, double radius, const std::string& colour) {
  const auto polygon = [&](const std::vector<std::pair<double, double>>& corners) {
    body_ += R"(<polygon points=")";
    for (const auto& [dx, dy] : corners) body_ += at(x + radius * dx) + "," + at(y + radius * dy) + " ";
    body_ += fmt::format("\" fill=\"{}\"/>\n", colour);
  };
  switch (shape % kMarkers) {
    case 0:
      body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", at(x), at(y), at(radius), colour);
      break;
    case 1:
      polygon({{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}});
      break;
    case 2:
      polygon({{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}});
      break;
    case 3:
      polygon({{0, -1.3}, {1.1, 0}, {0, 1.3}, {-1.1, 0}});
      break;
    case 4:
      body_ += fmt::format(R"(<circle cx="{}" cy="{}" r="{}" fill="#fff" stroke="{}" stroke-width="1.6"/>)", at(x),
                           at(y), at(radius), colour) +
               "\n";
      break;
    case 5:
      line(x - radius, y - radius, x + radius, y + radius, colour, 1.8);
      line(x - radius, y + radius, x + radius, y - radius, colour, 1.8);
      break;
    case 6:
      polygon({{0, 1.15}, {1.1, -0.85}, {-1.1, -0.85}});
      break;
    default:
      line(x - 1.2 * radius, y, x + 1.2 * radius, y, colour, 1.8);
      line(x, y - 1.2 * radius, x, y + 1.2 * radius, colour, 1.8);
  }
}

void Svg::text(double x, double y, std::string_view text, const TextStyle& style) {
  const char* anchor = style.anchor == Anchor::start ? "start" : style.anchor == Anchor::middle ? "middle" : "end";
  body_ += fmt::format(R"(<text x="{}" y="{}" font-size="{}" text-anchor="{}" fill="{}")", at(x), at(y), style.size,
                       anchor, style.fill);
  if (style.bold) body_ += R"( font-weight="bold")";
  if (style.rotate != 0) body_ += fmt::format(" transform=\"rotate({} {} {})\"", style.rotate, at(x), at(y));
  body_ += ">" + escape_xml(text) + "</text>\n";
}

void Svg::begin_clip(double x, double y, double width, double height) {
  const int id = ++clips_;
  body_ += fmt::format(R"(<clipPath id="c{}"><rect x="{}" y="{}" width="{}" height="{}"/></clipPath>)", id, at(x),
                       at(y), at(width), at(height));
  body_ += fmt::format("\n<g clip-path=\"url(#c{})\">\n", id);
}

void Svg::end_clip() { body_ += "</g>\n"; }

std::string Svg::finish(double width, double height) const {
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
             "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
             "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n",
             at(width), at(height)) +
         body_ + "</svg>\n";
}

}  // namespace quench::lab
