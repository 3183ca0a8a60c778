#include "certified/least_setting.h"

#include <cmath>
#include <string>
#include <vector>

#include "certified/narrow_gap.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"

namespace quench::certified {
namespace {

bool is_exact(const std::string& recipe) { return recipe == "exact" || recipe == "exact-decoder" || recipe == "scan"; }

/// The recipe that is asked for, if it is an exact one; otherwise `exact`, or for an automaton without a formula
/// `scan`.
std::optional<Setting> exact_setting(const lang::Rule& rule, lower::RecipeOptions options, NumberFormat format,
                                     std::uint64_t length) {
  options.gamma.reset();
  options.length = length;
  const std::vector<std::string> tried =
      is_exact(options.recipe) ? std::vector{options.recipe} : std::vector<std::string>{"exact", "scan"};
  for (const std::string& recipe : tried) {
    options.recipe = recipe;
    options.gamma = recipe == "scan" ? scan_gap(format) : std::nullopt;
    try {
      model::Transformer model = driver::compile(rule, options).model;
      if (certify::holds(model, certify::Arithmetic::of(format), model::Summation::any, length))
        return Setting{options.gamma, options.digits, model::Summation::any, std::move(model)};
    } catch (const DiagnosticError&) {
      if (tried.size() == 1) throw;
      // It does not go with the other options, or with the rule.
    }
  }
  return std::nullopt;
}

bool has_no_formula(const lang::Rule& rule) {
  const auto* automaton = std::get_if<lang::Automaton>(&rule);
  return automaton && !automaton->formula;
}

}  // namespace

std::optional<Setting> least_setting(const lang::Rule& any_rule, lower::RecipeOptions options, NumberFormat format,
                                     std::uint64_t length) {
  using model::Summation;
  const lang::Rule rule = driver::settled(any_rule, options, {{}, format});
  if (has_no_formula(rule) || is_exact(options.recipe)) return exact_setting(rule, options, format, length);
  const bool given = options.digits;
  options.length.reset();
  for (const Summation summation : {Summation::any, Summation::normalise_last, Summation::exact_count}) {
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
    if (summation != Summation::any || options.recipe != "auto") continue;
    options.digits = given;
    if (std::optional<Setting> exact = exact_setting(rule, options, format, length)) return exact;
  }
  return std::nullopt;
}

}  // namespace quench::certified
