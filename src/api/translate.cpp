#include <quench/translate.h>

#include <optional>

#include "api/inside.h"
#include "base/error.h"
#include "driver/exact_difference.h"
#include "driver/translate_rule.h"
#include "train/looks_right.h"
#include "verify/diff.h"

namespace quench::api {
namespace {

/// Nothing if it cannot be decided for all words.
std::optional<Comparison> decided(const lang::Rule& first, const lang::Rule& second, bool everywhere) {
  if (everywhere && (train::looks_right(first) || train::looks_right(second))) return std::nullopt;
  try {
    const auto found = driver::exact_difference(first, second);
    Comparison comparison{.proved = true};
    if (!found) return comparison;
    std::vector<std::string> symbols;
    for (const Symbol s : found->word)
      symbols.push_back(s == kUnmentioned ? "" : found->symbols.symbols()[static_cast<std::size_t>(s)]);
    if (const auto one = verify::difference_on(first, second, symbols, everywhere))
      comparison.difference = Difference{one->word, one->first, one->second};
    return comparison;
  } catch (const DiagnosticError&) {
    return std::nullopt;
  } catch (const quench::UserError&) {
    return std::nullopt;
  }
}

}  // namespace

std::string translate(const Rule& rule, std::string_view to) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&] { return driver::translate_rule(source.rule, to); });
}

Comparison diff(const Rule& first, const Rule& second, const DiffOptions& options) {
  return translated([&] {
    const lang::Rule &one = first.inside().rule, &other = second.inside().rule;
    if (options.length == std::size_t{0}) throw quench::UserError("words have at least one symbol");
    const std::size_t length = options.length ? *options.length : verify::default_diff_length(one, other);
    if (!options.length)
      if (const auto proof = decided(one, other, options.everywhere)) return *proof;
    const verify::DiffReport report = verify::diff(one, other, length, options.everywhere);
    Comparison comparison{false, report.words, report.length, std::nullopt};
    if (report.difference)
      comparison.difference = Difference{report.difference->word, report.difference->first, report.difference->second};
    return comparison;
  });
}

}  // namespace quench::api
