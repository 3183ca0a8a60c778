// How long words may be in each number format: certified, and where adversarial words first go wrong; what breaks; and
// what happens to scores that are close.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "attention/weighting/softmax.h"
#include "base/number/random.h"
#include "certify/certify.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "model/position.h"
#include "oracle/evaluate.h"
#include "run/reference/reference.h"
#include "verify/find_failure.h"

namespace quench::lab {
namespace of_stability {

constexpr const char* kLimit = "limit";
constexpr const char* kClose = "close scores";
constexpr double kUnlimited = 0x1p24;      // where the figure ends
constexpr std::size_t kTakenApart = 1024;  // failures up to this length are run again whole

struct Entry {
  const char* recipe;
  const char* rule;
};
const std::vector<Entry> kEntries = {
    {"12a", "prev Q_a"},
    {"13a", "prev Q_a"},
    {"15a", "(Q_a | Q_b) since Q_b"},
    {"16a", "(Q_a | Q_b) since Q_b"},
    {"20a", "#<[Q_a] >= #<[Q_b]"},
    {"21", "#<[Q_a] >= #<[Q_b]"},
    {"20a", "odd(#<[Q_a])"},
    {"22a", "#<[Q_a] >= #>[Q_b]"},
    {"23", "prev Q_a & #<[Q_a] >= #<[Q_b]"},
    {"tight", "prev Q_a"},
    {"tight", "(Q_a | Q_b) since Q_b"},
    {"tight", "#<[Q_a] >= #<[Q_b]"},
    {"tight", "#<[Q_a] >= #>[Q_b]"},
    {"tight", "odd(#<[Q_a])"},
    {"tight-decoder", "(Q_a | Q_b) since Q_b"},
    {"exact", "(Q_a | Q_b) since Q_b"},
    {"exact", "#<[Q_a] >= #>[Q_b]"},
    {"exact", "odd(#<[Q_a])"},
};
const std::vector<NumberFormat> kFormats = {NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16};

std::size_t longest_tried(const Settings& settings) { return settings.quick ? 512 : 1 << 15; }

bool right(const model::Transformer& model, const lang::Formula& formula, const Word& word, NumberFormat format,
           const run::Observer& observer = {}) {
  const auto got = run::booleans(run::outputs(model, word, {.format = format}, observer));
  return got == oracle::evaluate(formula, word);
}

/// What gives way at a failing length: if the same run with exact position encodings is right, their resolution; else
/// the arithmetic of the head in which the streams first part by more than ¼.
std::string what_breaks(const model::Transformer& model, const lang::Formula& formula, NumberFormat format,
                        std::size_t n, std::uint64_t seed) {
  if (n > kTakenApart) return "";
  for (const verify::Pattern& pattern : verify::adversarial_patterns(formula)) {
    const std::optional<Word> made = verify::pattern_word(formula, pattern, n, seed);
    if (!made) continue;
    const Word& word = *made;
    if (right(model, formula, word, format)) continue;
    run::Observer exact;
    exact.residual = [&](int sublayer, Matrix& residual) {
      if (sublayer != 0) return;
      for (const model::PositionEncoding& encoding : model.position_encodings)
        for (std::size_t i = 0; i < n; ++i)
          residual(i, encoding.coordinate) = model::position_value(encoding.formula, i + 1, n);
    };
    if (right(model, formula, word, format, exact)) return "resolution of position encodings";
    std::vector<Matrix> streams;
    run::Observer keep, compare;
    std::string found = "feed-forward";
    std::size_t at = 0;
    bool parted = false;
    keep.residual = [&](int, Matrix& residual) { streams.push_back(residual); };
    compare.residual = [&](int sublayer, Matrix& residual) {
      const Matrix& ideal = streams[at++];
      if (sublayer % 2 == 0 || parted) return;
      for (const model::Head& head : model.layers[static_cast<std::size_t>(sublayer) / 2].heads)
        for (std::size_t c = 0; c < model.width && !parted; ++c) {
          if (head.o.rows[c].empty()) continue;
          for (std::size_t i = 0; i < n && !parted; ++i)
            if (!(std::fabs(residual(i, c) - ideal(i, c)) <= 0.25)) {
              parted = true;
              found = head.q.is_zero() ? "means (normalisation, counts)"
                                       : "scores of " + head.claim.structure.text() + " heads";
            }
        }
    };
    run::outputs(model, word, {}, keep);
    run::outputs(model, word, {.format = format}, compare);
    return parted ? found : "small differences of means";
  }
  return "";
}

std::vector<Row> measure(const Entry& entry, NumberFormat format, const Settings& settings) {
  const lang::Rule rule = rule_of(entry.rule);
  const auto& formula = std::get<lang::Formula>(rule);
  const model::Transformer model = compiled(entry.rule, entry.recipe);
  // As the engine that is made to fail forms its sums.
  const certify::Finding certified =
      certify::certify(model, certify::Arithmetic::of(format), certify::Summation::normalise_last);
  verify::FailureSearch search;
  search.to = longest_tried(settings);
  search.run.format = format;
  search.seed = settings.seed;
  const std::optional<verify::Failure> failure = verify::find_failure(model, formula, search);
  return {row(kLimit, entry.recipe, entry.rule, to_string(format), certified.length, certified.limiting_head,
              failure ? static_cast<double>(failure->length) : std::nan(""), failure ? failure->family : "",
              failure ? what_breaks(model, formula, format, failure->length, settings.seed) : "", search.to,
              std::nan(""), std::nan(""))};
}

/// Sixty-four scores, one ahead by g, at magnitude 1 … 2, rounded to the format; τ = g/(2·ln(8n)) would make softmax
/// hard.
std::vector<Row> measure_close(NumberFormat format, const Settings& settings) {
  constexpr std::size_t n = 64;
  std::vector<Row> rows;
  std::vector<double> scores(n), weights(n);
  Random random(settings.seed);
  for (int step = -220; step <= 0; step += 2) {
    const double gap = std::exp2(step / 4.0), tau = gap / (2 * std::log(8.0 * n));
    double error = 0;
    for (int trial = 0; trial < 100; ++trial) {
      const double top = 1 + random.unit();
      for (std::size_t j = 0; j < n; ++j) scores[j] = round_to(storage_format(format), j == 0 ? top : top - gap);
      attention::softmax(scores, tau, weights);
      error = std::max(error, 2 * (1 - weights[0]));
    }
    rows.push_back(row(kClose, "", "", to_string(format), "", "", std::nan(""), "", "", "", gap, error));
  }
  return rows;
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Entry& entry : kEntries)
    for (const NumberFormat format : kFormats)
      all.push_back({fmt::format("{} {} {}", entry.recipe, entry.rule, to_string(format)),
                     [&entry, format, settings] { return measure(entry, format, settings); }});
  for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32, NumberFormat::f16, NumberFormat::bf16})
    all.push_back(
        {fmt::format("close {}", to_string(format)), [format, settings] { return measure_close(format, settings); }});
  return all;
}

