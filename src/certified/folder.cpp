// An exported folder: does it hold what its certificate says, and is the model in it what the compiler makes of the
// rule?
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/error.h"
#include "certified/origin.h"
#include "certified/promise.h"
#include "certify/certify.h"
#include "check/folder/folder.h"
#include "model/file.h"

namespace quench::certified {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw IoError(fmt::format("{} is not there: `quench export --to hf` writes it (but with --bos)", path.string()));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Empty if nothing is wrong. The reason of an entry is what stops the certifier at the next length.
std::string wrong_entry(const model::FolderEntry& entry, const model::FolderCertificate& certificate,
                        const model::Transformer& model) {
  if (const auto why = check::objection(entry, certificate, model)) return *why;
  if (entry.length == certificate.context)
    return entry.reason == "the context" && entry.limiting_head.empty() ? "" : "its length is that of the context";
  const certify::LayerNorm norm{static_cast<double>(certificate.width), static_cast<double>(certificate.pairs),
                                certificate.constant, entry.moments};
  const model::Finding obstacle = certify::obstacle(model, certify::Arithmetic::of(certificate.format),
                                                    model::Summation::any, entry.length + 1, &norm);
  if (obstacle.reason != entry.reason || obstacle.limiting_head != entry.limiting_head)
    return fmt::format("what stops the proof at length {} is not what is written", entry.length + 1);
  return "";
}

}  // namespace

FolderPromise examine_folder(const std::filesystem::path& folder) {
  FolderPromise result;
  result.certificate = model::folder_certificate_from_json(text_of(folder / model::kFolderCertificateFile));
  const model::Transformer model = model::load(folder / model::kFolderModelFile);
  result.recipe = model.recipe;
  const model::FolderCertificate& certificate = result.certificate;
  Promise& promise = result.promise;
  if (certificate.model != model::fingerprint(model)) {
    promise.verdict.reason = fmt::format("the certificate is about another model than {}", model::kFolderModelFile);
    return result;
  }
  if (const auto why = check::folder_objection(folder, certificate, model)) {
    promise.verdict.reason = *why;
    return result;
  }
  for (const model::FolderEntry& entry : certificate.entries) {
    if (const std::string wrong = wrong_entry(entry, certificate, model); !wrong.empty()) {
      promise.verdict.reason = fmt::format("layer_norm {}: {}", to_string(entry.moments), wrong);
      return result;
    }
    if (entry.length == 0) continue;
    ++promise.verdict.entries;
    promise.lengths += fmt::format("{}{} {} (layer_norm {})", promise.lengths.empty() ? "" : ", ",
                                   to_string(certificate.format), entry.length, to_string(entry.moments));
  }
  if (promise.verdict.entries == 0) {
    promise.verdict.reason = fmt::format("it promises nothing: every length is 0 ({})", certificate.entries[0].reason);
    return result;
  }
  promise.verdict.accepted = true;
  promise.not_the_rule = origin_of(model).why_not;
  return result;
}

}  // namespace quench::certified
