// Classic programs of RASP compilers: size and first failing length here, beside what is published of others.
#include <fmt/format.h>

#include <cmath>

#include "lab/catalogue.h"
#include "lab/models.h"
#include "verify/verify.h"

namespace quench::lab {
namespace of_peers {

struct Entry {
  const char* program;
  const char* text;
  std::size_t longest, longest_quick;  ///< lengths tried by the recipe for every length
};
constexpr std::size_t kLongestExact = 1 << 16, kLongestExactQuick = 256;
const std::vector<Entry> kEntries = {
    {"length", "out(i) = rightmost j [true] pos(j) : 0", 256, 64},
    {"sum_mod_2 (formula)", "odd(#<[Q_1])", 1024, 256},
    {"sum_mod_2 (S-RASP)",
     "ones(i) = psum j [j <= i] Q_1(j)\nlast(i) = rightmost j [true] pos(j) : 0\nhalf(i) = pos(i) <= last(i) - pos(i)\n"
     "double(i) = pos(i) + pos(i)\neven(i) = rightmost j [true, half(j), double(j) = ones(i)] true : ones(i) = "
     "0\nout(i) = not even(i)",
     192, 32},
    {"reverse",
     "alphabet {'a', 'b', 'c'}\nlast(i) = rightmost j [true] pos(j) : 0\nsource(i) = last(i) + 1 - pos(i)\n"
     "out(i) = rightmost j [true, pos(j) = source(i)] in(j) : '?'",
     192, 32},
    {"histogram",
     "alphabet {'a', 'b', 'c'}\nas(i) = psum j [true] Q_a(j)\nbs(i) = psum j [true] Q_b(j)\ncs(i) = psum j [true] "
     "Q_c(j)\n"
     "out(i) = Q_a(i) ? as(i) : Q_b(i) ? bs(i) : Q_c(i) ? cs(i) : 0",
     192, 32},
    {"sort",
     "as(i) = psum j [true] Q_a(j)\nbs(i) = psum j [true] Q_b(j)\nout(i) = pos(i) <= as(i) ? 'a' : pos(i) <= as(i) + "
     "bs(i) ? 'b' : 'c'",
     192, 32},
    {"most-frequent",
     "as(i) = psum j [true] Q_a(j)\nbs(i) = psum j [true] Q_b(j)\ncs(i) = psum j [true] Q_c(j)\n"
     "out(i) = as(i) >= bs(i) and as(i) >= cs(i) ? 'a' : bs(i) >= cs(i) ? 'b' : 'c'",
     192, 32},
    {"dyck-1 (formula)",
     "let opened = #<['(']\nlet closed = #<[')']\n#<[closed > opened] = 0 & opened = closed & H ('(' | ')')", 1024,
     128},
};

/// The first length at which some word is answered wrongly: all words up to length 4, then random ones, lengths growing
/// by a half.
std::string first_failure(const model::Transformer& model, const lang::Rule& rule, NumberFormat format,
                          run::Engine engine, std::size_t longest, std::uint64_t seed) {
  verify::Options options;
  options.run.format = format;
  options.seed = seed;
  options.threads = 1;
  options.engine = engine;
  options.exhaustive = 4;
  if (const auto report = verify::verify(model, rule, options); report.counterexample)
    return std::to_string(lang::alphabet(rule).split(report.counterexample->word).size());
  options.exhaustive = 0;
  options.random_count = 12;
  for (std::size_t n = 6; n <= longest; n += n / 2) {
    options.random_length = n;
    if (const auto report = verify::verify(model, rule, options); report.counterexample)
      return std::to_string(lang::alphabet(rule).split(report.counterexample->word).size());
  }
  return fmt::format("none to {}", longest);
}

/// By the recipe for every length, run by the definition; or by `exact`, whose long words take linear time.
std::vector<Row> measure(const Entry& entry, bool exact, const Settings& settings) {
  const lang::Rule rule = rule_of(entry.text);
  const model::Transformer model = compiled(entry.text, exact ? "exact" : "auto");
  const run::Engine engine = exact ? run::Engine::structured : run::Engine::reference;
  const std::size_t longest = exact ? (settings.quick ? kLongestExactQuick : kLongestExact)
                                    : (settings.quick ? entry.longest_quick : entry.longest);
  return {row(entry.program, model.recipe, model.layers.size(), model.head_count(), model.width,
              model.parameter_count(), longest,
              first_failure(model, rule, NumberFormat::f64, engine, longest, settings.seed),
              first_failure(model, rule, NumberFormat::f32, engine, longest, settings.seed))};
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  for (const Entry& entry : kEntries)
    for (const bool exact : {false, true})
      all.push_back({fmt::format("{}{}", entry.program, exact ? " exact" : ""),
                     [&entry, exact, settings] { return measure(entry, exact, settings); }});
  return all;
}

/// Published of other compilers, at their defaults: the last length (or number of ones) that comes out right.
struct Published {
  const char* program;
  const char* compiler;
  double right_to;
};
const std::vector<Published> kPublished = {{"length", "Tracr", 9}, {"sum_mod_2 (formula)", "ALTA", 8}};

/// The last length known to be right.
double right_to(const std::string& failure) {
  constexpr std::string_view kNone = "none to ";
  return failure.starts_with(kNone) ? to_number(failure.substr(kNone.size())) : to_number(failure) - 1;
}

/// The first failure of one network in one format.
struct Outcome {
  std::size_t network;  ///< its row in the table
  std::string format, failure;

