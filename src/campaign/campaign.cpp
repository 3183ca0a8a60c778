#include "campaign/campaign.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>

#include "base/error.h"
#include "base/text/suggest.h"
#include "campaign/library.h"
#include "lower/recipe.h"
#include "model/file/json_fields.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

using model::Field;

constexpr std::uint64_t kMostRules = 1'000'000'000, kMostWords = 1'000'000'000, kLongestWord = 10'000'000;
constexpr std::uint64_t kMostNear = 1000;

constexpr std::string_view kKinds[] = {"formula", "brasp", "srasp", "automaton"};

void only(const Field& field, const std::set<std::string>& keys) {
  if (!field.json().is_object()) field.wrong("an object");
  for (const auto& [key, value] : field.json().items())
    if (!keys.contains(key))
      throw IoError(fmt::format("field {}{}{} is none that campaigns have", field.where(),
                                field.where().empty() ? "" : ".", key));
}

bool has(const Field& field, const char* key) { return field.json().is_object() && field.json().contains(key); }

std::uint64_t natural_or(const Field& field, const char* key, std::uint64_t otherwise, std::uint64_t least,
                         std::uint64_t greatest) {
  if (!has(field, key)) return otherwise;
  const std::uint64_t value = field[key].natural(greatest);
  if (value < least) field[key].wrong(fmt::format("at least {}", least));
  return value;
}

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) throw IoError("cannot read " + path.string());
  return text.str();
}

GivenRule example_or_file(const Field& rule, const std::filesystem::path& folder) {
  if (has(rule, "file")) {
    only(rule, {"file"});
    const std::filesystem::path path = folder / rule["file"].text();
    return {path.filename().string(), text_of(path)};
  }
  only(rule, {"name", "text"});
  return {has(rule, "name") ? rule["name"].text() : "", rule["text"].text()};
}

RandomRules random_rules(const Field& rule) {
  only(rule, {"random", "count", "size", "symbols"});
  RandomRules rules;
  rules.kind =
      rule["random"].spelled([](const std::string& name) { return from_name<RuleKind>(name); }, "a kind of rule");
  rules.count = rule["count"].natural(kMostRules);
  rules.symbols = natural_or(rule, "symbols", rules.symbols, 1, 8);
  if (has(rule, "size")) {
    const Field size = rule["size"];
    if (!size.json().is_array() || size.size() != 2) size.wrong("a pair such as [1, 8]");
    std::vector<std::uint64_t> ends;
    size.for_each([&](const Field& end) { ends.push_back(end.natural(1000)); });
    if (ends[0] < 1 || ends[1] < ends[0]) size.wrong("a range from 1 or more upwards");
    rules.least_size = ends[0];
    rules.most_size = ends[1];
  }
  return rules;
}

void add_rules(const Field& rule, const std::filesystem::path& folder, Campaign& campaign) {
  if (has(rule, "random")) return campaign.random.push_back(random_rules(rule));
  if (!has(rule, "examples")) return campaign.rules.push_back(example_or_file(rule, folder));
  only(rule, {"examples"});
  const auto texts = examples(rule["examples"].text());
  if (texts.empty()) rule["examples"].wrong("formulas, programs or automata");
  for (const NamedText& example : texts)
    campaign.rules.push_back({std::string(example.name), std::string(example.text)});
}

Trial trial_of(const Field& field, Task task) {
  only(field,
       {"kinds", "formats", "engines", "exhaustive", "random", "adversarial", "near", "length", "shortest", "strict"});
  Trial trial;
  if (has(field, "kinds"))
    field["kinds"].for_each([&](const Field& kind) {
      trial.kinds.push_back(kind.text());
      if (std::ranges::find(kKinds, trial.kinds.back()) == std::end(kKinds))
        kind.wrong("formula, brasp, srasp or automaton");
    });
  field["formats"].for_each(
      [&](const Field& format) { trial.formats.push_back(format.spelled(number_format_from, "a number format")); });
  if (trial.formats.empty()) field["formats"].wrong("a list with a format in it");
  if (has(field, "engines"))
    field["engines"].for_each(
        [&](const Field& engine) { trial.engines.push_back(engine.spelled(run::engine_from, "an engine")); });
  else
    trial.engines = {run::Engine::automatic};
  if (trial.engines.empty()) field["engines"].wrong("a list with an engine in it");
  trial.exhaustive = natural_or(field, "exhaustive", 0, 0, kMostWords);
  trial.random = natural_or(field, "random", 0, 0, kMostWords);
  trial.adversarial = natural_or(field, "adversarial", 0, 0, kMostWords);
  trial.near = natural_or(field, "near", 0, 0, kMostNear);
  const bool longer = trial.random + trial.adversarial + trial.near > 0;
  trial.length = natural_or(field, "length", longer ? 64 : 0, 0, kLongestWord);
  if (trial.length == 0 && longer) field["length"].wrong("at least 1, as random, adversarial and near words need");
  trial.shortest = natural_or(field, "shortest", 1, 1, kLongestWord);
  if (has(field, "strict")) trial.strict = field["strict"].boolean();
  if (task == Task::verify && !longer && trial.exhaustive == 0)
    throw IoError(
        fmt::format("field {} tries no words: it wants exhaustive, random, adversarial or near ones", field.where()));
  return trial;
}

}  // namespace

