// What a certificate and its model promise together, and whether it holds: the answer of `quench check`.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "check/check.h"
#include "model/certificate.h"
#include "model/folder_certificate.h"
#include "model/transformer.h"

namespace quench::certified {

struct Promise {
  /// The certificate against the weights: "these weights behave like their ideal network up to N".
  check::Verdict verdict;
  /// Up to which lengths, "f64 4503599627370496, f32 8388608": of an accepted certificate.
  std::string lengths;
  /// Why the weights are not those of the rule the file names; empty if they are: "these weights compute this rule".
  std::string not_the_rule;

  bool behaves() const { return verdict.accepted; }
  bool computes_rule() const { return behaves() && not_the_rule.empty(); }
};

/// `certificate` is JSON text, untrusted.
Promise examine(const std::string& certificate, const model::Transformer& model);

/// The same of an exported folder: its certificate, the stock checkpoint, and the model that it was made of, all of which
/// it holds. `verdict.entries` counts the lengths that were derived again. Throws IoError if a file is missing or
/// damaged.
struct FolderPromise {
  Promise promise;
  model::FolderCertificate certificate;
  std::string recipe;
};
FolderPromise examine_folder(const std::filesystem::path& folder);

/// Puts the model's certificate in one format into it. If no length is certified, it stays without, and the answer is
/// why.
std::optional<std::string> certify_in(model::Transformer& model, NumberFormat format);

/// Length 0 throughout: as part of a model it would only have every word refused, so it is not put there.
bool promises_nothing(const model::Certificate& certificate);

}  // namespace quench::certified
