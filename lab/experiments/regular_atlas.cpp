// Regular languages by class: the networks that compute them, how far these are certified, and whether training finds
// such weights.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "automata/classify/decision.h"
#include "certified/for_length.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "lab/catalogue.h"
#include "lab/fit.h"
#include "lab/regular_languages.h"
#include "model/summary.h"
#include "train/accuracy.h"
#include "train/trainer.h"
#include "verify/verify.h"

namespace quench::lab {
namespace of_regular_atlas {

constexpr const char* kEveryLength = "every length";
constexpr const char* kExact = "to 2^20";
constexpr const char* kTrained = "trained";
constexpr std::size_t kLength = lower::kExactLength;
constexpr std::size_t kTrainingLength = 20;
constexpr std::size_t kShown = 120;  ///< rows of the page; with more languages it has one for each class
const std::vector<NumberFormat> kFormats = {NumberFormat::f64, NumberFormat::f32, NumberFormat::bf16,
                                            NumberFormat::f16};
const std::vector<std::string> kColumns = {
    "family", "language", "class",      "states", "letters", "monoid", "network", "recipe", "layers",     "heads",
    "width",  "hidden",   "parameters", "f64",    "f32",     "bf16",   "f16",     "words",  "differences", "right",
    "right at 10 times the length", "the more common answer", "why not"};

/// What is the same in all rows of a language.
struct Known {
  std::string family, name;
  lang::Automaton rule;
  automata::Decision decision;
};

/// The row of a network; what is not given stays empty.
class RowOf {
 public:
  RowOf(const Known& known, const char* network) : cells_(kColumns.size()) {
    set("family", known.family);
    set("language", known.name);
    set("class", automata::name(known.decision.language_class));
    set("states", known.decision.states);
    set("letters", known.decision.letters);
    set("monoid", known.decision.monoid);
    set("network", network);
  }
  template <class Value>
  RowOf& set(std::string_view column, const Value& value) {
    cells_[static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin())] = cell(value);
    return *this;
  }
  RowOf& set_size(const model::Summary& size) {
    return set("layers", size.layers).set("heads", size.heads).set("width", size.width).set("hidden", size.hidden_units).set("parameters", size.parameters);
  }
  const Row& cells() const { return cells_; }

