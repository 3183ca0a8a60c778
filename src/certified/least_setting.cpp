#include "certified/least_setting.h"

#include <cmath>

#include "certify/certify.h"
#include "driver/compile_automaton.h"

namespace quench::certified {

std::optional<Setting> least_setting(const lang::Rule& any_rule, lower::RecipeOptions options, NumberFormat format,
                                     std::uint64_t length) {
  using model::Summation;
  const lang::Rule rule = driver::settled(any_rule, options, {{}, format});
  const bool given = options.digits;
  for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count})
    for (const bool digits : {given, true})
      for (const double gamma : {3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0}) {
        options.gamma = gamma;
        options.digits = digits;
        model::Transformer model = driver::compile(rule, options).model;
        const bool tight = model.recipe.starts_with("tight");
        if (tight ? std::exp2(std::round(std::log2(gamma))) != gamma : digits) continue;  // the same as another
        if (certify::holds(model, certify::Arithmetic::of(format), summation, length))
          return Setting{gamma, digits, summation, std::move(model)};
      }
  return std::nullopt;
}

}  // namespace quench::certified
