// quench verify: a model against its rule, on all short words and on random long ones.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/random_words.h"
#include "cli/arguments/run_options.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/commands/prove/campaign.h"
#include "cli/commands/prove/prove.h"
#include "cli/output/progress.h"
#include "driver/compile_automaton.h"
#include "model/file.h"
#include "model/file/strict_json.h"
#include "verify/find_failure.h"
#include "verify/gap.h"
#include "verify/verify.h"
#include "verify/words/workload.h"

namespace quench::cli {
namespace {

struct VerifyCommand {
  SourceArguments source;
  CompileArguments compile;
  RunArguments run;
  int exhaustive = -1;
  std::string random;
  std::uint64_t seed = 1;
  int threads = 0;
  bool find_failure = false, gap = false, prove = false;
  std::size_t shortest = 1, longest = 100'000;
  bool strict = false, json = false;
  CampaignArguments campaign;
};

/// A Boolean as a number, anything else as text.
nlohmann::ordered_json answer_value(const std::string& text, bool boolean) {
  if (boolean) return text == "1" ? 1 : 0;
  return text;
}

/// On all words up to a length of which there are at most 20,000, and on 30 random ones up to length 64.
std::vector<verify::HeadGap> measure_gaps(const VerifyCommand& command, const model::Transformer& model) {
  const std::size_t symbols = model.alphabet.size() + 1;
  verify::Options options;
  while (options.exhaustive < 12 && verify::count_words(symbols, options.exhaustive + 1) <= 20'000)
    ++options.exhaustive;
  options.random_count = 30;
  options.random_length = 64;
  options.seed = command.seed;
  const verify::Workload workload(symbols, options);
  verify::GapMeasurement measurement(model);
  for (std::uint64_t task = 0; task < workload.tasks(); ++task)
    for (Word word : workload.words(task)) {
      for (Symbol& s : word) s = s == static_cast<Symbol>(model.alphabet.size()) ? kUnmentioned : s;
      measurement.take(word);
    }
  return measurement.heads();
}

nlohmann::ordered_json gaps_json(const std::vector<verify::HeadGap>& gaps) {
  auto json = nlohmann::ordered_json::array();
  for (const verify::HeadGap& one : gaps)
    json.push_back({{"layer", one.layer},
                    {"head", one.head},
                    {"name", one.name},
                    {"lemma", one.lemma},
                    {"gap", one.measured ? nlohmann::ordered_json(one.gap) : nlohmann::ordered_json(nullptr)},
                    {"gap_n3", one.measured ? nlohmann::ordered_json(one.times_n3) : nlohmann::ordered_json(nullptr)},
                    {"n", one.length}});
  return json;
}

std::string gaps_text(const std::vector<verify::HeadGap>& gaps) {
  std::string text =
      fmt::format("{:<7}{:<20}{:<10}{:>14}{:>14}{:>6}\n", "head", "name", "lemma", "smallest gap", "gap*n^3", "at n");
  for (const verify::HeadGap& one : gaps)
    text += fmt::format("{:<7}{:<20}{:<10}{:>14.6g}{:>14.6g}{:>6}\n", fmt::format("{}.{}", one.layer, one.head),
                        printable(one.name, kShownName), printable(one.lemma), one.gap, one.times_n3, one.length);
  return text;
}

std::string report_json(const verify::Report& report, bool boolean,
                        const std::optional<std::vector<verify::HeadGap>>& gaps) {
  nlohmann::ordered_json json;
  json["words"] = report.words;
  json["positions"] = report.positions;
  json["differences"] = report.differences;
  json["counterexample"] = nullptr;
  if (const auto& found = report.counterexample)
    json["counterexample"] = {{"word", found->word},
                              {"position", found->position},
                              {"expected", answer_value(found->expected, boolean)},
                              {"got", answer_value(found->got, boolean)}};
  if (gaps) json["gaps"] = gaps_json(*gaps);
  return json.dump() + "\n";
}

std::string report_text(const verify::Report& report, int exhaustive) {
  std::string text = fmt::format("{} words (all up to length {}), {} positions, {} differences\n", report.words,
                                 exhaustive, report.positions, report.differences);
  if (const auto& found = report.counterexample)
    text += fmt::format("counterexample: '{}' at position {}: the rule says {}, the model {}\n", found->word,
                        found->position, found->expected, found->got);
  return text;
}

/// The smallest length at which adversarial words really fail.
void search_failure(const VerifyCommand& command, const model::Transformer& model, const lang::Rule& rule) {
  verify::FailureSearch search;
  search.from = command.shortest;
  search.to = std::max(command.shortest, command.longest);
  search.seed = command.seed;
  search.run = command.run.options();
  search.structured = command.run.engine() == run::Engine::structured;
  if (search.structured && search.run.format != NumberFormat::f32)
    throw UserError("--find-failure knows the engine structured in f32 only; leave out --engine for the reference");
  verify::FailureReport report;
  {
    Progress progress("searching");
    search.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    report = verify::search_failure(model, rule, search);
  }
  const std::optional<verify::Failure>& failure = report.failure;
  nlohmann::ordered_json json;
  json["dtype"] = to_string(search.run.format);
  json["engine"] = search.structured ? "structured" : "reference";
  json["searched"] = report.searched;
  json["words"] = report.words;
  json["positions"] = report.positions;
  json["failure"] = nullptr;
  if (failure)
    json["failure"] = {{"length", failure->length},
                       {"position", failure->position},
                       {"expected", answer_value(failure->expected, lang::output_sort(rule) == lang::Sort::boolean)},
                       {"got", answer_value(failure->got, lang::output_sort(rule) == lang::Sort::boolean)},
                       {"words", failure->family},
                       {"seen", failure->whole ? "whole word" : "row"}};
  json["unknown_from"] = nullptr;
  if (report.unknown_from != 0) json["unknown_from"] = report.unknown_from;
  if (command.json)
    print(json.dump() + "\n");
  else if (failure)
    print(fmt::format("first failure found in {}: n = {} at position {} ({}{})\n", to_string(search.run.format),
                      failure->length, failure->position, failure->family,
                      failure->whole ? "" : "; computed row by row from exact inputs"));
  else
    print(fmt::format("no failure found in {} up to n = {} ({} words, {} positions)\n", to_string(search.run.format),
                      report.searched, report.words, report.positions));
  if (report.unknown_from != 0 && !command.json)
    print(fmt::format("from n = {} on some words could not be judged: not even f64 evaluates the ideal network\n",
                      report.unknown_from));
  if (failure) throw NegativeFinding();
}

void run(VerifyCommand& command) {
  if (!command.campaign.campaign.empty()) {
    if (command.source.given_more()) throw UserError("--campaign says which rules are tried; leave out the other");
    return run_campaign(campaign::load_campaign(command.campaign.campaign), command.campaign,
                        *campaign::crew_of_threads(command.threads), command.json);
  }
  if (!command.campaign.journal.empty() || command.campaign.retry)
    throw UserError("--journal and --retry are for campaigns (--campaign)");
  command.compile.choose_in(command.run.options().format);
  const LoadedModel loaded = take_model(command.source, command.compile);
  // Without a rule a model is held to the one that it names.
  const Source source = command.source.given_more() ? command.source.take_source()
                        : loaded.source
                            ? *loaded.source
                            : Source{"the model's source", loaded.model.source, {}, command.source.limits()};
  const lang::Rule rule = source.rule();
  if (const auto rest = command.source.take_rest(); !rest.empty())
    throw UserError("verify takes a model and a rule; there is no use for " + model::in_quotes(rest.front()));
  if (command.prove) return prove(loaded, rule, command.source.limits(), command.json);
  if (command.find_failure) {
    const lang::Rule settled =
        driver::settled(rule, command.compile.options(), {command.source.limits(), NumberFormat::f32});
    return search_failure(command, loaded.model, settled);
  }
  verify::Options options;
  const bool nothing_asked = command.exhaustive < 0 && command.random.empty();
  options.mentioned_only = command.strict;
  options.exhaustive = nothing_asked
                           ? verify::usual_exhaustive(verify::symbol_count(loaded.model, rule, command.strict))
                           : std::max(command.exhaustive, 0);
  if (!command.random.empty() || nothing_asked) {
    const RandomWords words = parse_random_words(nothing_asked ? "200x200" : command.random);
    options.random_count = words.count;
    options.random_length = words.length;
  }
  options.seed = command.seed;
  options.threads = command.threads;
  options.run = command.run.options();
  options.engine = command.run.engine();
  verify::Report report;
  {
    Progress progress("verifying");
    options.progress = [&](std::uint64_t done, std::uint64_t total) { progress.update(done, total); };
    report = verify::verify(loaded.model, rule, options);
  }
  std::optional<std::vector<verify::HeadGap>> gaps;
  if (command.gap) gaps = measure_gaps(command, loaded.model);
  print(command.json ? report_json(report, lang::output_sort(rule) == lang::Sort::boolean, gaps)
                     : report_text(report, options.exhaustive));
  if (gaps && !command.json) print(gaps_text(*gaps));
  if (report.differences > 0) throw NegativeFinding();
}

}  // namespace

void add_verify(App& program) {
  App* app = program.add_subcommand("verify", "Compare a model with its rule at every position of many words");
  auto command = std::make_shared<VerifyCommand>();
  command->source.add_to(*app, "MODEL", "[SOURCE]");
  command->compile.add_to(*app);
  command->run.add_to(*app);
  app->add_option("--exhaustive", command->exhaustive, "All words up to this length")
      ->type_name("L")
      ->check(whole_number(0, 64));
  app->add_option("--random", command->random, "Random words up to a length, such as 1000x200")
      ->type_name("COUNTxLENGTH");
  app->add_flag("--strict", command->strict, "Only words of symbols that the model or the rule mentions");
  app->add_flag("--find-failure", command->find_failure, "Search adversarial words for the smallest length that fails");
  app->add_flag("--prove", command->prove,
                "Prove that what the weights were made from is the rule, for words of all lengths (regular rules)");
  app->add_option("--shortest", command->shortest, "Of --find-failure: the least length tried")
      ->type_name("N")
      ->check(whole_number(1, 1 << 24))
      ->capture_default_str();
  app->add_option("--longest", command->longest, "Of --find-failure: the greatest length tried")
      ->type_name("N")
      ->check(whole_number(1, 1 << 24))
      ->capture_default_str();
  app->add_flag("--gap", command->gap,
                "Measure how far each sharp head's greatest score is ahead, with hard attention");
  app->add_option("--seed", command->seed, "Of the random words")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
  app->add_option("--threads", command->threads, "0: all cores")->type_name("T")->check(thread_count());
  command->campaign.add_to(*app);
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->describe_json(
      "`{\"words\",\"positions\",\"differences\",\"counterexample\":null|{\"word\",\"position\",\"expected\",\"got\"}}`"
      "; the last two "
      "are 0 or 1 for rules that accept or reject, and a text for others. With `--gap` also "
      "`\"gaps\":[{\"layer\",\"head\",\"name\","
      "\"lemma\",\"gap\"|null,\"gap_n3\"|null,\"n\"}…]`, null where no score was behind another. With `--find-failure` "
      "`{\"dtype\",\"engine\",\"searched\",\"words\",\"positions\",\"failure\":null|{\"length\",\"position\","
      "\"expected\",\"got\","
      "\"words\",\"seen\"},\"unknown_from\":N|null}`: from that length on some words could not be judged. With "
      "`--prove` `{\"proved\",\"recipe\",\"counterexample\":null|{…as above}}`. With `--campaign` "
      "`{\"campaign\",\"task\",\"seed\",\"pieces\",\"done\",\"not_covered\",\"errors\",\"total\":{…},\"cells\":[{"
      "\"rules\",\"recipe\","
      "\"dtype\",\"engine\",\"models\",\"uncertified\",\"words\",\"positions\",\"failures\",\"differences\","
      "\"shortest\"|null,"
      "\"longest\"|null}…],\"remarks\":[{\"piece\",\"text\"}…]}`.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
