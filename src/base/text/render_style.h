// How diagnostics look on a terminal: colours and the width of the lines. Whether there are colours is for the program to
// decide; the library reads no environment.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text/diagnostic.h"

namespace quench {

struct RenderStyle {
  bool colour = false;         ///< the words error and warning, and what marks the place
  std::size_t max_width = 100;  ///< columns of source shown; longer lines are cut around the span
};

inline constexpr std::string_view kRed = "\033[1;31m", kYellow = "\033[1;33m", kPlain = "\033[0m";

std::string render(const std::vector<Diagnostic>& diagnostics, std::string_view source, std::string_view source_name,
                   const RenderStyle& style);

}  // namespace quench
