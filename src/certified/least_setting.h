// Which sharpness a length needs: `quench certify --length` and the public compile_for_length.
#pragma once

#include <cstdint>
#include <optional>

#include "base/number/number_format.h"
#include "lang/rule.h"
#include "lower/recipe.h"
#include "model/certificate.h"
#include "model/transformer.h"

namespace quench::certified {

/// A way to compile for a length, and what it gives.
struct Setting {
  std::optional<double> gamma;  ///< none by `exact`
  bool digits = false;
  model::Summation summation = model::Summation::any;  ///< what has to be assumed of the engine
  model::Transformer model;
};

/// The least γ of a few for which the length is certified: γ does not change the n at which a format runs out of bits,
/// but a larger gap leaves more room for the error before. Ours take powers of two, and digits where a half format
/// needs them; where the recipe is not prescribed and none of them will do, `exact` is tried. An engine that sums in a
/// certain way is asked for only if nothing else does. `options.gamma` plays no part. An automaton is compiled by one
/// formula throughout. Throws DiagnosticError as driver::compile does.
std::optional<Setting> least_setting(const lang::Rule& rule, lower::RecipeOptions options, NumberFormat format,
                                     std::uint64_t length);

}  // namespace quench::certified
