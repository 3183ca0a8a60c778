#include <quench/soften.h>

#include "api/inside.h"
#include "certified/origin.h"
#include "soften/soften.h"

namespace quench::api {
namespace {

soften::Options inside_options(const SoftenOptions& options, const Model& model) {
  soften::Options result;
  result.route = soften::route_from(options.gap);
  if (!result.route && !options.gap.empty())
    throw quench::UserError("a gap is established by proof, interval or exhaustive");
  if (options.length == std::size_t{0}) throw quench::UserError("a length is at least 1");
  result.length = options.length;
  if (options.constants_of_paper) result.constants = soften::Constants::paper;
  if (options.progress) result.pulse = options.progress;
  result.construction_confirmed = model.inside().compiled_from ||
                                  certified::origin_of(model.inside().model, certified::Alike::construction).compiled();
  return result;
}

}  // namespace

Softened soften(const Model& model, const SoftenOptions& options) {
  return translated([&] {
    try {
      soften::Softened found = soften::soften(model.inside().model, inside_options(options, model));
      const std::string text = soften::report_text(found), json = soften::report_json(found);
      return Softened{Model(std::make_shared<const Model::Inside>(Model::Inside{std::move(found.model), std::nullopt})),
                      found.derivation.length, std::string(soften::to_string(found.derivation.route)), text, json};
    } catch (const soften::Refusal& refusal) {
      throw quench::UserError(refusal.what());
    }
  });
}

}  // namespace quench::api
