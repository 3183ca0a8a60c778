#include <quench/translate.h>

#include <optional>

#include "api/compare_rules.h"
#include "api/inside.h"
#include "base/error.h"
#include "driver/translate_rule.h"

namespace quench::api {

std::string translate(const Rule& rule, std::string_view to) {
  const Rule::Inside& source = rule.inside();
  return diagnosed(source.text, source.name, [&] { return driver::translate_rule(source.rule, to); });
}

Comparison diff(const Rule& first, const Rule& second, const DiffOptions& options) {
  return translated([&] {
    const lang::Rule &one = first.inside().rule, &other = second.inside().rule;
    if (options.length == std::size_t{0}) throw quench::UserError("words have at least one symbol");
    const auto [proved, why_not, report] = compare_rules(one, other, options.length, options.everywhere);
    Comparison comparison{proved, report.words, report.length, std::nullopt};
    if (report.difference)
      comparison.difference = Difference{report.difference->word, report.difference->first, report.difference->second};
    return comparison;
  });
}

}  // namespace quench::api
