// Four rules by the paper's recipes, by ours and by those that are exact up to a length: certified lengths, and the
// first length at which some word is answered wrongly.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "certify/certify.h"
#include "driver/compile.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "verify/find_failure.h"

namespace quench::lab {
namespace of_exact_vs_tight_vs_paper {

constexpr std::size_t kMillion = std::size_t{1} << 20;
constexpr std::size_t kShort = 16;  ///< of models that are exact up to a length that words can exceed

struct Entry {
  const char* rule;
  const char* text;
  const char* paper;  ///< the recipe of the paper
  bool program;
};
const std::vector<Entry> kEntries = {
    {"PARITY", "odd(#<[Q_a])", "20a", false},
    {"MAJORITY, mixed", "#<[Q_a] >= #>[Q_b]", "22a", false},
    {"Dyck-2",
     "sleft(i) = psum j [j <= i] (in(j) in {'(', '['})\nsright(i) = psum j [j <= i] (in(j) in {')', ']'})\n"
     "er1(i) = sright(i) > sleft(i)\ndiff(i) = sleft(i) - sright(i)\nd(i) = diff(i) + (in(i) in {')', ']'})\n"
     "check(i) = rightmost j [j < i, d(j) = d(i)] in(j) : '?'\n"
     "er2(i) = in(i) in {')', ']'} and not (check(i) = '(' and in(i) = ')' or check(i) = '[' and in(i) = ']')\n"
     "okprefix(i) = rightmost j [j <= i, er1(j) or er2(j) or not (in(j) in {'(', '[', ')', ']'})] false : true\n"
     "out(i) = okprefix(i) and diff(i) = 0",
     "auto", true},
    {"sort",
     "as(i) = #[j] Q_a(j)\nabs(i) = #[j] (in(j) in {'a', 'b'})\n"
     "out(i) = pos(i) <= as(i) ? 'a' : pos(i) <= abs(i) ? 'b' : 'c'",
     "auto", true},
};

/// A way to compile a rule.
struct Way {
  std::string name, recipe;
  std::size_t length = 0;  ///< of `exact`
};
std::vector<Way> ways(const Entry& entry) {
  std::vector<Way> all{{"paper", entry.paper, 0}};
  if (!entry.program) all.push_back({"tight", "tight", 0});
  all.push_back({"exact, N = 2^20", "exact", kMillion});
  all.push_back({fmt::format("exact, N = {}", kShort), "exact", kShort});
  return all;
}

std::size_t longest_tried(const Entry& entry, const Way& way, const Settings& settings) {
  if (way.length == kShort) return 2 * kShort + 8;
  if (entry.program) return settings.quick ? 10 : 48;
  if (settings.quick) return 32;
  return way.length == kMillion ? 200 : 2048;  // whole words of deep networks, against rows of shallow ones
}

std::vector<Row> measure(const Entry& entry, const Way& way, NumberFormat format, const Settings& settings) {
  const lang::Rule rule = rule_of(entry.text);
  lower::RecipeOptions options;
  options.recipe = way.recipe;
  if (way.length > 0) options.length = way.length;
  const model::Transformer model = driver::compile(rule, options).model;
  const certify::Finding certified =
      certify::certify(model, certify::Arithmetic::of(format), certify::Summation::normalise_last);
  verify::FailureSearch search;
  search.to = longest_tried(entry, way, settings);
  search.run.format = format;
  search.seed = settings.seed;
  const verify::FailureReport found = verify::search_failure(model, rule, search);
  const double first = found.failure ? static_cast<double>(found.failure->length) : std::nan("");
  return {row(entry.rule, way.name, model.recipe, to_string(format), model.layers.size(), model.head_count(), model.width,
              certified.length, first, found.failure ? found.failure->family : "", search.to)};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Entry& entry : kEntries)
    for (const Way& way : ways(entry))
      for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16})
        all.push_back({fmt::format("{} {} {}", entry.rule, way.name, to_string(format)),
                       [&entry, way, format, settings] { return measure(entry, way, format, settings); }});
  return all;
}

