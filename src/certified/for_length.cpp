#include "certified/for_length.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <tuple>

#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "model/summary.h"

namespace quench::certified {
namespace {

struct Candidate {
  std::string name;
  lower::RecipeOptions options;
};

std::vector<Candidate> candidates(const lower::RecipeOptions& asked, NumberFormat format, std::uint64_t length) {
  Candidate usual{asked.digits ? "tight --digits" : "tight", asked};
  usual.options.length.reset();
  std::vector<Candidate> all{usual};
  for (const char* recipe : {"exact", "scan"}) {
    all.push_back({recipe, asked});
    all.back().options.recipe = recipe;
    all.back().options.length = length;
  }
  if (!asked.digits && format != NumberFormat::f64 && format != NumberFormat::f32)
    for (const std::size_t k : {0u, 1u}) {
      all.push_back({all[k].name + " --digits", all[k].options});
      all.back().options.digits = true;
    }
  return all;
}

auto cost(const model::Transformer& model) {
  const model::Summary summary = model::summary(model);
  return std::tuple(summary.layers, summary.heads, summary.width);
}

/// Up to which length something else would do: another format, or a shorter word.
std::vector<std::string> ways_out(const std::vector<TooShort>& tried, NumberFormat format, std::uint64_t length) {
  std::vector<std::string> notes;
  for (const TooShort& one : tried)
    notes.push_back(one.length == 0
                        ? fmt::format("{}: {}", one.recipe, one.limiting_head)
                        : fmt::format("{} is certified up to {}{}", one.recipe, one.length,
                                      one.limiting_head.empty() ? "" : ", where " + one.limiting_head + " stops"));
  if (length > lower::kLongestExact) notes.push_back(fmt::format("exact serves words up to {}", lower::kLongestExact));
  const auto longest = std::ranges::max_element(tried, {}, &TooShort::length);
  if (longest != tried.end() && longest->length > 0)
    notes.push_back(fmt::format("ask for --length {}{}", longest->length,
                                format == NumberFormat::f64 ? "" : ", or for another --dtype"));
  return notes;
}

}  // namespace

ForLength compile_for_length(const lang::Rule& rule, const lower::RecipeOptions& options,
                             const driver::RegularOptions& regular, std::uint64_t length) {
  const NumberFormat format = regular.format;
  const certify::Arithmetic arithmetic = certify::Arithmetic::of(format);
  const driver::RuleCompiler compile(rule, regular);
  std::optional<ForLength> best;
  std::vector<TooShort> too_short;
  std::optional<DiagnosticError> refused;
  for (const Candidate& candidate : candidates(options, format, length)) {
    try {
      ForLength made{compile(candidate.options), candidate.options, {}};
      const model::Transformer& model = made.compilation.model;
      if (!certify::holds(model, arithmetic, model::Summation::any, length)) {
        const model::Finding finding = certify::certify(model, arithmetic, model::Summation::any);
        too_short.push_back({candidate.name, finding.length,
                             finding.length == 0 ? finding.reason : finding.limiting_head});
      } else if (!best || cost(model) < cost(best->compilation.model)) {
        best = std::move(made);
      }
    } catch (const DiagnosticError& error) {
      if (!refused) refused = error;  // that of the usual recipe says most
    }
  }
  if (best) {
    best->too_short = std::move(too_short);
    return std::move(*best);
  }
  if (too_short.empty() && refused) throw *refused;
  throw DiagnosticError({Diagnostic{"E108", fmt::format("no construction is certified up to {} in {}", length,
                                                        to_string(format)),
                                    {}, ways_out(too_short, format, length)}});
}

}  // namespace quench::certified
