// quench harden: soft attention replaced by hard attention, and what that changes.
#include "train/harden.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text/utf8.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "model/file.h"
#include "model/file/strict_json.h"
#include "train/accuracy.h"

namespace quench::cli {
namespace {

struct HardenCommand {
  SourceArguments source;
  CompileArguments compile;
  std::string output, rule_file, to = "auto";
  std::size_t count = 500, length = 40;
  std::uint64_t seed = 1;
  bool json = false;
};

struct Result {
  train::Hardening hardening;
  train::Accuracy agreement;                  ///< of hard with soft
  std::optional<train::Accuracy> soft, hard;  ///< with the rule
};

std::optional<lang::Rule> take_rule(HardenCommand& command, const LoadedModel& loaded) {
  std::optional<lang::Rule> rule;
  if (!command.rule_file.empty()) {
    rule = Source{command.rule_file, read_rule(command.rule_file), {}, command.source.limits(), command.source.linted()}
               .rule();
  } else if (command.source.given_more()) {
    rule = command.source.take_source().rule();
  } else if (loaded.rule) {
    rule = *loaded.rule;
  }
  if (const auto rest = command.source.take_rest(); !rest.empty())
    throw UserError("harden takes a model and a rule; there is no use for " + model::in_quotes(rest.front()));
  return rule;
}

/// Words the rule labels, written in the model's alphabet.
std::vector<train::Lesson> lessons_of(const lang::Rule& rule, const Alphabet& alphabet, const HardenCommand& command) {
  auto lessons = train::WordSource(rule, false).draw_many(command.seed, command.count, command.length);
  for (train::Lesson& lesson : lessons)
    for (Symbol& symbol : lesson.word)
      if (symbol != kUnmentioned)
        symbol = alphabet.find(lang::alphabet(rule).symbols()[static_cast<std::size_t>(symbol)]);
  return lessons;
}

std::vector<Word> random_words(const Alphabet& alphabet, const HardenCommand& command) {
  std::vector<Word> words;
  Random random(command.seed);
  for (std::size_t index = 0; index < command.count; ++index)
    words.push_back(random_word(random, alphabet.size(), alphabet.size() < 2, command.length));
  return words;
}

Result work(const model::Transformer& model, const std::optional<lang::Rule>& rule, const HardenCommand& command) {
  std::vector<train::Lesson> lessons;
  std::vector<Word> words;
  if (rule) {
    lessons = lessons_of(*rule, model.alphabet, command);
    for (const train::Lesson& lesson : lessons) words.push_back(lesson.word);
  } else {
    words = random_words(model.alphabet, command);
  }
  Result result{train::harden(model, words, weighting_from(command.to)), {}, {}, {}};
  result.agreement = train::measure_accuracy(result.hardening.model, train::label_by(model, words));
  if (rule) result.soft = train::measure_accuracy(model, lessons);
  if (rule) result.hard = train::measure_accuracy(result.hardening.model, lessons);
  return result;
}

nlohmann::ordered_json share_json(const train::Accuracy& accuracy) {
  return {{"words", accuracy.of_words()}, {"positions", accuracy.of_positions()}};
}

std::string report_json(const Result& result) {
  nlohmann::ordered_json json;
  json["heads"] = nlohmann::ordered_json::array();
  for (const train::HardenedHead& head : result.hardening.heads)
    json["heads"].push_back({{"layer", head.index.layer},
                             {"head", head.index.head},
                             {"weighting", to_string(head.weighting)},
                             {"distance", head.distance},
                             {"tied", head.tied}});
  json["words"] = result.agreement.words;
  json["agreement"] = share_json(result.agreement);
  json["soft"] = nullptr;
  json["hard"] = nullptr;
  if (result.soft) json["soft"] = share_json(*result.soft);
  if (result.hard) json["hard"] = share_json(*result.hard);
  return json.dump() + "\n";
}

std::string report_text(const Result& result) {
  std::string text =
      fmt::format("{:>6}{:>6}  {:<10}{:>10}{:>10}  {}\n", "layer", "head", "weighting", "distance", "tied", "name");
  for (const train::HardenedHead& head : result.hardening.heads)
    text += fmt::format("{:>6}{:>6}  {:<10}{:>10.4f}{:>8.1f} %  {}\n", head.index.layer, head.index.head,
                        to_string(head.weighting), head.distance, 100 * head.tied, printable(head.name, kShownName));
  const auto line = [&](const char* what, const train::Accuracy& accuracy) {
    text += fmt::format("{:<24}{:>6.1f} % of {} words, {:>6.1f} % of {} positions\n", what, 100 * accuracy.of_words(),
                        accuracy.words, 100 * accuracy.of_positions(), accuracy.positions);
  };
  line("hard says as soft", result.agreement);
  if (result.soft) line("soft says as the rule", *result.soft);
  if (result.hard) line("hard says as the rule", *result.hard);
  return text;
}

void run(HardenCommand& command) {
  check_output(command.output, model_output());
  const LoadedModel loaded = take_model(command.source, command.compile);
  const std::optional<lang::Rule> rule = take_rule(command, loaded);
  const Result result = work(loaded.model, rule, command);
  if (!command.output.empty()) model::save(result.hardening.model, command.output);
  print(command.json ? with_written(report_json(result), files_of({command.output})) : report_text(result));
  if (!command.output.empty() && !command.json) print(written_text({command.output}));
}

}  // namespace

void add_harden(App& program) {
  App* app = program.add_subcommand("harden", "Replace soft attention by hard attention and say what changes");
  auto command = std::make_shared<HardenCommand>();
  command->source.add_to(*app, "MODEL", "[SOURCE]");
  command->compile.add_to(*app, LengthOption::its_own);
  app->add_option("-o,--output", command->output, "Write the hard model here (.safetensors)")->type_name("FILE");
  app->add_option("--source", command->rule_file, "The rule, to compare both models with")->type_name("SOURCE");
  app->add_option("--to", command->to, "auto: ties are shared, unique maxima taken alone")
      ->type_name("WEIGHTING")
      ->check(one_of({"auto", "lhardmax", "rhardmax", "ahardmax"}))
      ->capture_default_str();
  app->add_option("--count", command->count, "Words to look at")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  app->add_option("--length", command->length, "Their length")
      ->type_name("L")
      ->check(whole_number(1, 4096))
      ->capture_default_str();
  app->add_option("--seed", command->seed, "Another seed, other words")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->describe_json(
      "`{\"heads\":[{\"layer\",\"head\",\"weighting\",\"distance\",\"tied\"}…],\"words\",\"agreement\",\"soft\"|null,"
      "\"hard\"|null}`; "
      "the last three are `{\"words\",\"positions\"}`, shares: of hard with soft, and of both with the rule, null if "
      "there "
      "is none. With `-o` also `\"written\":[…]`, the file.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
