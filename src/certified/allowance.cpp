#include "certified/allowance.h"

#include <fmt/format.h>

#include "base/error.h"
#include "check/check.h"
#include "model/file.h"
#include "run/wide_sums.h"

namespace quench::certified {
namespace {

Allowance void_because(const std::string& why) { return {std::nullopt, "the model's certificate is void: " + why}; }

}  // namespace

model::Summation summation_of(const model::Transformer& model, run::Engine engine, NumberFormat format) {
  const bool wide = format == NumberFormat::f32 &&
                    (engine == run::Engine::automatic || engine == run::Engine::structured) &&
                    run::sums_are_wide(model);
  return wide ? model::Summation::exact_count : model::Summation::normalise_last;
}

Allowance allowance(const model::Transformer& model, NumberFormat format, model::Summation summation) {
  if (model.certificate.empty()) return {};
  model::Certificate certificate;
  try {
    certificate = model::certificate_from_json(model.certificate);
  } catch (const IoError& error) {
    return void_because(error.what());
  }
  if (certificate.model != model::fingerprint(model))
    return {std::nullopt, "the model was changed after it was certified, so its certificate is void"};
  const model::Entry* entry = model::best_entry(certificate, format, summation);
  if (!entry) return {};
  if (!certificate.softened.empty())
    return {entry->finding.length,
            "the certificate is one of quench soften, which is not checked beyond being about this model"};
  if (const auto why = check::objection(*entry, model))
    return void_because(fmt::format("the weights do not bear out its length in {}: {}", to_string(format), *why));
  return {entry->finding.length, {}};
}

}  // namespace quench::certified
