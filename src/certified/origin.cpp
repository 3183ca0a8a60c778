#include "certified/origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "base/text/utf8.h"
#include "driver/compile.h"

namespace quench::certified {
namespace {

using Kind = PositionFormula::Kind;

constexpr std::size_t kMostGammas = 12;
constexpr double kGreatestGamma = 0x1p40;  // beyond, weights would leave the range in which they are exact

/// Positions are written in digits or they are not; where no head needs positions it makes no difference.
bool has_digits(const model::Transformer& model) {
  return std::any_of(model.position_encodings.begin(), model.position_encodings.end(), [](const auto& encoding) {
    return encoding.formula.kind >= Kind::digit_0 && encoding.formula.kind <= Kind::digit_2_over_power;
  });
}

/// Whether no coordinate has had two tenants. Where sharing was allowed and never came about, it makes no difference.
bool is_unshared(const model::Transformer& model) {
  std::vector<bool> taken(model.width);
  for (const model::Tenant& tenant : model.tenants) {
    if (tenant.coordinate >= model.width || taken[tenant.coordinate]) return false;
    taken[tenant.coordinate] = true;
  }
  return true;
}

/// The length that a model of the recipes `exact` and `scan` may have been made for: 2^L, if the highest bit of
/// positions is L − 1. Where nothing needs positions it makes no difference.
std::optional<std::size_t> length_of(const model::Transformer& model) {
  if (!model.recipe.starts_with("exact") && model.recipe != "scan") return std::nullopt;
  std::size_t length = 1;
  for (const auto& [coordinate, formula] : model.position_encodings)
    for (int bit = 0; formula.predicate && bit < 40; ++bit)
      for (const char* name : {"bit", "rbit", "nbit"})
        if (formula.predicate->name == fmt::format("{}{}", name, bit)) length = std::max(length, std::size_t{2} << bit);
  return length == 1 ? std::nullopt : std::optional(length);
}

/// As a user would have typed it: what multiplying and dividing again rounded off is beyond the 15th digit.
double typed(double gamma) { return std::strtod(fmt::format("{:.15g}", gamma).c_str(), nullptr); }

/// Which γ the model may have been compiled with, other than the default: a head claims γ itself, or a multiple of it
/// (lookups γ·C, S-RASP 16γ/3), the same multiple as the head of `other`, which was compiled with the default.
std::vector<double> gammas(const model::Transformer& model, const model::Transformer& other, double other_gamma) {
  std::vector<double> result;
  const auto add = [&](double gamma) {
    if (!(gamma > 0) || gamma > kGreatestGamma || result.size() == kMostGammas) return;
    if (std::find(result.begin(), result.end(), gamma) == result.end()) result.push_back(gamma);
  };
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
      const double claimed = model.layers[l].heads[h].claim.gamma;
      if (l < other.layers.size() && h < other.layers[l].heads.size())
        add(typed(claimed / other.layers[l].heads[h].claim.gamma * other_gamma));
      add(typed(claimed * 3 / 16));
      add(claimed);
      if (result.size() == kMostGammas) return result;
    }
  return result;
}

std::string first_message(const DiagnosticError& error) {
  return error.diagnostics.empty() ? std::string() : printable(error.diagnostics.front().message, 300);
}

class Recompilation {
 public:
  Recompilation(const model::Transformer& model, const lang::Rule& rule, Alike alike)
      : model_(model), rule_(rule), alike_(alike) {
    options_.recipe = model.recipe;
    options_.digits = has_digits(model);
    options_.length = length_of(model);
    options_.unshared = is_unshared(model);
  }

  /// Why none of the settings makes this model; empty if one does.
  std::string run() {
    driver::Compilation usual;
    try {
      usual = driver::compile(rule_, options_);
    } catch (const DiagnosticError& error) {
      return "recipe " + printable(model_.recipe, 100) + " makes no model of the rule: " + first_message(error);
    }
    const auto differs = difference(model_, usual.model, alike_);
    if (!differs) return {};
    if (model_.recipe.starts_with("exact") && is_made_with_digits()) return {};
    for (const double gamma : gammas(model_, usual.model, lower::tuning(*usual.recipe, options_).gamma))
      if (is_made_with(gamma)) return {};
    return "the weights are not what the compiler makes of the rule; they differ in " + *differs;
  }

 private:
  bool is_made_with(double gamma) const {
    lower::RecipeOptions options = options_;
    options.gamma = gamma;
    return is_made_by(options);
  }
  bool is_made_with_digits() const {  // of counts, which no encoding shows
    lower::RecipeOptions options = options_;
    options.digits = true;
    return is_made_by(options);
  }
  bool is_made_by(const lower::RecipeOptions& options) const {
    try {
      return !difference(model_, driver::compile(rule_, options).model, alike_);
    } catch (const DiagnosticError&) {  // not options of this recipe
      return false;
    }
  }

  const model::Transformer& model_;
  const lang::Rule& rule_;
  Alike alike_;
  lower::RecipeOptions options_;
};

}  // namespace

Origin origin_of(const model::Transformer& model, Alike alike) {
  Origin origin;
  if (model.source.empty()) return {std::nullopt, "the file names no rule"};
  try {
    origin.rule = driver::parse_rule(model.source);
  } catch (const DiagnosticError& error) {
    origin.why_not = "the source in the file is not a rule: " + first_message(error);
    return origin;
  } catch (const UserError& error) {  // beyond a limit
    origin.why_not = "the rule in the file is too large to be looked at: " + printable(error.what(), 300);
    return origin;
  }
  origin.why_not = Recompilation(model, *origin.rule, alike).run();
  return origin;
}

}  // namespace quench::certified