/// Every pair of recipe and rule in one format: what is certified, and where it first fails.
Panel limits_panel(const std::string& format, const Table& rows, double longest) {
  Panel panel{.title = format + ": certified length, first failure",
              .x = {.label = "length n", .scale = Scale::log2, .low = 1, .high = kUnlimited},
              .y = {.label = ""},
              .height = 400};
  Series certified{.label = "certified", .x = {}, .y = {}, .line = false, .style = 0};
  Series failure{.label = "first failure found", .x = {}, .y = {}, .line = false, .style = 5};
  Series held{.label = fmt::format("none found to {:g}", longest), .x = {}, .y = {}, .line = false, .style = 4};
  Series unlimited{.label = "certified beyond 2²⁴", .x = {}, .y = {}, .line = false, .style = 2};
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const auto at = static_cast<double>(r);
    panel.y.categories.push_back(rows.text(r, "recipe") + " " + rows.text(r, "rule"));
    const double proved = rows.number(r, "certified n");
    Series& promise = proved >= kUnlimited ? unlimited : certified;
    promise.x.push_back(std::clamp(proved, 1.0, kUnlimited));
    promise.y.push_back(at);
    const double first = rows.number(r, "first failure");
    Series& series = std::isnan(first) ? held : failure;
    series.x.push_back(std::isnan(first) ? longest : first);
    series.y.push_back(at);
  }
  panel.series = {certified, unlimited, failure, held};
  return panel;
}

Panel close_panel(const Table& scores) {
  Panel close{.title = "Scores that are close: softmax of 64 rounded scores at τ = gap/(2·ln(8n))",
              .x = {.label = "gap, for scores between 1 and 2", .scale = Scale::log10},
              .y = {.label = "‖hardmax − softmax‖₁, worst of 100", .low = 0, .high = 2.05}};
  for (const std::string& format : scores.distinct("format")) {
    const Table rows = scores.where("format", format);
    close.series.push_back({.label = format, .x = rows.numbers("gap"), .y = rows.numbers("error"), .markers = false});
  }
  return close;
}

/// The first failure over the certified length; NaN where either is not known.
double ratio_of(const Table& limits, std::size_t r) {
  const double certified = limits.number(r, "certified n");
  return certified > 0 ? limits.number(r, "first failure") / certified : std::nan("");
}

Table summary(const Table& limits) {
  Table summary({"recipe", "rule", "format", "certified n", "first failure", "ratio", "words that fail", "what breaks",
                 "limiting head of the certificate"});
  for (std::size_t r = 0; r < limits.rows.size(); ++r)
    summary.rows.push_back(row(limits.text(r, "recipe"), "`" + limits.text(r, "rule") + "`", limits.text(r, "format"),
                               limits.number(r, "certified n"), limits.number(r, "first failure"), ratio_of(limits, r),
                               limits.text(r, "words that fail"), limits.text(r, "what breaks"),
                               limits.text(r, "limiting head")));
  return summary;
}

