#include "lower/exact/options.h"

#include <fmt/format.h>

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
  refuse(options.gamma.has_value(), "is as sharp as can be", "leave out --gamma");
  refuse(options.digits && recipe.name == "scan", "has Booleans only, which every format holds", "leave out --digits");
  if (const std::size_t length = options.length.value_or(kExactLength); length < 1 || length > kLongestExact)
    fail("E107", fmt::format("recipe {} serves words of length 1 to {}", recipe.name, kLongestExact),
         fmt::format("{} was asked for; the recipes `tight` serve every length", length));
}

}  // namespace quench::lower
