#include <quench/verify.h>

#include <algorithm>

#include "api/convert.h"
#include "api/inside.h"
#include "verify/find_failure.h"
#include "verify/verify.h"
#include "verify/words/workload.h"

namespace quench::api {
namespace {

/// What is not asked for is not done, unless nothing is: then it is what `quench verify` does.
verify::Options inside_options(const VerifyOptions& options, std::size_t symbols) {
  const bool nothing_asked = !options.exhaustive && !options.random_count;
  verify::Options result;
  result.exhaustive =
      nothing_asked ? verify::usual_exhaustive(symbols) : std::clamp(options.exhaustive.value_or(0), 0, 64);
  result.random_count = options.random_count.value_or(nothing_asked ? 200 : 0);
  result.random_length = options.random_length;
  if (result.random_count > 0 && result.random_length == 0)
    throw quench::UserError("random words have at least one symbol");
  result.seed = options.seed;
  result.threads = std::max(options.threads, 0);
  result.run = {inside(options.format), options.hard};
  result.engine = inside(options.engine);
  result.progress = options.progress;
  return result;
}

}  // namespace

Report verify(const Rule& rule, const Model& model, const VerifyOptions& options) {
  return translated([&] {
    const lang::Rule& source = rule.inside().rule;
    const model::Transformer& network = model.inside().model;
    const verify::Options asked = inside_options(options, verify::symbol_count(network, source));
    const verify::Report found = verify::verify(network, source, asked);
    Report report{found.words, found.positions, found.differences, asked.exhaustive, std::nullopt};
    if (const auto& one = found.counterexample)
      report.counterexample = Counterexample{one->word, one->position, one->expected, one->got};
    return report;
  });
}

FailureReport find_failure(const Rule& rule, const Model& model, const FailureOptions& options) {
  return translated([&] {
    if (options.shortest > options.longest) throw quench::UserError("the shortest length is above the longest");
    verify::FailureSearch search;
    search.from = options.shortest;
    search.to = options.longest;
    search.run.format = inside(options.format);
    search.seed = options.seed;
    search.progress = options.progress;
    const verify::FailureReport found = verify::search_failure(model.inside().model, rule.inside().rule, search);
    FailureReport report{std::nullopt, found.words, found.searched};
    if (const auto& one = found.failure)
      report.failure = Failure{one->length, one->position, one->expected, one->got, one->family, one->whole};
    return report;
  });
}

}  // namespace quench::api