 private:
  Row cells_;
};

/// What is certified in any engine, and what some words say.
Row row_of_network(const Known& known, const char* network, const model::Transformer& model, const Settings& settings) {
  RowOf row(known, network);
  row.set("recipe", model.recipe).set_size(model::summary(model));
  for (const NumberFormat format : kFormats)
    row.set(to_string(format),
            certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length);
  verify::Options options;
  options.seed = settings.seed;
  options.threads = 1;
  options.exhaustive = known.rule.dfa.alphabet.size() > 3 ? 3 : 5;
  options.random_count = 20;
  options.random_length = 300;
  const verify::Report report = verify::verify(model, lang::Rule(known.rule), options);
  return row.set("words", report.words).set("differences", report.differences).cells();
}

Row row_without_network(const Known& known, const char* network, const std::string& why) {
  return RowOf(known, network).set("why not", why).cells();
}

/// A network of the compiled one's size: as many layers, and in each the heads that all of them have on average.
train::Options training(const model::Summary& size, const Settings& settings) {
  train::Options options;
  options.layers = std::max<std::size_t>(size.layers, 1);
  options.heads = std::max<std::size_t>((size.heads + options.layers - 1) / options.layers, 1);
  options.width = std::max<std::size_t>(size.width, options.positions.size() + 1);
  options.width += (options.heads - options.width % options.heads) % options.heads;
  options.hidden = std::max<std::size_t>((size.hidden_units + options.layers - 1) / options.layers, 2 * options.width);
  options.length = kTrainingLength;
  options.batch = 16;
  options.steps = 400;
  options.warm_up = 50;
  options.seed = settings.seed;
  return options;
}

Row row_of_training(const Known& known, const model::Transformer& compiled, const Settings& settings) {
  train::Trainer trainer(lang::Rule(known.rule), training(model::summary(compiled), settings));
  trainer.run_until(trainer.options().steps);
  const model::Transformer learnt = trainer.model();
  const std::vector<train::Lesson> near(trainer.held_out().begin(), trainer.held_out().begin() + 300);
  const std::vector<train::Lesson> far = trainer.words().draw_many(settings.seed + 1000, 100, 10 * kTrainingLength);
  const auto accepted = static_cast<double>(
      std::count_if(near.begin(), near.end(), [](const train::Lesson& lesson) { return lesson.labels.back() != 0; }));
  const double share = accepted / static_cast<double>(near.size());
  return RowOf(known, kTrained)
      .set_size(model::summary(learnt))
      .set("right", train::measure_accuracy(learnt, near).of_words())
      .set("right at 10 times the length", train::measure_accuracy(learnt, far).of_words())
      .set("the more common answer", std::max(share, 1 - share))
      .cells();
}

/// The formula with which the network is certified furthest, at every length; none if there is no formula.
std::optional<driver::Compilation> of_constant_depth(const Known& known, std::string& why) {
  try {
    lower::RecipeOptions options;
    options.recipe = "tight";
    return driver::compile(known.rule, options);
  } catch (const DiagnosticError& error) {
    why = error.what();
    return std::nullopt;
  }
}

std::vector<Row> measure(Known known, bool trained, const Settings& settings) {
  known.decision = automata::decide(known.rule.dfa);
  std::vector<Row> rows;
  std::string why;
  const std::optional<driver::Compilation> shallow = of_constant_depth(known, why);
  rows.push_back(shallow ? row_of_network(known, kEveryLength, shallow->model, settings)
                         : row_without_network(known, kEveryLength, why));
  const auto scanned = [&](std::size_t length) {
    lower::RecipeOptions options;
    options.recipe = "scan";
    options.length = length;
    return driver::compile(known.rule, options).model;
  };
  std::optional<model::Transformer> short_scan;
  try {
    rows.push_back(row_of_network(
        known, kExact,
        shallow ? certified::compile_for_length(known.rule, {}, {{}, NumberFormat::bf16}, kLength).compilation.model
                : scanned(kLength),
        settings));
    if (!shallow) short_scan = scanned(kTrainingLength);
  } catch (const DiagnosticError& error) {
    rows.push_back(row_without_network(known, kExact, error.what()));
  }
  if (trained && (shallow || short_scan))
    rows.push_back(row_of_training(known, shallow ? shallow->model : *short_scan, settings));
  return rows;
}

/// A file that cannot be used does not keep the others from being measured.
std::vector<Row> measure_file(const std::filesystem::path& file, const Settings& settings) {
  Known known{"files", file.stem().string(), {}, {}};
  try {
    known.rule = read_automaton_file(file);
    return measure(known, false, settings);
  } catch (const DiagnosticError& error) {
    return {RowOf(known, kEveryLength).set("class", "").set("why not", std::string(error.what())).cells()};
  } catch (const UserError& error) {
    return {RowOf(known, kEveryLength).set("class", "").set("why not", std::string(error.what())).cells()};
  }
}

std::vector<Case> cases(const Settings& settings) {
  std::vector<Case> all;
  if (!settings.automata.empty()) {
    for (const std::filesystem::path& file : automaton_files(settings.automata))
      all.push_back({file.filename().string(), [file, settings] { return measure_file(file, settings); }});
    return all;
  }
  std::vector<RegularLanguage> languages = languages_of_the_field();
  for (RegularLanguage& random : random_regular_languages(settings.seed, settings.quick ? 2 : 5))
    languages.push_back(std::move(random));
  for (const RegularLanguage& language : languages)
    all.push_back({language.family + ": " + language.name, [language, settings] {
                     return measure({language.family, language.name, rule_of(language.dfa), {}}, !settings.quick,
                                    settings);
                   }});
  return all;
}

// ------------------------------------------------------------------------------------------------------- the report

const std::vector<automata::LanguageClass> kClasses = {
    automata::LanguageClass::definite,         automata::LanguageClass::reverse_definite,
    automata::LanguageClass::piecewise_testable, automata::LanguageClass::r_trivial,
    automata::LanguageClass::locally_testable, automata::LanguageClass::da,
    automata::LanguageClass::aperiodic,        automata::LanguageClass::quasi_aperiodic,
    automata::LanguageClass::solvable,         automata::LanguageClass::non_solvable};

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
  Panel lengths = panel_by_class("Certified length in float32, one network for every length", {.label = "length n", .scale = Scale::log2});
  lengths.series = {markers(table, kEveryLength, "f32", "", 0)};
  Figure figure;
  figure.columns = 1;
  figure.panel_width = 760;
  figure.panel_height = 340;
  figure.panels = {layers, lengths};
  if (table.where("network", kTrained).rows.empty()) return figure;
  Panel learnt = panel_by_class(fmt::format("Trained on words up to length {}: words right", kTrainingLength), {.label = "share of words", .low = 0.4, .high = 1.02});
  learnt.series = {
      markers(table, kTrained, "right", "at that length", 4, 0),
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
  return rows.text(0, format) == std::to_string(certify::kLongest) ? "any" : rows.text(0, format);
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
      for (const char* format : {"f64", "f32", "bf16", "f16"}) all += (all.empty() ? "" : ", ") + length_cell(exact, format);
      const auto share = [&](const char* column) { return trained.rows.empty() ? "" : trained.text(0, column); };
      summary.rows.push_back(row(name, of.text(0, "class"), of.text(0, "states"), of.text(0, "monoid"),
                                 size_cell(every), length_cell(every, "f32"), length_cell(every, "bf16"),
                                 size_cell(exact), all, share("right"), share("right at 10 times the length")));
    }
  return summary;
}

