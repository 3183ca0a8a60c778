// How long the words may be that a model's own certificate answers for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/certificate.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::certified {

struct Allowance {
  std::optional<std::uint64_t> longest;  ///< none: no certificate covers the format
  std::string warning;                   ///< why a certificate that is there does not count, or counts on trust only
};

/// The certificate in the model is believed only after it has been read strictly, found to be about these weights, and
/// the entry that is used has been derived again (src/check). Otherwise it is void, and the warning says why.
Allowance allowance(const model::Transformer& model, NumberFormat format, model::Summation summation);

/// What certified/runner.h and streams go by.
struct RunLimit {
  std::uint64_t longest = model::kLongest;
  std::uint64_t with_exact_sums = 0;  ///< what the engines that can form sums exactly would be allowed, if that is more
  bool exact_sums = false;  ///< whether `longest` rests on sums formed exactly, so that they must be asked for
  bool certified = true;    ///< false: no certificate counts, as the last warning says
  std::vector<std::string> warnings;
};

/// All engines divide by the sum of weights last. In float32 the structured one and that of streams can form sums over
/// positions exactly (in double), which is asked of them where a certificate then reaches further. Without a
/// certificate that counts there is no limit, and a warning.
RunLimit run_limit(const model::Transformer& model, const run::Options& options, run::Engine engine, bool stream);

}  // namespace quench::certified
