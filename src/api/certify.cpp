#include <quench/certify.h>

#include "api/convert.h"
#include "api/inside.h"
#include "certified/promise.h"
#include "certify/certificate.h"
#include "model/file.h"

namespace quench::api {
namespace {

static_assert(kNoLimit == model::kLongest);

Certificate wrapped(model::Certificate certificate) {
  return Certificate(std::make_shared<const Certificate::Inside>(Certificate::Inside{std::move(certificate)}));
}

Verdict verdict_of(const certified::Promise& promise) {
  Verdict verdict;
  verdict.behaves = promise.behaves();
  verdict.computes_rule = promise.computes_rule();
  verdict.covered = promise.verdict.covered;
  verdict.entries = promise.verdict.entries;
  verdict.lengths = promise.lengths;
  verdict.reason = promise.behaves() ? promise.not_the_rule : promise.verdict.reason;
  return verdict;
}

}  // namespace

std::vector<CertificateEntry> Certificate::entries() const {
  std::vector<CertificateEntry> result;
  for (const model::Entry& entry : inside().certificate.entries)
    result.push_back({outside(entry.format), outside(entry.summation), entry.finding.length,
                      entry.finding.limiting_head, entry.finding.reason});
  return result;
}

std::optional<std::uint64_t> Certificate::length(Format format, Summation summation) const {
  return translated(
      [&] { return model::certified_length(inside().certificate, api::inside(format), api::inside(summation)); });
}

std::string Certificate::fingerprint() const { return inside().certificate.model; }
std::string Certificate::to_json() const { return model::to_json(inside().certificate); }

std::vector<Format> usual_formats() {
  std::vector<Format> formats;
  for (const NumberFormat format : certify::usual_formats()) formats.push_back(outside(format));
  return formats;
}

Certificate certify(const Model& model, const std::vector<Format>& formats) {
  return translated([&] {
    std::vector<NumberFormat> wanted;
    for (const Format format : formats) wanted.push_back(inside(format));
    return wrapped(certify::make_certificate(model.inside().model, wanted));
  });
}

std::optional<Certificate> certificate_of(const Model& model) {
  if (!model.has_certificate()) return std::nullopt;
  return read_certificate(model.inside().model.certificate);
}

Certificate read_certificate(std::string_view json) {
  return translated([&] { return wrapped(model::certificate_from_json(std::string(json))); });
}

Model with_certificate(const Model& model, const Certificate& certificate) {
  if (certificate.fingerprint() != model.fingerprint()) throw UserError("this certificate speaks of another model");
  Model::Inside changed = model.inside();
  changed.model.certificate = certificate.to_json();
  return Model(std::make_shared<const Model::Inside>(std::move(changed)));
}

Verdict check(const Model& model) {
  if (!model.has_certificate()) return {.reason = "this model carries no certificate"};
  return translated(
      [&] { return verdict_of(certified::examine(model.inside().model.certificate, model.inside().model)); });
}

Verdict check(const Model& model, const Certificate& certificate) {
  return translated([&] { return verdict_of(certified::examine(certificate.to_json(), model.inside().model)); });
}

}  // namespace quench::api