Campaign campaign_from_json(std::string_view text, const std::filesystem::path& folder) {
  const nlohmann::json json = model::parse_strict_json(text, "the campaign");
  const Field root(json, "", "field");
  only(root, {"name", "about", "task", "seed", "parts", "made_for", "rules", "recipes", "trials"});
  Campaign campaign;
  campaign.name = root["name"].text();
  if (has(root, "about")) campaign.about = root["about"].text();
  campaign.task = root["task"].spelled([](const std::string& name) { return from_name<Task>(name); }, "a task");
  if (has(root, "seed")) campaign.seed = root["seed"].natural(UINT64_MAX);
  campaign.parts = natural_or(root, "parts", 1, 1, 1'000'000);
  campaign.made_for = natural_or(root, "made_for", 0, 1, lower::kLongestExact);
  root["rules"].for_each([&](const Field& rule) { add_rules(rule, folder, campaign); });
  if (has(root, "recipes") && root["recipes"].json() != "all")
    root["recipes"].for_each([&](const Field& recipe) { campaign.recipes.push_back(recipe.text()); });
  root["trials"].for_each([&](const Field& trial) { campaign.trials.push_back(trial_of(trial, campaign.task)); });
  if (campaign.trials.empty()) root["trials"].wrong("a list with a trial in it");
  return campaign;
}

std::string_view kind_of(const lang::Rule& rule) {
  const auto* program = std::get_if<lang::Program>(&rule);
  return kKinds[program ? (program->is_brasp() ? 1 : 2) : std::holds_alternative<lang::Formula>(rule) ? 0 : 3];
}

std::string_view name_of(run::Engine engine) {
  for (const std::string_view name : {"auto", "reference", "dense", "structured"})
    if (run::engine_from(name) == engine) return name;
  throw InternalError("an engine without a name");
}

std::string to_json(const Campaign& campaign) {
  nlohmann::ordered_json json{{"name", campaign.name},
                              {"about", campaign.about},
                              {"task", quench::name_of(campaign.task)},
                              {"seed", campaign.seed},
                              {"parts", campaign.parts}};
  if (campaign.made_for > 0) json["made_for"] = campaign.made_for;
  json["rules"] = nlohmann::ordered_json::array();
  for (const GivenRule& rule : campaign.rules) json["rules"].push_back({{"name", rule.name}, {"text", rule.text}});
  for (const RandomRules& rules : campaign.random)
    json["rules"].push_back({{"random", quench::name_of(rules.kind)},
                             {"count", rules.count},
                             {"size", {rules.least_size, rules.most_size}},
                             {"symbols", rules.symbols}});
  json["recipes"] = campaign.recipes.empty() ? nlohmann::ordered_json("all") : nlohmann::ordered_json(campaign.recipes);
  json["trials"] = nlohmann::ordered_json::array();
  for (const Trial& trial : campaign.trials) {
    auto formats = nlohmann::ordered_json::array(), engines = nlohmann::ordered_json::array();
    for (const NumberFormat format : trial.formats) formats.push_back(to_string(format));
    for (const run::Engine engine : trial.engines) engines.push_back(name_of(engine));
    json["trials"].push_back({{"kinds", trial.kinds},
                              {"formats", formats},
                              {"engines", engines},
                              {"exhaustive", trial.exhaustive},
                              {"random", trial.random},
                              {"adversarial", trial.adversarial},
                              {"near", trial.near},
                              {"length", trial.length},
                              {"shortest", trial.shortest},
                              {"strict", trial.strict}});
  }
  return json.dump();
}

Campaign load_campaign(const std::string& file_or_name) {
  std::vector<std::string_view> names;
  for (const NamedText& ours : campaigns()) {
    if (ours.name == file_or_name) return campaign_from_json(ours.text);
    names.push_back(ours.name);
  }
  const std::filesystem::path path = file_or_name;
  if (!std::filesystem::is_regular_file(path)) {
    const std::string meant = nearest(file_or_name, names);
    throw IoError(fmt::format("there is no campaign {} and no such file; ours are {}{}", model::in_quotes(file_or_name),
                              fmt::join(names, ", "), meant.empty() ? "" : fmt::format("; did you mean {}?", meant)));
  }
  try {
    return campaign_from_json(text_of(path), path.parent_path());
  } catch (const IoError& error) {
    throw IoError(fmt::format("{}: {}", file_or_name, error.what()));
  }
}

}  // namespace quench::campaign
