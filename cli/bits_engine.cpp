#include "bits_engine.h"

#include <fmt/format.h>

#include <set>

#include "base/error.h"
#include "certificates.h"
#include "driver/compile.h"
#include "model/file.h"

namespace quench::cli {
namespace {

lang::Formula formula_behind(const model::Transformer& model) {
  lang::Rule rule = Source{"the model's source", model.source}.rule();
  if (auto* formula = std::get_if<lang::Formula>(&rule)) return std::move(*formula);
  throw UserError("--engine bits answers for formulas; this model was compiled from a program (use --engine auto)");
}

/// A certificate speaks of the ideal network; that it computes the formula is the theorem of the recipe, so a file must
/// be what the recipe makes of the formula it names. Sharpness and digits are not recorded: the few there can be are
/// tried.
void check_origin(const model::Transformer& model, const lang::Formula& formula) {
  std::set<std::optional<double>> gammas{std::nullopt};
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (head.claim.gamma > 0) gammas.insert(head.claim.gamma);
  const std::string fingerprint = model::fingerprint(model);
  for (const std::optional<double>& gamma : gammas)
    for (const bool digits : {false, true}) try {
        lower::RecipeOptions options;
        options.recipe = model.recipe;
        options.gamma = gamma;
        options.digits = digits;
        if (model::fingerprint(driver::compile(formula, options).model) == fingerprint) return;
      } catch (const DiagnosticError&) {  // not a setting of this recipe
      }
  throw UserError(
      "--engine bits: the weights are not what the compiler makes of the formula in the file, so the formula "
      "may not answer for them (use --engine auto)");
}

std::uint64_t certified(const LoadedModel& loaded, NumberFormat format) {
  constexpr auto kSummation = certify::Summation::normalise_last;  // as our executors do it
  if (!loaded.from_file) return certify::certify(loaded.model, certify::Arithmetic::of(format), kSummation).length;
  const auto certificate = valid_certificate(loaded.model);
  return certificate ? certify::certified_length(*certificate, format, kSummation).value_or(0) : 0;
}

}  // namespace

BitsEngine::BitsEngine(const LoadedModel& loaded, const run::Options& options)
    : formula_(formula_behind(loaded.model)),
      evaluator_(formula_),
      longest_(certified(loaded, options.format)),
      format_(to_string(options.format)),
      recipe_(loaded.model.recipe) {
  if (options.hard) throw UserError("--engine bits: the certificate is for soft attention; leave out --weighting hard");
  if (loaded.from_file) check_origin(loaded.model, formula_);
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
      recipe_, format_, longest_ == certify::kLongest ? "2^53" : std::to_string(longest_), how);
}

}  // namespace quench::cli
