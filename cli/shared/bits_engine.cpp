#include "cli/shared/bits_engine.h"

#include <fmt/format.h>

#include <optional>

#include "base/error.h"
#include "base/text/utf8.h"
#include "certified/allowance.h"
#include "certified/origin.h"
#include "certify/certify.h"
#include "cli/shared/output.h"

namespace quench::cli {
namespace {

/// The formula that answers for the model: one that a file names answers only for the weights the compiler makes of it.
lang::Formula formula_behind(const LoadedModel& loaded) {
  std::optional<lang::Rule> rule;
  if (loaded.from_file) {
    certified::Origin origin = certified::origin_of(loaded.model);
    if (!origin.compiled())
      throw UserError(fmt::format("--engine bits: {}, so the formula may not answer for them (use --engine auto)",
                                  origin.why_not));
    rule = std::move(origin.rule);
  } else {
    rule = loaded.source->rule();
  }
  if (auto* formula = std::get_if<lang::Formula>(&*rule)) return std::move(*formula);
  throw UserError("--engine bits answers for formulas; this model was compiled from a program (use --engine auto)");
}

std::uint64_t certified_length(const LoadedModel& loaded, NumberFormat format) {
  constexpr auto kSummation = model::Summation::normalise_last;  // as our executors do it
  if (!loaded.from_file) return certify::certify(loaded.model, certify::Arithmetic::of(format), kSummation).length;
  const certified::Allowance allowance = certified::allowance(loaded.model, format, kSummation);
  if (!allowance.warning.empty()) say(fmt::format("warning: {}\n", printable(allowance.warning)));
  return allowance.longest.value_or(0);
}

}  // namespace

BitsEngine::BitsEngine(const LoadedModel& loaded, const run::Options& options)
    : formula_(formula_behind(loaded)),
      evaluator_(formula_),
      longest_(certified_length(loaded, options.format)),
      format_(to_string(options.format)),
      recipe_(loaded.model.recipe) {
  if (options.hard) throw UserError("--engine bits: the certificate is for soft attention; leave out --weighting hard");
}

void BitsEngine::evaluate(std::span<const Word> words) {
  lengths_.clear();
  for (const Word& word : words) {
    if (!evaluator_.covers(word.size()))
      throw UserError("--engine bits: a coefficient is too large for its 64-bit sums");
    lengths_.push_back(word.size());
  }
  const std::vector<bits::Text> texts(words.begin(), words.end());
  evaluator_.evaluate(texts, planes_);
}

std::vector<std::uint8_t> BitsEngine::values(std::size_t word) const {
  const std::span<const bits::Bits> plane = planes_[word];
  std::vector<std::uint8_t> values(lengths_[word]);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = plane[i / bits::kBits] >> i % bits::kBits & 1;
  return values;
}

std::string BitsEngine::explanation() const {
  const auto words = [](std::size_t count) { return fmt::format("{} word{}", count, count == 1 ? "" : "s"); };
  const std::size_t together = evaluator_.side_by_side(), alone = lengths_.size() - together;
  std::string how;
  if (together > 0) how += fmt::format("{}, {} at a time", words(together), bits::kGroup);
  if (alone > 0) how += fmt::format("{}{}, {} positions at a time", how.empty() ? "" : "; ", words(alone), bits::kBits);
  return fmt::format(
      "proved: recipe {} in {}, every word of length <= {}: the network's rounded outputs are the formula's "
      "(certificate)\n"
      "run:    the formula, on bit planes ({}); no attention was computed\n",
      recipe_, format_, longest_ == model::kLongest ? "2^53" : std::to_string(longest_), how);
}

}  // namespace quench::cli
