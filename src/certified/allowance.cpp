#include "certified/allowance.h"

#include <fmt/format.h>

#include "base/error.h"
#include "check/check.h"
#include "model/file.h"

namespace quench::certified {
namespace {

std::string is_void(const std::string& why) { return "the model's certificate is void: " + why; }

/// The model's certificate, read strictly and about these weights; none of its lengths is derived again yet.
struct Read {
  std::optional<model::Certificate> certificate;
  std::string warning;
};

Read read_certificate(const model::Transformer& model) {
  if (model.certificate.empty()) return {};
  try {
    model::Certificate certificate = model::certificate_from_json(model.certificate);
    if (certificate.model == model::fingerprint(model)) return {std::move(certificate), {}};
    return {std::nullopt, "the model was changed after it was certified, so its certificate is void"};
  } catch (const IoError& error) {
    return {std::nullopt, is_void(error.what())};
  }
}

/// The length of an entry, if the weights bear it out.
Allowance derived_again(const model::Certificate& certificate, const model::Entry& entry,
                        const model::Transformer& model) {
  if (!certificate.softened.empty())
    return {entry.finding.length,
            "the certificate is one of quench soften, which is not checked beyond being about this model"};
  if (const auto why = check::objection(entry, model))
    return {std::nullopt,
            is_void(fmt::format("the weights do not bear out its length in {}: {}", to_string(entry.format), *why))};
  return {entry.finding.length, {}};
}

std::uint64_t length_of(const model::Entry* entry) { return entry ? entry->finding.length : 0; }

}  // namespace

Allowance allowance(const model::Transformer& model, NumberFormat format, model::Summation summation) {
  const Read read = read_certificate(model);
  if (!read.certificate) return {std::nullopt, read.warning};
  const model::Entry* entry = model::best_entry(*read.certificate, format, summation);
  return entry ? derived_again(*read.certificate, *entry, model) : Allowance{};
}

RunLimit run_limit(const model::Transformer& model, const run::Options& options, run::Engine engine, bool stream) {
  RunLimit limit;
  const auto without = [&](const std::string& warning, const std::string& formats) {
    if (!warning.empty()) limit.warnings.push_back(warning);
    limit.warnings.push_back("this model has no certificate" + formats);
    limit.certified = false;
    return limit;
  };
  const Read read = read_certificate(model);
  if (!read.certificate) return without(read.warning, "");
  const auto entry_for = [&](model::Summation summation) {
    return model::best_entry(*read.certificate, options.format, summation);
  };
  const model::Entry *usual = entry_for(model::Summation::normalise_last),
                     *exact = entry_for(model::Summation::exact_count);
  if (!exact) return without("", fmt::format(" for {}", to_string(options.format)));
  const bool further = options.format == NumberFormat::f32 && length_of(exact) > length_of(usual);
  const bool can = stream || run::resolve(engine, options) == run::Engine::structured;
  if (further) limit.with_exact_sums = length_of(exact);
  limit.exact_sums = further && can;
  const model::Entry* used = limit.exact_sums ? exact : usual;
  if (!used) return limit.longest = 0, limit;
  const Allowance allowed = derived_again(*read.certificate, *used, model);
  if (!allowed.longest) return limit.exact_sums = false, without(allowed.warning, "");
  if (!allowed.warning.empty()) limit.warnings.push_back(allowed.warning);
  limit.longest = *allowed.longest;
  return limit;
}

}  // namespace quench::certified
