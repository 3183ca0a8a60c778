// Position encodings with b significant bits, everything else in float64: the longest words that still come out right.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number/rounding.h"
#include "certify/certify.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "lab/report/fit.h"
#include "lab/report/page.h"
#include "oracle/rule.h"
#include "run/reference/reference.h"
#include "verify/find_failure.h"

namespace quench::lab {
namespace of_bounded_precision_pe {

struct Entry {
  const char* name;
  const char* recipe;
  const char* rule;
};
const std::vector<Entry> kEntries = {
    {"since, i/n (15a)", "15a", "(Q_a | Q_b) since Q_b"},     {"since, 1/i (16a)", "16a", "(Q_a | Q_b) since Q_b"},
    {"since, i/N (tight)", "tight", "(Q_a | Q_b) since Q_b"}, {"⊖, i/n and (−1)^i (12a)", "12a", "prev Q_a"},
    {"counts, i and i² (20a)", "20a", "#<[Q_a] >= #<[Q_b]"},  {"counts, 1/i (tight)", "tight", "#<[Q_a] >= #<[Q_b]"},
};

std::size_t longest_tried(const Settings& settings) { return settings.quick ? 256 : 2048; }

class Trial {
 public:
  Trial(const Entry& entry, int bits, std::uint64_t seed)
      : rule_(rule_of(entry.rule)),
        model_(compiled(entry.rule, entry.recipe)),
        executor_(model_),
        format_{bits, -1000, 0x1.fp1000, true},
        seed_(seed) {
    observer_.residual = [this](int sublayer, Matrix& residual) {
      if (sublayer != 0) return;
      for (const model::PositionEncoding& encoding : model_.position_encodings)
        for (std::size_t i = 0; i < residual.rows; ++i)
          residual(i, encoding.coordinate) = round_narrow(format_, residual(i, encoding.coordinate));
    };
  }

  /// Whether all adversarial words of this length come out right at every position.
  bool right(std::size_t n) {
    const std::size_t symbols = lang::alphabet(rule_).size() + 1;
    for (std::size_t family = 0; family < verify::kFamilies; ++family) {
      Word word = verify::adversarial_word(family, symbols, n, seed_ + n);
      for (Symbol& symbol : word)
        if (static_cast<std::size_t>(symbol) + 1 == symbols) symbol = kUnmentioned;
      const Matrix& stream = executor_.run(word, workspace_, observer_);
      const oracle::Values expected = oracle::evaluate(rule_, word);
      for (std::size_t i = 0; i < n; ++i)
        if ((stream(i, model_.output.coordinate) >= 0.5) != (expected[i] != 0)) return false;
    }
    return true;
  }

  /// The last length before a failure: lengths grow by an eighth, then the step in which one failed is bisected.
  std::size_t longest_right(std::size_t longest) {
    std::size_t good = 0;
    for (std::size_t n = 1; n <= longest; n = n < 16 ? n + 1 : std::min(n + n / 8, n < longest ? longest : n + 1)) {
      if (right(n)) {
        good = n;
        continue;
      }
      std::size_t bad = n;
      while (bad - good > 1) {
        const std::size_t middle = good + (bad - good) / 2;
        (right(middle) ? good : bad) = middle;
      }
      return good;
    }
    return longest;
  }

  const model::Transformer& model() const { return model_; }

