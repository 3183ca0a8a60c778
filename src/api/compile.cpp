#include <quench/compile.h>

#include <algorithm>

#include "api/compile_options.h"
#include "api/convert.h"
#include "api/inside.h"
#include "certified/least_setting.h"
#include "certified/promise.h"
#include "certify/certificate.h"
#include "driver/compile.h"

namespace quench::api {
namespace {

void attach_certificate_in(model::Transformer& model, const std::vector<NumberFormat>& formats) {
  const model::Certificate certificate = certify::make_certificate(model, formats);
  if (!certified::promises_nothing(certificate)) model.certificate = model::to_json(certificate);
}

}  // namespace

lower::RecipeOptions recipe_options(const CompileOptions& options) {
  lower::RecipeOptions result;
  result.recipe = options.recipe;
  if (options.sharpen)
    result.sharpen = *options.sharpen == Sharpen::position ? lower::Sharpen::position : lower::Sharpen::temperature;
  result.decoder = options.decoder;
  result.gamma = options.gamma;
  result.digits = options.digits;
  result.length = options.length;
  return result;
}

Model wrapped(model::Transformer model, const lang::Rule& rule) {
  return Model(std::make_shared<const Model::Inside>(Model::Inside{std::move(model), rule}));
}

void attach_certificate(model::Transformer& model) { attach_certificate_in(model, certify::usual_formats()); }

Model compile(const Rule& rule, const CompileOptions& options) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&] {
    model::Transformer model = driver::compile(source.rule, recipe_options(options)).model;
    if (options.certify) attach_certificate(model);
    return wrapped(std::move(model), source.rule);
  });
}

std::optional<Model> compile_for_length(const Rule& rule, std::uint64_t length, Format format,
                                        const CompileOptions& options) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&]() -> std::optional<Model> {
    auto least = certified::least_setting(source.rule, recipe_options(options), inside(format), length);
    if (!least) return std::nullopt;
    std::vector<NumberFormat> formats = certify::usual_formats();
    if (std::find(formats.begin(), formats.end(), inside(format)) == formats.end()) formats.push_back(inside(format));
    attach_certificate_in(least->model, formats);
    return wrapped(std::move(least->model), source.rule);
  });
}

std::vector<RecipeName> recipes() {
  std::vector<RecipeName> names;
  for (const lower::Recipe& recipe : lower::recipes())
    names.push_back({std::string(recipe.name), std::string(recipe.theorem)});
  return names;
}

}  // namespace quench::api
