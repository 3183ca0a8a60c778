#include "api/compare_rules.h"

#include "base/error.h"
#include "driver/exact_difference.h"
#include "lang/looks_right.h"

namespace quench::api {
namespace {

/// For all words, if both rules are regular; what a word shows is worked out once more by the rules themselves.
RuleComparison decided(const lang::Rule& first, const lang::Rule& second, bool everywhere,
                       const automata::Limits& limits) {
  RuleComparison result;
  if (everywhere && (lang::looks_right(first) || lang::looks_right(second))) {
    result.why_not = "what a rule that may look to the right says before the end is not decided";
    return result;
  }
  try {
    const auto found = driver::exact_difference(first, second, limits);
    result.proved = true;
    if (!found) return result;
    std::vector<std::string> symbols;
    for (const Symbol s : found->word)
      symbols.push_back(s == kUnmentioned ? "" : found->symbols.symbols()[static_cast<std::size_t>(s)]);
    result.report.difference = verify::difference_on(first, second, symbols, everywhere);
    QUENCH_ASSERT(result.report.difference.has_value());
  } catch (const DiagnosticError& error) {
    result.why_not = error.what();
  } catch (const quench::UserError& error) {
    result.why_not = error.what();
  }
  return result;
}

}  // namespace

RuleComparison compare_rules(const lang::Rule& first, const lang::Rule& second, std::optional<std::size_t> length,
                             bool everywhere, const automata::Limits& limits) {
  RuleComparison result;
  const std::size_t longest = length ? *length : verify::default_diff_length(first, second);
  if (!length) result = decided(first, second, everywhere, limits);
  if (!result.proved) result.report = verify::diff(first, second, longest, everywhere);
  return result;
}

}  // namespace quench::api