  bool failed() const { return !failure.starts_with("none"); }
  double x() const { return std::max(4.0, right_to(failure)); }
  double y() const { return static_cast<double>(network) + (format == "f64" ? -0.16 : 0.16); }
};

std::vector<Outcome> outcomes(const Table& table) {
  std::vector<Outcome> all;
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const char* format : {"f64", "f32"})
      all.push_back({r, format, table.text(r, fmt::format("first failure, {}", format))});
  return all;
}

Series failed_series(const std::vector<Outcome>& all) {
  Series failed{
      .label = "ours, last length before the first failure found", .x = {}, .y = {}, .line = false, .style = 0};
  for (const Outcome& one : all) {
    if (!one.failed()) continue;
    failed.x.push_back(one.x());
    failed.y.push_back(one.y());
  }
  return failed;
}

Series held_series(const std::vector<Outcome>& all, const std::string& format, int style) {
  Series held{.label = "ours, " + format + ", no failure found", .x = {}, .y = {}, .line = false, .style = style};
  for (const Outcome& one : all) {
    if (one.failed() || one.format != format) continue;
    held.x.push_back(one.x());
    held.y.push_back(one.y());
  }
  return held;
}

Series published_series(const Table& table) {
  Series others{.label = "published of other compilers", .x = {}, .y = {}, .line = false, .style = 5};
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    for (const Published& peer : kPublished) {
      if (table.text(r, "program") != peer.program) continue;
      others.x.push_back(peer.right_to);
      others.y.push_back(static_cast<double>(r));
    }
  return others;
}

Panel lengths_panel(const Table& table, const std::vector<Outcome>& all) {
  Panel panel{.title = "Right up to this length (open circles and diamonds: no failure found up to there)",
              .x = {.label = "length n", .scale = Scale::log2, .low = 4},
              .y = {.label = ""}};
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    panel.y.categories.push_back(table.text(r, "program") + (table.text(r, "recipe") == "exact" ? ", exact" : ""));
  panel.series = {held_series(all, "f64", 4), held_series(all, "f32", 3), failed_series(all), published_series(table)};
  return panel;
}

/// What is published of other compilers on this program, or "".
std::string published(const std::string& program) {
  for (const Published& peer : kPublished)
    if (program == peer.program) return fmt::format("{}: right to {}", peer.compiler, peer.right_to);
  return "";
}

Table summary(const Table& table) {
  Table summary({"program", "recipe", "layers", "heads", "width", "parameters", "first failure, f64",
                 "first failure, f32", "published"});
  for (std::size_t r = 0; r < table.rows.size(); ++r)
    summary.rows.push_back(row(table.text(r, "program"), table.text(r, "recipe"), table.number(r, "layers"),
                               table.number(r, "heads"), table.number(r, "width"), table.number(r, "parameters"),
                               table.text(r, "first failure, f64"), table.text(r, "first failure, f32"),
                               published(table.text(r, "program"))));
  return summary;
}

Finding peer_finding(const Published& peer, const Table& rows) {
  const double f64 = right_to(rows.text(0, "first failure, f64")), f32 = right_to(rows.text(0, "first failure, f32"));
  return {f64 > peer.right_to && f32 > peer.right_to ? Verdict::confirmed : Verdict::refuted,
          fmt::format("`{}`: {} is right to {} at its defaults (published); ours to {:g} in float64 and {:g} in "
                      "float32, as far as tried ({}).",
                      peer.program, peer.compiler, peer.right_to, f64, f32, rows.text(0, "longest tried"))};
}

Finding exact_finding(const Published& peer, const Table& rows) {
  return {Verdict::measured, fmt::format("`{}` by `exact`: first failure in float32 {}.", peer.program,
                                         rows.text(1, "first failure, f32"))};
}

Finding failing_finding(const Table& table, const std::vector<Outcome>& all) {
  std::string failing;
  for (const Outcome& one : all)
    if (one.failed())
      failing +=
          fmt::format("{}{} by {} ({}, length {})", failing.empty() ? "" : ", ", table.text(one.network, "program"),
                      table.text(one.network, "recipe"), one.format, one.failure);
  return {Verdict::measured,
          failing.empty() ? fmt::format("none of {} networks fails within the lengths tried, in float64 or float32.",
                                        table.rows.size())
                          : "networks that fail within the lengths tried: " + failing + "."};
}

Report report(const Table& table, const Settings&) {
  const std::vector<Outcome> all = outcomes(table);
  Report report;
  report.summary = summary(table);
  report.figure.columns = 1;
  report.figure.panel_width = 720;
  report.figure.panel_height = 560;
  report.figure.panels = {lengths_panel(table, all)};
  for (const Published& peer : kPublished) {
    const Table rows = table.where("program", peer.program);
    report.findings.push_back(peer_finding(peer, rows));
    report.findings.push_back(exact_finding(peer, rows));
  }
  report.findings.push_back(failing_finding(table, all));
  report.remarks =
      "What is said of other compilers is quoted, not measured here: Tracr's `length` is exact to 9 tokens and ALTA's "
      "`sum_mod_2` to 8 ones, at their defaults.";
  return report;
}

}  // namespace of_peers

Experiment peers() {
  using namespace of_peers;
  return {
      .name = "peers",
      .title = "Classic programs: sizes and first failures",
      .claim =
          "Other RASP compilers emit models that go wrong without notice at modest lengths (Tracr's `length` from 10 "
          "tokens, ALTA's `sum_mod_2` from 9 ones, at defaults).",
      .method =
          "The classic programs are compiled by our default recipes, and by `exact` for words of up to 2^20, and "
          "compared with their direct semantics on all "
          "words up to length 4 and 12 random words per length, lengths growing by "
          "a half, in float64 and float32 (by the definition, but the exact ones in linear time); a failing word is "
          "shrunk. Numbers of other compilers are quoted.",
      .columns = {"program", "recipe", "layers", "heads", "width", "parameters", "longest tried", "first failure, f64",
                  "first failure, f32"},
      .cases = cases,
      .report = report,
  };
}

}  // namespace quench::lab
