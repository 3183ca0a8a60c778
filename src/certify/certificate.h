// The certificate of a model: what certify finds for each format. docs/certificates.md
#pragma once

#include <vector>

#include "certify/certify.h"
#include "model/certificate.h"

namespace quench::certify {

using model::Certificate;
using model::certificate_from_json;
using model::certified_length;
using model::entries_to_json;
using model::Entry;
using model::to_json;

/// For every format an entry per way of summing, from the weakest assumption to the strongest, leaving out those that
/// do not certify more than the one before.
Certificate make_certificate(const model::Transformer& model, const std::vector<NumberFormat>& formats);

/// The formats that are certified whenever a model is written.
const std::vector<NumberFormat>& usual_formats();

}  // namespace quench::certify
