// Certificates on the command line: what compile and certify print.
#pragma once

#include <string>

#include "certify/certificate.h"

namespace quench::cli {

/// {"f32": N, …}: the lengths that hold in any engine; null is no limit.
std::string certified_json(const certify::Certificate& certificate);
/// {"f32": {"any": N, "normalise-last": N, "exact-count": N}, …}
std::string certified_by_summation_json(const certify::Certificate& certificate);
/// "f32 349525, bf16 12, …": the lengths that hold in any engine. Where some engines reach further, further lines say
/// how far, and which do; they begin with `indent`.
std::string certified_text(const certify::Certificate& certificate, const std::string& indent);
/// Which engines sum like this, in words.
std::string_view engines_that_sum(certify::Summation summation);

/// Where the certificate of a model file goes: beside it.
std::string certificate_path(const std::string& model_path);

}  // namespace quench::cli
