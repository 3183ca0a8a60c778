// Time against error: every engine in every format it has, on one attention layer whose result is left unrounded, so
// that its distance from hard attention shows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/error.h"
#include "base/number/random.h"
#include "driver/compile.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "oracle/rule.h"
#include "run/executor.h"

namespace quench::lab {
namespace of_cost_fidelity {

constexpr const char* kRule = "(Q_a | Q_b) since Q_b";

/// The compiled network cut off after its last attention: the output is what the head retrieves, before rounding.
model::Transformer unrounded(double gamma) {
  lower::RecipeOptions options;
  options.recipe = "15a";
  options.gamma = gamma;
  model::Transformer model = driver::compile(rule_of(kRule), options).model;
  model::Layer& last = model.layers.back();
  QUENCH_ASSERT(last.heads.size() == 1);
  for (std::size_t c = 0; c < model.width; ++c)
    if (!last.heads[0].o.rows[c].empty()) model.output.coordinate = static_cast<std::uint32_t>(c);
  last.ffn = {SparseMatrix(0, model.width), {}, SparseMatrix(model.width, 0), std::vector<double>(model.width)};
  return model;
}

struct Engine {
  const char* name;
  run::Engine engine;
  std::vector<NumberFormat> formats;
  std::size_t longest, longest_quick;
};
const std::vector<Engine> kEngines = {
    {"reference",
     run::Engine::reference,
     {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16},
     4096,
     1024},
    {"dense", run::Engine::dense, {NumberFormat::f64, NumberFormat::f32}, 16384, 4096},
    {"structured", run::Engine::structured, {NumberFormat::f64, NumberFormat::f32}, 1 << 20, 1 << 18},
};
constexpr double kGammas[] = {3, 16};

std::vector<Row> measure(const Engine& engine, NumberFormat format, double gamma, std::size_t n,
                         const Settings& settings) {
  const lang::Rule rule = rule_of(kRule);
  const model::Transformer model = unrounded(gamma);
  Random random(settings.seed * 41 + n);
  Word word(n);
  for (Symbol& symbol : word)  // mostly a, so that the last b is some way off; c breaks the chain
    symbol = model.alphabet.find(random.chance(0.9) ? "a" : random.chance(0.5) ? "b" : "c");
  const oracle::Values hard = oracle::evaluate(rule, word);
  const run::Executor executor(model, {.format = format}, engine.engine, false);
  run::Executor::Workspace workspace;
  std::vector<double> outputs;
  double best = HUGE_VAL;
  for (int repetition = 0; repetition < (settings.quick ? 2 : 4); ++repetition) {
    const auto start = std::chrono::steady_clock::now();
    executor.outputs(word, workspace, outputs);
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  double error = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = std::fabs(outputs[i] - static_cast<double>(hard[i]));
    error = std::isnan(off) ? 1 : std::max(error, off);
  }
  return {row(engine.name, to_string(format), gamma, n, best * 1e9 / static_cast<double>(n), error)};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Engine& engine : kEngines)
    for (const NumberFormat format : engine.formats)
      for (const double gamma : kGammas)
        for (std::size_t n = 64; n <= (settings.quick ? engine.longest_quick : engine.longest); n *= 4)
          all.push_back(
              {fmt::format("{} {} {} {}", engine.name, to_string(format), gamma, n),
               [&engine, format, gamma, n, settings] { return measure(engine, format, gamma, n, settings); }});
  return all;
}

/// What one engine measured in one format, over γ and n.
struct EngineRows {
  std::string label;
  Table rows;
  int style;  ///< the same in every panel
};

std::vector<EngineRows> engine_rows(const Table& table) {
  std::vector<EngineRows> all;
  for (const std::string& engine : table.distinct("engine")) {
    const Table of_engine = table.where("engine", engine);
    for (const std::string& format : of_engine.distinct("format"))
      all.push_back({engine + " " + format, of_engine.where("format", format), static_cast<int>(all.size())});
  }
  return all;
}

Panel time_panel(const std::vector<EngineRows>& all) {
  Panel time{.title = "Time per token (γ = 16)",
             .x = {.label = "length n", .scale = Scale::log2},
             .y = {.label = "ns per token", .scale = Scale::log10}};
  for (const EngineRows& one : all) {
    const Table rows = one.rows.where("γ", "16");
    time.series.push_back(
        {.label = one.label, .x = rows.numbers("n"), .y = rows.numbers("ns per token"), .style = one.style});
  }
  return time;
}

Panel error_panel(const std::vector<EngineRows>& all, double longest) {
  Panel error{.title = "Distance from hard attention (γ = 16)",
              .x = {.label = "length n", .scale = Scale::log2},
              .y = {.label = "largest |soft − hard|", .scale = Scale::log10, .low = 1e-8, .high = 2}};
  for (const EngineRows& one : all) {
    const Table rows = one.rows.where("γ", "16");
    error.series.push_back(
        {.label = one.label, .x = rows.numbers("n"), .y = rows.numbers("error"), .style = one.style});
  }
  error.series.push_back(
      {.label = "¼: the most that can be rounded away", .x = {64, longest}, .y = {0.25, 0.25}, .reference = true});
  return error;
}

Panel both_panel(const std::vector<EngineRows>& all) {
  Panel both{.title = "Time against error: every engine, format, γ and length",
             .x = {.label = "ns per token", .scale = Scale::log10},
             .y = {.label = "largest |soft − hard|", .scale = Scale::log10, .low = 1e-8, .high = 2}};
  for (const EngineRows& one : all)
    both.series.push_back({.label = one.label,
                           .x = one.rows.numbers("ns per token"),
                           .y = one.rows.numbers("error"),
                           .line = false,
                           .style = one.style});
  return both;
}

double longest_length(const Table& table) {
  const auto lengths = table.numbers("n");
  return *std::max_element(lengths.begin(), lengths.end());
}

std::string longest_of(const Table& table, const char* engine) {
  return table.where("engine", engine).distinct("n").back();
}

/// The one measurement made so.
Table measured(const Table& table, const char* engine, const char* format, const char* gamma, const std::string& n) {
  return table.where("engine", engine).where("format", format).where("γ", gamma).where("n", n);
}
double error_of(const Table& measurement) { return measurement.number(0, "error"); }
double time_of(const Table& measurement) { return measurement.number(0, "ns per token"); }

Finding gamma_finding(const Table& table) {
  const std::string n = longest_of(table, "reference");  // all engines ran it
  const Table low = measured(table, "structured", "f64", "3", n), high = measured(table, "structured", "f64", "16", n);
  return {Verdict::measured,
          fmt::format("fidelity is not bought with time: at n = {} the largest distance from hard attention falls from "
                      "{:.2g} (γ = 3) to {:.2g} (γ = 16) in float64, at {:.3g} and {:.3g} ns per token (structured).",
                      n, error_of(low), error_of(high), time_of(low), time_of(high))};
}

Finding engine_finding(const Table& table) {
  const std::string n = longest_of(table, "reference");
  const Table reference = measured(table, "reference", "f64", "16", n),
              dense = measured(table, "dense", "f64", "16", n),
              structured = measured(table, "structured", "f64", "16", n);
  return {Verdict::measured,
          fmt::format("nor by faster engines: at n = {} and γ = 16 a token costs {:.3g} ns by the reference, {:.3g} "
                      "dense and {:.3g} structured (float64, one thread), with errors {:.3g}, {:.3g} and {:.3g}.",
                      n, time_of(reference), time_of(dense), time_of(structured), error_of(reference), error_of(dense),
                      error_of(structured))};
}

/// The first length tried at which the error reaches ¼.
std::string first_wrong(const Table& of_format) {
  const Table rows = of_format.where("γ", "16");
  double first = HUGE_VAL;
  for (std::size_t r = 0; r < rows.rows.size(); ++r)
    if (rows.number(r, "error") >= 0.25) first = std::min(first, rows.number(r, "n"));
  return std::isfinite(first) ? fmt::format("{:.0f}", first)
                              : fmt::format("none to {:.0f}", of_format.numbers("n").back());
}

Finding format_finding(const Table& table) {
  std::string wrong;
  for (const std::string& format : table.distinct("format"))
    wrong += (wrong.empty() ? "" : ", ") + format + " " + first_wrong(table.where("format", format));
  const std::string longest = longest_of(table, "structured");
  return {Verdict::measured,
          fmt::format("what costs fidelity is the format: the first length tried at which the error reaches ¼ is, by "
                      "format, {}; at n = {} the structured engine errs by {:.2g} in float64 and {:.2g} in float32.",
                      wrong, longest, error_of(measured(table, "structured", "f64", "16", longest)),
                      error_of(measured(table, "structured", "f32", "16", longest)))};
}

Report report(const Table& table, const Settings&) {
  const std::vector<EngineRows> all = engine_rows(table);
  Report report;
  report.summary = table;
  report.figure.panels = {time_panel(all), error_panel(all, longest_length(table)), both_panel(all)};
  report.findings = {gamma_finding(table), engine_finding(table), format_finding(table)};
  report.remarks =
      "Times are the best of several runs on one thread; they belong to the machine and to what else it was doing, so "
      "compare "
      "orders of magnitude only. Errors do not depend on either.";
  return report;
}

}  // namespace of_cost_fidelity

Experiment cost_fidelity() {
  using namespace of_cost_fidelity;
  return {
      .name = "cost-fidelity",
      .title = "Time against error, by engine and format",
      .claim =
          "The summary page names a trade-off between computational cost and fidelity of hard attention simulation.",
      .method = fmt::format(
          "`{}` by recipe 15a, cut off after its attention, gives what the head retrieves without rounding; hard "
          "attention would retrieve the rule's own 0 or 1. One random word per length runs through "
          "every engine and format at γ = 3 and γ = 16; the error is the largest distance from the rule's value over "
          "all positions, the time the best of several runs.",
          kRule),
      .columns = {"engine", "format", "γ", "n", "ns per token", "error"},
      .cases = cases,
      .report = report,
      .alone = true,
  };
}

}  // namespace quench::lab