Table by_class(const Table& table) {
  Table summary({"class", "languages", "by a formula", "layers", "heads", "certified, f32", "to 2^20", "layers", "heads"});
  for (const automata::LanguageClass one : kClasses) {
    const Table of = table.where("class", automata::name(one));
    if (of.rows.empty()) continue;
    const Table every = networks(of, kEveryLength), exact = networks(of, kExact);
    const auto middle = [](const Table& rows, const char* column) {
      return rows.rows.empty() ? std::string() : cell(median(rows.numbers(column)));
    };
    summary.rows.push_back(row(automata::name(one), of.where("network", kEveryLength).rows.size(), every.rows.size(),
                               middle(every, "layers"), middle(every, "heads"), middle(every, "f32"),
                               exact.rows.size(), middle(exact, "layers"), middle(exact, "heads")));
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
  return {{shallow.rows.size() == solvable ? Verdict::confirmed : Verdict::refuted,
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
  return {Verdict::measured,
          fmt::format("of {} trained networks of the compiled ones' size, {} of which saw both answers often enough to tell, {} "
                      "answer 99 % of words rightly at the training length, {}, and {} of those at ten times that length.",
                      trained.rows.size(), told, learnt, kTrainingLength, kept)};
}

Report report(const Table& table, const Settings& settings) {
  Report report;
  report.figure = figure_of(table);
  report.findings = compiled_findings(table);
  if (!table.where("network", kTrained).rows.empty()) report.findings.push_back(training_finding(table));
  const bool many = table.where("network", kEveryLength).rows.size() > kShown;
  report.summary = many ? by_class(table) : by_language(table);
  report.remarks =
      many ? "Sizes and lengths are medians over the class."
           : "Groups are word problems: a letter for each generator, accepted where the product is 1. Sizes are layers, "
             "heads and width; lengths hold in any engine, `any` is no limit below 2^53.";
  if (settings.quick) report.remarks += " With --quick nothing is trained.";
  return report;
}

}  // namespace of_regular_atlas

Experiment regular_atlas() {
  using namespace of_regular_atlas;
  return {
      .name = "regular-atlas",
      .title = "An atlas of regular languages",
      .claim =
          "Every regular language is computed by a transformer: of constant depth if its groups are solvable, of depth "
          "log n in any case (Barrington 1989; Straubing 1994; Liu et al. 2023). Both exist as weights that are certified.",
      .method =
          "Languages of the literature (Tomita, bounded Dyck, flip-flop and others), the regular tasks of Delétang et al. "
          "2023, word problems of groups, and random automata of every class are classified by their transition monoid, "
          "compiled by a formula that is proved to be the automaton (one network for every length), and by the smallest "
          "network that is certified to 2^20 symbols in bfloat16 (`exact`, or `scan` where there is no formula). Lengths are "
          "certified for any engine. Each network is compared with the automaton at every position of all short and some "
          "random words. A network of the first one's size (of a scan for the training length where there is no formula) is "
          "trained for 400 steps on words up to length 20. `--automata DIR` does the same, but for training, with the "
          "automata files of a folder.",
      .columns = kColumns,
      .cases = cases,
      .report = report,
      .input = [](const Settings& settings) { return settings.automata.empty() ? "" : contents_of(settings.automata); },
  };
}

}  // namespace quench::lab
