// Certificates on the command line: what compile and certify print.
#pragma once

#include <string>

#include "certify/certificate.h"

namespace quench::cli {

/// {"f32": N, …}: lengths for engines that normalise last, as ours do; null is no limit.
std::string certified_json(const certify::Certificate& certificate);
/// "f32 349525, bf16 12, …"
std::string certified_text(const certify::Certificate& certificate);

/// Where the certificate of a model file goes: beside it.
std::string certificate_path(const std::string& model_path);

}  // namespace quench::cli
