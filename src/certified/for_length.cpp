#include "certified/for_length.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <tuple>

#include "certified/narrow_gap.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "driver/parts.h"
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
  if (!asked.gamma) all.back().options.gamma = scan_gap(format);
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

/// What is exact up to a length and can be had without being asked for: in every format the same.
std::vector<lower::RecipeOptions> exact_options(lower::RecipeOptions asked, NumberFormat format, std::uint64_t length) {
  asked.length = length;
  asked.recipe = "exact";
  std::vector<lower::RecipeOptions> all{asked};
  if (!asked.digits) {
    all.push_back(asked);
    all.back().digits = true;
  }
  asked.recipe = "scan";
  if (!asked.gamma) asked.gamma = scan_gap(format);
  all.push_back(asked);
  return all;
}

/// Weights for fewer symbols have smaller numbers: the longest words, by powers of two, that an exact recipe serves in
/// the format.
std::uint64_t shorter_words(const driver::RuleCompiler& compile, const lower::RecipeOptions& asked, NumberFormat format,
                            std::uint64_t length) {
  const certify::Arithmetic arithmetic = certify::Arithmetic::of(format);
  std::uint64_t longest = 0;
  for (lower::RecipeOptions& options : exact_options(asked, format, length))
    for (std::uint64_t fewer = std::min<std::uint64_t>(std::bit_floor(length - 1), lower::kLongestExact);
         fewer > std::max<std::uint64_t>(longest, 1); fewer /= 2) {
      options.length = fewer;
      try {
        const model::Transformer model = compile(options).model;
        const std::uint64_t reached = certify::certify(model, arithmetic, model::Summation::any).length;
        longest = std::max(longest, std::min(reached, length));
        if (reached >= fewer) break;
      } catch (const DiagnosticError&) {
        break;  // it does not go with the rule, whatever the length
      }
    }
  return longest;
}

/// The narrowest format in which an exact recipe serves the length.
std::optional<NumberFormat> wider_format(const driver::RuleCompiler& compile, const lower::RecipeOptions& asked,
                                         NumberFormat format, std::uint64_t length) {
  for (const NumberFormat other : {NumberFormat::f16, NumberFormat::bf16, NumberFormat::f32, NumberFormat::f64}) {
    if (other == format || length > lower::kLongestExact) continue;
    for (const lower::RecipeOptions& options : exact_options(asked, other, length)) {
      try {
        if (certify::holds(compile(options).model, certify::Arithmetic::of(other), model::Summation::any, length))
          return other;
      } catch (const DiagnosticError&) {
        continue;
      }
    }
  }
  return std::nullopt;
}

/// Where the text has what stops the construction that reaches furthest, if the name of a head tells.
Span limiting_part(const lang::Rule& rule, const std::vector<TooShort>& tried) {
  const driver::Parts parts(rule);
  Span span;
  std::uint64_t furthest = 0;
  for (const TooShort& one : tried) {
    const std::string_view head = one.head;
    const std::size_t name = head.find(' ');  // after layer and number
    if (one.length < furthest || name == std::string_view::npos) continue;
    const std::optional<std::size_t> part = parts.named(head.substr(name + 1));
    if (!part || parts.list()[*part].span == Span{}) continue;
    span = parts.list()[*part].span;
    furthest = one.length;
  }
  return span;
}

/// Up to which length something else would do: another format, or a shorter word.
std::vector<std::string> ways_out(const std::vector<TooShort>& tried, std::uint64_t shorter,
                                  std::optional<NumberFormat> wider, NumberFormat format, std::uint64_t length) {
  std::vector<std::string> notes;
  for (const TooShort& one : tried)
    notes.push_back(one.length == 0
                        ? fmt::format("{} has no certificate: {}", one.recipe, one.limiting_head)
                        : fmt::format("{} is certified up to {}{}", one.recipe, one.length,
                                      one.limiting_head.empty() ? "" : ", where " + one.limiting_head + " stops"));
  if (length > lower::kLongestExact) notes.push_back(fmt::format("exact serves words up to {}", lower::kLongestExact));
  for (const TooShort& one : tried) shorter = std::max(shorter, one.length);
  const std::string fewer = shorter > 0 ? fmt::format("--length {}", shorter) : "";
  const std::string other = wider ? fmt::format("--dtype {}", to_string(*wider)) : "";
  if (!fewer.empty() || !other.empty())
    notes.push_back(fmt::format("ask for {}{}{}", fewer, fewer.empty() || other.empty() ? "" : ", or for ", other));
  else
    notes.push_back(fmt::format("no length has a certificate in {}", to_string(format)));
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
        const bool usual = made.options.recipe == "auto" && made.compilation.recipe && !made.compilation.recipe->tight;
        too_short.push_back({usual ? std::string(made.compilation.recipe->name) : candidate.name, finding.length,
                             finding.length == 0 ? finding.reason : finding.limiting_head, finding.limiting_head});
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
  throw DiagnosticError(
      {Diagnostic{"E108", fmt::format("no construction is certified up to {} in {}", length, to_string(format)),
                  limiting_part(rule, too_short),
                  ways_out(too_short, shorter_words(compile, options, format, length),
                           wider_format(compile, options, format, length), format, length)}});
}

}  // namespace quench::certified