 private:
  lang::Rule rule_;
  model::Transformer model_;
  run::ReferenceExecutor executor_;
  run::ReferenceExecutor::Workspace workspace_;
  run::Observer observer_;
  FloatFormat format_;
  std::uint64_t seed_;
};

std::vector<Row> measure(const Entry& entry, const Settings& settings) {
  std::vector<Row> rows;
  const std::size_t longest = longest_tried(settings);
  bool reached = false;
  for (int bits = 2; bits <= 24; ++bits) {
    Trial trial(entry, bits, settings.seed);
    const double right = reached ? std::nan("") : static_cast<double>(trial.longest_right(longest));
    reached = reached || right == static_cast<double>(longest);  // more bits do not fail earlier
    const certify::Arithmetic arithmetic{{bits, -1000, 0x1.fp1000, true}, kDouble};
    const certify::Finding certified =
        certify::certify(trial.model(), arithmetic, certify::Summation::normalise_last, std::uint64_t{1} << 40);
    rows.push_back(row(entry.name, entry.recipe, bits, right, reached ? "yes" : "no", certified.length));
  }
  return rows;
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Entry& entry : kEntries)
    all.push_back({entry.name, [&entry, settings] { return measure(entry, settings); }});
  return all;
}

/// The longest right lengths of one choice of encodings, over the bits for which they were measured.
struct Measured {
  std::vector<double> bits, right;
};

Measured measured(const Table& rows) {
  Measured found;
  for (std::size_t r = 0; r < rows.rows.size(); ++r) {
    const double right = rows.number(r, "longest right n");
    if (std::isnan(right)) continue;
    found.bits.push_back(rows.number(r, "bits b"));
    found.right.push_back(right);
  }
  return found;
}

/// The fewest bits with which words of this length come out right.
double bits_for(const Measured& found, double length) {
  for (std::size_t k = 0; k < found.bits.size(); ++k)
    if (found.right[k] >= length) return found.bits[k];
  return std::nan("");
}

/// log₂ n over b, without the shortest lengths and those the search ended at; NaN with fewer than three points.
Line fit(const Measured& found, double longest) {
  std::vector<double> logs;
  for (const double right : found.right)
    logs.push_back(right >= 4 && right < longest ? std::log2(right) : std::nan(""));
  const bool enough = std::count_if(logs.begin(), logs.end(), [](double x) { return !std::isnan(x); }) >= 3;
  return enough ? fit_line(found.bits, logs) : Line{std::nan(""), std::nan("")};
}

Panel measured_panel(const Table& table, double longest) {
  Panel panel{.title = "Longest right length, position encodings with b bits",
              .x = {.label = "bits b of a position encoding"},
              .y = {.label = "longest right n", .scale = Scale::log2, .low = 1}};
  for (const std::string& name : table.distinct("encodings")) {
    const Measured found = measured(table.where("encodings", name));
    panel.series.push_back({.label = name, .x = found.bits, .y = found.right});
  }
  panel.series.push_back(
      {.label = fmt::format("longest tried, {:g}", longest), .x = {2, 24}, .y = {longest, longest}, .reference = true});
  return panel;
}

Panel certified_panel(const Table& table) {
  Panel panel{.title = "Certified length (searched to 2⁴⁰), whole network in b bits",
              .x = {.label = "bits b of the format"},
              .y = {.label = "certified n", .scale = Scale::log2, .low = 1}};
  for (const std::string& name : table.distinct("encodings")) {
    const Table rows = table.where("encodings", name);
    panel.series.push_back(
        {.label = name, .x = rows.numbers("bits b"), .y = rows.numbers("certified n, whole network")});
  }
  return panel;
}

Table summary(const Table& table, double longest) {
  Table summary({"encodings", "exponent s: n ~ 2^(s·b)", "constant: n = 2^(s·b + constant)", "bits for n = 128",
                 "longest tried reached at b"});
  for (const std::string& name : table.distinct("encodings")) {
    const Measured found = measured(table.where("encodings", name));
    const Line line = fit(found, longest);
    summary.rows.push_back(row(name, line.slope, line.intercept, bits_for(found, 128), bits_for(found, longest)));
  }
  return summary;
}

/// The line fitted in a row of the summary.
Line fitted(const Table& summary, std::size_t r) {
  return {to_number(summary.rows[r][1]), to_number(summary.rows[r][2])};
}

double certified_slope(const Table& table, const char* name) {
  const Table rows = table.where("encodings", name);
  std::vector<double> bits, logs;
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    if (rows.number(r, "bits b") >= 12) {
      bits.push_back(rows.number(r, "bits b"));
      logs.push_back(std::log2(rows.number(r, "certified n, whole network")));
    }
  return fit_line(bits, logs).slope;
}

Finding tie_break_finding(const Table& summary) {
  const Line line = fitted(summary, 0);
  return {
      std::fabs(line.slope - 1) < 0.2 ? Verdict::confirmed : Verdict::refuted,
      fmt::format("n ≈ 2^(b−c) for the tie-break i/n: measured n = 2^({:.2f}·b {:+.2f}).", line.slope, line.intercept)};
}

Finding inverse_finding(const Table& table, const Table& summary) {
  const Line line = fitted(summary, 1);
  return {Verdict::measured,
          fmt::format("1/i rounded to b significant bits keeps pace, n = 2^({:.2f}·b {:+.2f}): its neighbours differ "
                      "by 1/i² and its rounding by 2^-b/i. What halves the exponent is the rest of "
                      "the network: with everything in b bits the certified length goes as 2^({:.2f}·b) for i/n and "
                      "2^({:.2f}·b) for 1/i.",
                      line.slope, line.intercept, certified_slope(table, "since, i/n (15a)"),
                      certified_slope(table, "since, 1/i (16a)"))};
}

Finding bits_finding(const Table& summary) {
  const auto bits = [&](std::size_t r) { return shown(summary.rows[r][3]); };
  return {Verdict::measured,
          fmt::format("bits needed for n = 128: i/n {}, 1/i {}, i/N (ours) {}, ⊖ with i/n {}, counts with i and i² {}, "
                      "our counts {}.",
                      bits(0), bits(1), bits(2), bits(3), bits(4), bits(5))};
}

Report report(const Table& table, const Settings& settings) {
  const auto longest = static_cast<double>(longest_tried(settings));
  Report report;
  report.summary = summary(table, longest);
  report.figure.panels = {measured_panel(table, longest), certified_panel(table)};
  report.findings = {tie_break_finding(report.summary), inverse_finding(table, report.summary),
                     bits_finding(report.summary)};
  report.remarks =
      "An empty cell means that no length within reach failed or too few points to fit. The measured column rounds "
      "position "
      "encodings only; the certificate rounds every weight and activation to b bits too, so it may be shorter for two "
      "reasons.";
  return report;
}

}  // namespace of_bounded_precision_pe

Experiment bounded_precision_pe() {
  using namespace of_bounded_precision_pe;
  return {
      .name = "bounded-precision-pe",
      .title = "Position encodings with few bits",
      .claim =
          "The constructions assume exact position encodings; how long a word can be when they have b bits is left "
          "open (the summary page's "
          "next check 2). Expected: n ≈ 2^(b−c).",
      .method =
          "Every position encoding is rounded to b significant bits as it enters the network; weights and arithmetic "
          "stay float64. "
          "Lengths grow by an eighth while twelve families of adversarial words stay right at every position; where "
          "one fails, the step is "
          "bisected. Beside it: the certified length when the whole network is stored in b bits.",
      .columns = {"encodings", "recipe", "bits b", "longest right n", "longest tried reached",
                  "certified n, whole network"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
