#include "lower/gamma.h"

#include <fmt/format.h>

#include <cmath>

#include "bounds/lemmas.h"

namespace quench::lower {

void check_gamma(const RecipeOptions& options) {
  if (!options.gamma) return;
  const double gamma = *options.gamma;
  const auto fail = [](std::string message) {
    throw DiagnosticError({Diagnostic{
        "E104",
        std::move(message),
        {},
        {fmt::format("gamma must be at least ln 16 = 2.7726 and at most {:.3g}; the paper uses 3, tight 16",
                     kLargestGamma)}}});
  };
  if (std::isnan(gamma)) fail("gamma is not a number");
  if (gamma < bounds::smallest_gamma())
    fail(fmt::format("gamma {} is too small: the heads would not be sharp enough to round", gamma));
  if (gamma > kLargestGamma)
    fail(fmt::format("gamma {} is too large: scores would overflow double precision", gamma));
}

}  // namespace quench::lower
