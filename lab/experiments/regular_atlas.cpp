// Regular languages by class: the networks that compute them, how far these are certified, and whether training finds
// such weights.
#include <algorithm>

#include "automata/classify/decision.h"
#include "certified/for_length.h"
#include "certify/certify.h"
#include "driver/compile_automaton.h"
#include "lab/catalogue.h"
#include "lab/regular_atlas_report.h"
#include "lab/regular_languages.h"
#include "model/summary.h"
#include "train/accuracy.h"
#include "train/trainer.h"
#include "verify/verify.h"

namespace quench::lab {
namespace of_regular_atlas {

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
    cells_[static_cast<std::size_t>(std::find(kColumns.begin(), kColumns.end(), column) - kColumns.begin())] =
        cell(value);
    return *this;
  }
  RowOf& set_size(const model::Summary& size) {
    return set("layers", size.layers)
        .set("heads", size.heads)
        .set("width", size.width)
        .set("hidden", size.hidden_units)
        .set("parameters", size.parameters);
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
    all.push_back(
        {language.family + ": " + language.name, [language, settings] {
           return measure({language.family, language.name, rule_of(language.dfa), {}}, !settings.quick, settings);
         }});
  return all;
}

}  // namespace of_regular_atlas

Experiment regular_atlas() {
  using namespace of_regular_atlas;
  return {
      .name = "regular-atlas",
      .title = "An atlas of regular languages",
      .claim =
          "Every regular language is computed by a transformer: of constant depth if its groups are solvable, of depth "
          "log n in any case (Barrington 1989; Straubing 1994; Liu et al. 2023). Both exist as weights that are "
          "certified.",
      .method =
          "Languages of the literature (Tomita, bounded Dyck, flip-flop and others), the regular tasks of Delétang et "
          "al. "
          "2023, word problems of groups, and random automata of every class are classified by their transition "
          "monoid, "
          "compiled by a formula that is proved to be the automaton (one network for every length), and by the "
          "smallest "
          "network that is certified to 2^20 symbols in bfloat16 (`exact`, or `scan` where there is no formula). "
          "Lengths are "
          "certified for any engine. Each network is compared with the automaton at every position of all short and "
          "some "
          "random words. A network of the first one's size (of a scan for the training length where there is no "
          "formula) is "
          "trained for 400 steps on words up to length 20. `--automata DIR` does the same, but for training, with the "
          "automata files of a folder.",
      .columns = kColumns,
      .cases = cases,
      .report = report,
      .input = [](const Settings& settings) { return settings.automata.empty() ? "" : contents_of(settings.automata); },
  };
}

}  // namespace quench::lab
