#include "lower/exact/options.h"

#include <fmt/format.h>

#include <cmath>

#include "bounds/exact.h"

namespace quench::lower {

void check_exact_options(const Recipe& recipe, const RecipeOptions& options) {
  const auto fail = [](const char* code, std::string message, std::string note) {
    throw DiagnosticError({Diagnostic{code, std::move(message), {}, {std::move(note)}}});
  };
  const auto refuse = [&](bool given, const char* message, const char* note) {
    if (given) fail("E102", fmt::format("recipe {} {}", recipe.name, message), note);
  };
  refuse(options.sharpen == Sharpen::temperature, "has temperature 1: it is sharpened by positions",
         "leave out --sharpen");
  const bool scan = recipe.name == "scan";
  refuse(options.gamma.has_value() && !scan, "is as sharp as can be", "leave out --gamma");
  if (const double gap = options.gamma.value_or(bounds::kExactGap);
      scan && (gap < 8 || gap > bounds::kExactGap || std::exp2(std::round(std::log2(gap))) != gap))
    fail("E102", fmt::format("recipe scan takes a --gamma that is a power of two from 8 to {}", bounds::kExactGap),
         "8 is for f8e4m3 (words up to 65536), 16 for f8e5m2 (up to 256), 32 for f16-pure; the usual gap serves all "
         "others");
  refuse(options.digits && recipe.name == "scan", "has Booleans only, which every format holds", "leave out --digits");
  if (const std::size_t length = options.length.value_or(kExactLength); length < 1 || length > kLongestExact)
    fail("E107", fmt::format("recipe {} serves words of length 1 to {}", recipe.name, kLongestExact),
         fmt::format("{} was asked for; the recipes `tight` serve every length", length));
}

}  // namespace quench::lower
