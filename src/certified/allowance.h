// How long the words may be that a model's own certificate answers for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "model/certificate.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::certified {

/// How an engine sums over positions: all normalise last; the structured one in float32 sums most models in double.
model::Summation summation_of(const model::Transformer& model, run::Engine engine, NumberFormat format);

struct Allowance {
  std::optional<std::uint64_t> longest;  ///< none: no certificate covers the format
  std::string warning;                   ///< why a certificate that is there does not count, or counts on trust only
};

/// The certificate in the model is believed only after it has been read strictly, found to be about these weights, and
/// the entry that is used has been derived again (src/check). Otherwise it is void, and the warning says why.
Allowance allowance(const model::Transformer& model, NumberFormat format, model::Summation summation);

}  // namespace quench::certified
