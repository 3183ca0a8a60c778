#include "certified/bits_engine.h"

#include <fmt/format.h>

#include "base/error.h"
#include "certified/allowance.h"
#include "certified/origin.h"
#include "certify/certify.h"
#include "driver/compile.h"

namespace quench::certified {
namespace {

/// The formula that answers for the model: one that a file names answers only for the weights the compiler makes of it.
lang::Formula formula_behind(const model::Transformer& model, const lang::Rule* compiled_from) {
  std::optional<lang::Rule> rule;
  if (compiled_from) {
    rule = *compiled_from;
  } else {
    Origin origin = origin_of(model);
    if (!origin.compiled())
      throw UserError(
          fmt::format("engine bits: {}, so the formula may not answer for them (use engine auto)", origin.why_not));
    rule = std::move(origin.rule);
  }
  if (auto* formula = std::get_if<lang::Formula>(&*rule)) return std::move(*formula);
  // The source of the model has the formula of an automaton that was compiled just now.
  if (std::holds_alternative<lang::Automaton>(*rule)) rule = driver::parse_rule(model.source);
  if (auto* automaton = std::get_if<lang::Automaton>(&*rule); automaton && automaton->formula)
    return std::move(*automaton->formula);
  throw UserError("engine bits answers for formulas; this model was not compiled from one (use engine auto)");
}

Allowance certified_length(const model::Transformer& model, NumberFormat format, const lang::Rule* compiled_from) {
  constexpr auto kSummation = model::Summation::normalise_last;  // as our executors do it
  if (!compiled_from) return allowance(model, format, kSummation);
  return {certify::certify(model, certify::Arithmetic::of(format), kSummation).length, {}};
}

}  // namespace

BitsEngine::BitsEngine(const model::Transformer& model, const run::Options& options, const lang::Rule* compiled_from)
    : formula_(formula_behind(model, compiled_from)), format_(to_string(options.format)), recipe_(model.recipe) {
  if (options.hard) throw UserError("engine bits: the certificate is for soft attention, not for hard weighting");
  Allowance allowed = certified_length(model, options.format, compiled_from);
  longest_ = allowed.longest.value_or(0);
  warning_ = std::move(allowed.warning);
}

std::vector<std::vector<std::int64_t>> BitsEngine::answers(std::span<const Word> words, Workspace& workspace) const {
  if (!workspace.evaluator) workspace.evaluator.emplace(formula_);
  workspace.lengths.clear();
  for (const Word& word : words) {
    if (!workspace.evaluator->covers(word.size()))
      throw UserError("engine bits: a coefficient is too large for its 64-bit sums");
    workspace.lengths.push_back(word.size());
  }
  const std::vector<bits::Text> texts(words.begin(), words.end());
  workspace.evaluator->evaluate(texts, workspace.planes);
  std::vector<std::vector<std::int64_t>> answers;
  for (std::size_t w = 0; w < words.size(); ++w) {
    const std::span<const bits::Bits> plane = workspace.planes[w];
    std::vector<std::int64_t>& values = answers.emplace_back(words[w].size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<std::int64_t>(plane[i / bits::kBits] >> i % bits::kBits & 1);
  }
  return answers;
}

std::string BitsEngine::explanation(const Workspace& workspace) const {
  const auto words = [](std::size_t count) { return fmt::format("{} word{}", count, count == 1 ? "" : "s"); };
  const std::size_t together = workspace.evaluator ? workspace.evaluator->side_by_side() : 0,
                    alone = workspace.lengths.size() - together;
  std::string how;
  if (together > 0) how += fmt::format("{}, {} at a time", words(together), bits::kGroup);
  if (alone > 0) how += fmt::format("{}{}, {} positions at a time", how.empty() ? "" : "; ", words(alone), bits::kBits);
  return fmt::format(
      "proved: recipe {} in {}, every word of length <= {}: the network's rounded outputs are the formula's "
      "(certificate)\n"
      "run:    the formula, on bit planes ({}); no attention was computed\n",
      recipe_, format_, longest_ == model::kLongest ? "2^53" : std::to_string(longest_), how);
}

}  // namespace quench::certified
