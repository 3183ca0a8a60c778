// Time against error: every engine in every format it has, on a network whose output is a number, so that its error
// shows.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/random.h"
#include "lab/catalogue.h"
#include "lab/models.h"
#include "oracle/rule.h"
#include "run/executor.h"

namespace quench::lab {
namespace {

// How many a's so far: an integer leaves the network as x/n, unrounded.
constexpr const char* kCount = "as(i) = psum j [j <= i] Q_a(j)\nout(i) = as(i)";

struct Engine {
  const char* name;
  run::Engine engine;
  std::vector<NumberFormat> formats;
};
const std::vector<Engine> kEngines = {
    {"reference",
     run::Engine::reference,
     {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16, NumberFormat::f16}},
    {"dense", run::Engine::dense, {NumberFormat::f64, NumberFormat::f32}},
    {"structured", run::Engine::structured, {NumberFormat::f64, NumberFormat::f32}},
};

std::vector<Row> measure(const Engine& engine, NumberFormat format, std::size_t n, const Settings& settings) {
  const lang::Rule rule = rule_of(kCount);
  const model::Transformer model = compiled(kCount);
  Random random(settings.seed * 41 + n);
  Word word(n);
  for (Symbol& symbol : word) symbol = random.chance(0.5) ? model.alphabet.find("a") : kUnmentioned;
  const oracle::Values exact = oracle::evaluate(rule, word);
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
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double off = std::fabs(outputs[i] * static_cast<double>(n) - static_cast<double>(exact[i]));
    error = std::isnan(off) ? HUGE_VAL : std::max(error, off);
    wrong += !(off < 0.5);
  }
  return {row(engine.name, to_string(format), n, best * 1e9 / static_cast<double>(n), error,
              static_cast<double>(wrong) / static_cast<double>(n))};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Engine& engine : kEngines)
    for (const NumberFormat format : engine.formats)
      for (std::size_t n = 64; n <= (engine.engine == run::Engine::structured ? (settings.quick ? 1u << 14 : 1u << 20)
                                     : engine.engine == run::Engine::dense    ? (settings.quick ? 2048u : 16384u)
                                                                              : (settings.quick ? 512u : 4096u));
           n *= 4)
        all.push_back({fmt::format("{} {} {}", engine.name, to_string(format), n),
                       [&engine, format, n, settings] { return measure(engine, format, n, settings); }});
  return all;
}

Report report(const Table& table, const Settings&) {
  Report report;
  Panel time{.title = "Time per token",
             .x = {.label = "length n", .scale = Scale::log2},
             .y = {.label = "ns per token", .scale = Scale::log10}};
  Panel error{.title = "Largest error of the count",
              .x = {.label = "length n", .scale = Scale::log2},
              .y = {.label = "error (counts; below ½ rounds right)", .scale = Scale::log10}};
  Panel both{.title = "Time against error, each point one length",
             .x = {.label = "ns per token", .scale = Scale::log10},
             .y = {.label = "error (counts)", .scale = Scale::log10}};
  int style = 0;
  for (const std::string& engine : table.distinct("engine"))
    for (const std::string& format : table.where("engine", engine).distinct("format")) {
      const Table rows = table.where("engine", engine).where("format", format);
      const std::string label = engine + " " + format;
      const auto n = rows.numbers("n"), ns = rows.numbers("ns per token"), off = rows.numbers("largest error");
      time.series.push_back({.label = label, .x = n, .y = ns, .style = style});
      error.series.push_back({.label = label, .x = n, .y = off, .style = style});
      both.series.push_back({.label = label, .x = ns, .y = off, .style = style});
      ++style;
    }
  Series half{.label = "½", .x = {64, 1 << 20}, .y = {0.5, 0.5}, .reference = true};
  error.series.push_back(half);
  report.figure.panels = {time, error, both};
  report.summary = table;

  const auto at = [&](const char* engine, const char* format, const std::string& n, const char* column) {
    const Table rows = table.where("engine", engine).where("format", format).where("n", n);
    return rows.rows.empty() ? std::nan("") : rows.number(0, column);
  };
  const std::string shared = table.where("engine", "reference").distinct("n").back();
  const std::string longest = table.where("engine", "structured").distinct("n").back();
  report.findings.push_back(
      {Verdict::measured,
       fmt::format("at n = {} a token costs {:.3g} ns by the reference, {:.3g} dense and {:.3g} structured (float64, "
                   "one thread), with largest errors {:.2g}, {:.2g} and {:.2g}: "
                   "the fast engines are not less exact.",
                   shared, at("reference", "f64", shared, "ns per token"), at("dense", "f64", shared, "ns per token"),
                   at("structured", "f64", shared, "ns per token"), at("reference", "f64", shared, "largest error"),
                   at("dense", "f64", shared, "largest error"), at("structured", "f64", shared, "largest error"))});
  report.findings.push_back(
      {Verdict::measured,
       fmt::format(
           "the structured engine's cost per token at n = {} is {:.3g} ns, {:.2g} times that at n = 64: linear time.",
           longest, at("structured", "f64", longest, "ns per token"),
           at("structured", "f64", longest, "ns per token") / at("structured", "f64", "64", "ns per token"))});
  std::string first_wrong;
  for (const std::string& format : table.distinct("format")) {
    std::string from = "none tried";
    for (const std::string& engine : table.distinct("engine")) {
      const Table rows = table.where("engine", engine).where("format", format);
      for (std::size_t r = 0; r < rows.rows.size() && from == "none tried"; ++r)
        if (rows.number(r, "largest error") >= 0.5) from = "n = " + rows.text(r, "n");
    }
    first_wrong += (first_wrong.empty() ? "" : ", ") + format + " " + from;
  }
  report.findings.push_back(
      {Verdict::measured, fmt::format("first tried length at which some count is off by ½ or more: {}.", first_wrong)});
  report.remarks =
      "Times are the best of several runs on one thread and belong to the machine and its load; errors do not.";
  return report;
}

}  // namespace

Experiment cost_fidelity() {
  return {
      .name = "cost-fidelity",
      .title = "Time against error, by engine and format",
      .claim =
          "The summary page names a trade-off between computational cost and fidelity of hard attention simulation.",
      .method =
          "The program that counts a's so far, compiled by our S-RASP recipe (temperature 1/(n³ ln(n+1))), gives its "
          "answer as x/n without rounding. One random word per length runs through "
          "every engine and format; the error is the largest |n·y − x| over all positions, the time the best of "
          "several runs.",
      .columns = {"engine", "format", "n", "ns per token", "largest error", "share of counts wrong"},
      .cases = cases,
      .report = report,
      .alone = true,
  };
}

}  // namespace quench::lab
