// The shapes a figure is drawn with, as SVG text. Knows nothing of axes or data.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quench::lab {

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 12;
  Anchor anchor = Anchor::start;
  double rotate = 0;  ///< degrees, about the text's own point
  bool bold = false;
  std::string fill = "#222";
};

class Svg {
 public:
  void line(double x1, double y1, double x2, double y2, const std::string& stroke, double width = 1,
            const std::string& dash = "");
  void rectangle(double x, double y, double width, double height, const std::string& fill,
                 const std::string& stroke = "none");
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& stroke, double width,
                const std::string& dash);
  /// One of kMarkers shapes, filled or open.
  void marker(int shape, double x, double y, double radius, const std::string& colour);
  void text(double x, double y, std::string_view text, const TextStyle& style = {});
  /// What follows until end_clip is cut off outside the rectangle.
  void begin_clip(double x, double y, double width, double height);
  void end_clip();

  std::string finish(double width, double height) const;

 private:
  std::string body_;
  int clips_ = 0;
};

inline constexpr int kMarkers = 8;

/// About how wide a text comes out; no font is at hand to ask.
double text_width(std::string_view text, double size);
/// Lines of at most this width, broken at blanks.
std::vector<std::string> wrap(std::string_view text, double size, double width);
std::string escape_xml(std::string_view text);

}  // namespace quench::lab
