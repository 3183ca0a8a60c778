#include "certified/promise.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "certified/origin.h"
#include "certify/certificate.h"
#include "certify/certify.h"

namespace quench::certified {
namespace {

/// What is wrong beside what the checker derives; empty if nothing is. Something has to be promised; and the reason of an
/// entry says what stops the proof at the next length, so it is compared with what stops the certifier there.
std::string wrong_text(const model::Certificate& certificate, const model::Transformer& model) {
  if (promises_nothing(certificate)) return "it promises nothing: every length is 0";
  if (!certificate.softened.empty()) return {};  // the certifier's reasons are not those of `soften`
  for (std::size_t k = 0; k < certificate.entries.size(); ++k) {
    const model::Entry& entry = certificate.entries[k];
    if (entry.finding.length == model::kLongest) continue;
    const model::Finding obstacle = certify::obstacle(model, certify::Arithmetic::of(entry.format), entry.summation,
                                                      entry.finding.length + 1);
    if (obstacle.reason != entry.finding.reason || obstacle.limiting_head != entry.finding.limiting_head)
      return fmt::format("entry {}: what stops the proof at length {} is not what is written (quench certify writes it)",
                         k + 1, entry.finding.length + 1);
  }
  return {};
}

std::string lengths_of(const model::Certificate& certificate) {
  std::string text;
  for (const model::Entry& entry : certificate.entries) {
    const std::uint64_t length = entry.finding.length;
    text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", to_string(entry.format),
                        entry.summation == model::Summation::any ? "" : fmt::format(" {}", to_string(entry.summation)),
                        length == model::kLongest ? "any length" : fmt::format("{}", length));
  }
  return text;
}

}  // namespace

std::optional<std::string> certify_in(model::Transformer& model, NumberFormat format) {
  const model::Certificate certificate = certify::make_certificate(model, {format});
  if (promises_nothing(certificate)) return certificate.entries.front().finding.reason;
  model.certificate = certify::to_json(certificate);
  return std::nullopt;
}

bool promises_nothing(const model::Certificate& certificate) {
  return std::all_of(certificate.entries.begin(), certificate.entries.end(),
                     [](const model::Entry& entry) { return entry.finding.length == 0; });
}

Promise examine(const std::string& text, const model::Transformer& model) {
  Promise promise;
  promise.verdict = check::check(text, model);
  if (!promise.behaves()) return promise;
  const model::Certificate certificate = model::certificate_from_json(text);
  if (const std::string wrong = wrong_text(certificate, model); !wrong.empty()) {
    promise.verdict.accepted = false;
    promise.verdict.reason = wrong;
    return promise;
  }
  promise.lengths = lengths_of(certificate);
  promise.not_the_rule = origin_of(model).why_not;
  return promise;
}

}  // namespace quench::certified
