#include "lab/regular_atlas_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "automata/classify/decision.h"
#include "lab/report/fit.h"
#include "model/certificate.h"

namespace quench::lab::of_regular_atlas {
namespace {

constexpr std::size_t kShown = 120;  // rows of the page; with more languages it has one for each class

const std::vector<automata::LanguageClass> kClasses = {
    automata::LanguageClass::definite,           automata::LanguageClass::reverse_definite,
    automata::LanguageClass::piecewise_testable, automata::LanguageClass::r_trivial,
    automata::LanguageClass::locally_testable,   automata::LanguageClass::da,
    automata::LanguageClass::aperiodic,          automata::LanguageClass::quasi_aperiodic,
    automata::LanguageClass::solvable,           automata::LanguageClass::non_solvable};

/// The rows of networks that there are.
Table networks(const Table& table, const char* network) {
  Table found = table.where("network", network);
  std::erase_if(found.rows, [&](const Row& row) { return row[table.column("layers")].empty(); });
  return found;
}

/// One marker for each network in the row of its class, spread so that equal ones stay visible; nothing below `least`.
Series markers(const Table& table, const char* network, const char* column, const std::string& label, int style,
               double least = 1) {
  Series series{.label = label, .x = {}, .y = {}, .line = false, .style = style};
  for (std::size_t c = 0; c < kClasses.size(); ++c) {
    const Table rows = networks(table, network).where("class", automata::name(kClasses[c]));
    for (std::size_t r = 0; r < rows.rows.size(); ++r) {
      const double golden = 0.618034 * static_cast<double>(r + 1);
      series.x.push_back(std::max(rows.number(r, column), least));
      series.y.push_back(static_cast<double>(c) + 0.6 * (golden - std::floor(golden) - 0.5));
    }
  }
  return series;
}

Panel panel_by_class(const std::string& title, Axis x) {
  Panel panel{.title = title, .x = std::move(x), .y = {.label = ""}};
  for (const automata::LanguageClass one : kClasses) panel.y.categories.emplace_back(automata::name(one));
  return panel;
}

Figure figure_of(const Table& table) {
  Panel layers = panel_by_class("Layers, by class", {.label = "layers", .scale = Scale::log2});
  layers.series = {markers(table, kEveryLength, "layers", "one network for every length, from a formula", 0),
                   markers(table, kExact, "layers", "exact up to 2²⁰ symbols in bfloat16", 3)};
  Panel lengths = panel_by_class("Certified length in float32, one network for every length",
                                 {.label = "length n", .scale = Scale::log2});
  lengths.series = {markers(table, kEveryLength, "f32", "", 0)};
  Figure figure;
  figure.columns = 1;
  figure.panel_width = 760;
  figure.panel_height = 340;
  figure.panels = {layers, lengths};
  if (table.where("network", kTrained).rows.empty()) return figure;
  Panel learnt = panel_by_class(fmt::format("Trained on words up to length {}: words right", kTrainingLength),
                                {.label = "share of words", .low = 0.4, .high = 1.02});
  learnt.series = {markers(table, kTrained, "right", "at that length", 4, 0),
                   markers(table, kTrained, "right at 10 times the length", "at ten times that length", 5, 0)};
  figure.panels.push_back(learnt);
  return figure;
}

std::string size_cell(const Table& rows) {
  if (rows.rows.empty() || rows.text(0, "layers").empty()) return "–";
  return fmt::format("{}/{}/{}", rows.text(0, "layers"), rows.text(0, "heads"), rows.text(0, "width"));
}

std::string length_cell(const Table& rows, const char* format) {
  if (rows.rows.empty() || rows.text(0, format).empty()) return "–";
  return rows.text(0, format) == std::to_string(model::kLongest) ? "any" : rows.text(0, format);
}

Table by_language(const Table& table) {
  Table summary({"language", "class", "states", "monoid", "layers/heads/width", "certified, f32", "bf16",
                 "to 2^20: layers/heads/width", "f64, f32, bf16, f16", "trained: right", "at 10 times the length"});
  for (const std::string& family : table.distinct("family"))
    for (const std::string& name : table.where("family", family).distinct("language")) {
      const Table of = table.where("family", family).where("language", name);
      const Table every = of.where("network", kEveryLength), exact = of.where("network", kExact),
                  trained = of.where("network", kTrained);
      std::string all;
      for (const char* format : {"f64", "f32", "bf16", "f16"})
        all += (all.empty() ? "" : ", ") + length_cell(exact, format);
      const auto share = [&](const char* column) { return trained.rows.empty() ? "" : trained.text(0, column); };
      summary.rows.push_back(row(name, of.text(0, "class"), of.text(0, "states"), of.text(0, "monoid"),
                                 size_cell(every), length_cell(every, "f32"), length_cell(every, "bf16"),
                                 size_cell(exact), all, share("right"), share("right at 10 times the length")));
    }
  return summary;
}

Table by_class(const Table& table) {
  Table summary(
      {"class", "languages", "by a formula", "layers", "heads", "certified, f32", "to 2^20", "layers", "heads"});
  for (const automata::LanguageClass one : kClasses) {
    const Table of = table.where("class", automata::name(one));
    if (of.rows.empty()) continue;
    const Table every = networks(of, kEveryLength), exact = networks(of, kExact);
    const auto middle = [](const Table& rows, const char* column) {
      return rows.rows.empty() ? std::string() : cell(median(rows.numbers(column)));
    };
    summary.rows.push_back(row(automata::name(one), of.where("network", kEveryLength).rows.size(), every.rows.size(),
                               middle(every, "layers"), middle(every, "heads"), middle(every, "f32"), exact.rows.size(),
                               middle(exact, "layers"), middle(exact, "heads")));
  }
  return summary;
}

std::vector<Finding> compiled_findings(const Table& table) {
  const Table every = table.where("network", kEveryLength);
  const auto count = every.rows.size();
  const Table shallow = networks(table, kEveryLength), exact = networks(table, kExact);
  std::size_t solvable = 0, reached = 0, wrong = 0, words = 0;
  for (std::size_t r = 0; r < count; ++r)
    solvable += !every.text(r, "class").empty() &&
                every.text(r, "class") != automata::name(automata::LanguageClass::non_solvable);
  for (std::size_t r = 0; r < exact.rows.size(); ++r)
    reached += std::all_of(kFormats.begin(), kFormats.end(), [&](NumberFormat format) {
      return exact.number(r, to_string(format)) >= static_cast<double>(kLength);
    });
  for (const Table* of : {&shallow, &exact})
    for (std::size_t r = 0; r < of->rows.size(); ++r) {
      wrong += static_cast<std::size_t>(of->number(r, "differences"));
      words += static_cast<std::size_t>(of->number(r, "words"));
    }
  return {
      {shallow.rows.size() == solvable ? Verdict::confirmed : Verdict::refuted,
       fmt::format("of {} languages {} have solvable groups only, and {} of these have one network of constant depth "
                   "for every length, from a formula that is proved to be the automaton; median {:g} layers and {:g} "
                   "heads.",
                   count, solvable, shallow.rows.size(), median(shallow.numbers("layers")),
                   median(shallow.numbers("heads")))},
      {reached == count ? Verdict::confirmed : Verdict::refuted,
       fmt::format("{} of {} have a network that is certified to {} symbols in float64, float32, bfloat16 and "
                   "float16, in any engine; median {:g} layers and {:g} heads.",
                   reached, count, kLength, median(exact.numbers("layers")), median(exact.numbers("heads")))},
      {wrong == 0 ? Verdict::confirmed : Verdict::refuted,
       fmt::format("networks and automata differ on {} of {} words, compared at every position.", wrong, words)}};
}

Finding training_finding(const Table& table) {
  const Table trained = table.where("network", kTrained);
  std::size_t told = 0, learnt = 0, kept = 0;
  for (std::size_t r = 0; r < trained.rows.size(); ++r) {
    if (trained.number(r, "the more common answer") > 0.9) continue;
    ++told;
    const bool good = trained.number(r, "right") >= 0.99;
    learnt += good;
    kept += good && trained.number(r, "right at 10 times the length") >= 0.99;
  }
  return {
      Verdict::measured,
      fmt::format(
          "of {} trained networks of the compiled ones' size, {} of which saw both answers often enough to tell, {} "
          "answer 99 % of words rightly at the training length, {}, and {} of those at ten times that length.",
          trained.rows.size(), told, learnt, kTrainingLength, kept)};
}

}  // namespace

Report report(const Table& table, const Settings& settings) {
  Report report;
  report.figure = figure_of(table);
  report.findings = compiled_findings(table);
  if (!table.where("network", kTrained).rows.empty()) report.findings.push_back(training_finding(table));
  const bool many = table.where("network", kEveryLength).rows.size() > kShown;
  report.summary = many ? by_class(table) : by_language(table);
  report.remarks =
      many
          ? "Sizes and lengths are medians over the class."
          : "Groups are word problems: a letter for each generator, accepted where the product is 1. Sizes are layers, "
            "heads and width; lengths hold in any engine, `any` is no limit below 2^53.";
  if (settings.quick) report.remarks += " With --quick nothing is trained.";
  return report;
}

}  // namespace quench::lab::of_regular_atlas