Finding soundness_finding(const Table& limits, double longest) {
  std::size_t unsound = 0, failing = 0;
  for (std::size_t r = 0; r < limits.rows.size(); ++r) {
    const double first = limits.number(r, "first failure");
    failing += !std::isnan(first);
    unsound += first <= limits.number(r, "certified n");
  }
  return {unsound == 0 ? Verdict::confirmed : Verdict::refuted,
          fmt::format("no certified length is contradicted: of {} pairs of recipe and format {} were made to fail (up "
                      "to n = {:g}), {} of them at or below the certified length.",
                      limits.rows.size(), failing, longest, unsound)};
}

/// How far certified lengths are from first failures, where both are known.
std::optional<Finding> ratio_finding(const Table& limits) {
  std::vector<double> ratios;
  for (std::size_t r = 0; r < limits.rows.size(); ++r)
    if (const double ratio = ratio_of(limits, r); !std::isnan(ratio)) ratios.push_back(ratio);
  if (ratios.empty()) return std::nullopt;
  std::sort(ratios.begin(), ratios.end());
  return Finding{
      Verdict::measured,
      fmt::format(
          "where both are known, the first failure is {:.2g} to {:.2g} times the certified length (median {:.2g}).",
          ratios.front(), ratios.back(), ratios[ratios.size() / 2])};
}

/// What gives way first, most often first.
std::optional<Finding> causes_finding(const Table& limits) {
  std::vector<std::pair<std::string, int>> causes;
  for (std::size_t r = 0; r < limits.rows.size(); ++r) {
    const std::string cause = limits.text(r, "what breaks");
    if (cause.empty() || std::isnan(limits.number(r, "first failure"))) continue;
    const auto known = std::find_if(causes.begin(), causes.end(), [&](const auto& c) { return c.first == cause; });
    if (known == causes.end())
      causes.emplace_back(cause, 1);
    else
      ++known->second;
  }
  if (causes.empty()) return std::nullopt;
  std::sort(causes.begin(), causes.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [cause, count] : causes) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", cause, count);
  return Finding{Verdict::measured,
                 "what gives way first, over the failures up to n = 1024 that show in whole words: " + text + "."};
}

Finding close_finding(const Table& scores) {
  std::string thresholds;
  bool at_the_spacing = true;  // within a factor of 4
  for (const std::string& format : scores.distinct("format")) {
    const Table rows = scores.where("format", format);
    double threshold = 0;
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
      if (rows.number(r, "error") > 0.25) threshold = rows.number(r, "gap");
    const double spacing = std::exp2(1 - storage_format(*number_format_from(format)).precision);
    at_the_spacing = at_the_spacing && threshold >= spacing / 4 && threshold <= 4 * spacing;
    thresholds += fmt::format("{}{} 2^{:.1f}", thresholds.empty() ? "" : ", ", format, std::log2(threshold));
  }
  return {at_the_spacing ? Verdict::confirmed : Verdict::refuted,
          fmt::format("attention is unstable when scores are close, and close means close to the format's spacing: for "
                      "scores of magnitude 1 the error exceeds ¼ for gaps up to {}.",
                      thresholds)};
}

Report report(const Table& table, const Settings& settings) {
  const Table limits = table.where("what", kLimit), scores = table.where("what", kClose);
  const auto longest = static_cast<double>(longest_tried(settings));
  Report report;
  report.figure.panel_width = 560;
  for (const std::string& format : limits.distinct("format"))
    report.figure.panels.push_back(limits_panel(format, limits.where("format", format), longest));
  report.figure.panels.push_back(close_panel(scores));
  report.summary = summary(limits);
  report.findings.push_back(soundness_finding(limits, longest));
  if (const auto finding = ratio_finding(limits)) report.findings.push_back(*finding);
  if (const auto finding = causes_finding(limits)) report.findings.push_back(*finding);
  report.findings.push_back(close_finding(scores));
  return report;
}

}  // namespace of_stability

Experiment stability() {
  using namespace of_stability;
  return {
      .name = "stability",
      .title = "First failures and certified lengths, by recipe and number format",
      .claim =
          "The summary page: temperature functions can become unstable when attention scores are close together; "
          "numerical stability limits are to be evaluated.",
      .method =
          "Each rule is compiled by each recipe (`exact` for words of up to 2^20). `certify` gives the length up to "
          "which the format is provably enough "
          "(for sums in any order, normalised last, as the reference executor forms them); adversarial words of "
          "growing length give a first "
          "failure (`quench verify --find-failure`). A failure is taken apart by running the word again with exact "
          "position encodings, and else by comparing the "
          "residual stream with float64's after every attention. Close scores: 64 scores of magnitude 1 to 2, one "
          "ahead by the gap, rounded to the format.",
      .columns = {"what", "recipe", "rule", "format", "certified n", "limiting head", "first failure",
                  "words that fail", "what breaks", "longest tried", "gap", "error"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