Panel panel_of(const Table& rows, const std::string& rule) {
  Panel panel{.title = rule + ": certified length, first failure",
              .x = {.label = "length n", .scale = Scale::log2, .low = 1, .high = 0x1p22},
              .y = {.label = ""},
              .height = 330};
  Series certified{.label = "certified", .x = {}, .y = {}, .line = false, .style = 0};
  Series failure{.label = "first failure found", .x = {}, .y = {}, .line = false, .style = 5};
  Series held{.label = "none found up to here", .x = {}, .y = {}, .line = false, .style = 4};
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto at = static_cast<double>(r);
    panel.y.categories.push_back(rows.text(r, "way") + ", " + rows.text(r, "format"));
    if (const double proved = rows.number(r, "certified n"); proved >= 1) {
      certified.x.push_back(std::fmin(proved, 0x1p22));
      certified.y.push_back(at);
    }
    const double first = rows.number(r, "first failure");
    Series& series = std::isnan(first) ? held : failure;
    series.x.push_back(std::isnan(first) ? rows.number(r, "tried to") : first);
    series.y.push_back(at);
  }
  panel.series = {certified, failure, held};
  return panel;
}

Finding soundness_finding(const Table& table) {
  std::size_t contradicted = 0, failing = 0;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    failing += !std::isnan(table.number(r, "first failure"));
    contradicted += table.number(r, "first failure") <= table.number(r, "certified n");
  }
  return {contradicted == 0 ? Verdict::confirmed : Verdict::refuted,
          fmt::format("of {} pairs of model and format {} were made to fail, {} of them at or below the certified length.",
                      table.rows.size(), failing, contradicted)};
}

/// Of one rule, what float32 has by each way.
Finding single_precision_finding(const Table& rows, const std::string& rule) {
  std::string text;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    if (rows.text(r, "format") != "f32") continue;
    const double first = rows.number(r, "first failure");
    text += fmt::format("{}{} ({}) certified to {}, {}", text.empty() ? "" : "; ", rows.text(r, "way"),
                        rows.text(r, "recipe"), rows.text(r, "certified n"),
                        std::isnan(first) ? fmt::format("none found to {}", rows.text(r, "tried to"))
                                          : fmt::format("first failure at {:g}", first));
  }
  return {Verdict::measured, fmt::format("{} in float32: {}.", rule, text)};
}

/// Models that are exact up to a length fail beyond it.
Finding limit_finding(const Table& table) {
  std::size_t models = 0, failing = 0;
  double furthest = 0;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    if (!table.text(r, "way").ends_with(fmt::format("N = {}", kShort)) || table.text(r, "format") != "f64") continue;
    ++models;
    const double first = table.number(r, "first failure");
    failing += !std::isnan(first);
    if (!std::isnan(first)) furthest = std::fmax(furthest, first);
  }
  return {failing == models ? Verdict::confirmed : Verdict::refuted,
          fmt::format("weights for {} symbols are wrong beyond: {} of {} models fail in float64, at length {:g} or before.",
                      kShort, failing, models, furthest)};
}

Report report(const Table& table, const Settings&) {
  Report report;
  report.figure.panel_width = 560;
  report.findings.push_back(soundness_finding(table));
  for (const std::string& rule : table.distinct("rule")) {
    report.figure.panels.push_back(panel_of(table.where("rule", rule), rule));
    report.findings.push_back(single_precision_finding(table.where("rule", rule), rule));
  }
  report.findings.push_back(limit_finding(table));
  report.summary = table;
  return report;
}

}  // namespace of_exact_vs_tight_vs_paper

Experiment exact_vs_tight_vs_paper() {
  using namespace of_exact_vs_tight_vs_paper;
  return {
      .name = "exact-vs-tight-vs-paper",
      .title = "First failing length by recipe and number format",
      .claim =
          "Means of counts and scores of size n² or n³ are rounded, so the paper's recipes and ours end at some length in "
          "every format; networks in whole numbers end where they are made to.",
      .method =
          "Each rule is compiled by the recipe of the paper, by `tight` and by `exact`, for 2^20 symbols and for 16. "
          "`certify` gives the length up to which the format is enough (sums in any order, normalised last, as the "
          "reference executor forms them); adversarial words of growing length give a first failure.",
      .columns = {"rule", "way", "recipe", "format", "layers", "heads", "width", "certified n", "first failure",
                  "words that fail", "tried to"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
