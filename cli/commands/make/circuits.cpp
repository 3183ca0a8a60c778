// quench circuits: a set of models whose circuits are known, for methods that look for circuits.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "circuits/write_set.h"
#include "cli/arguments/numbers.h"
#include "cli/command.h"
#include "cli/output/interrupt.h"
#include "cli/output/output.h"
#include "cli/output/progress.h"
#include "model/file/strict_json.h"

namespace quench::cli {
namespace {

constexpr std::size_t kMostPairs = 10'000;

struct CircuitsCommand {
  std::string output;
  std::vector<std::string> only;
  std::size_t count = circuits::entries().size(), pairs = 100;
  std::uint64_t seed = 1;
  bool json = false;
};

std::vector<circuits::Entry> chosen_entries(const CircuitsCommand& command) {
  const std::span<const circuits::Entry> all = circuits::entries();
  for (const std::string& name : command.only)
    if (std::none_of(all.begin(), all.end(), [&](const circuits::Entry& entry) { return entry.name() == name; })) {
      std::string names;
      for (const circuits::Entry& entry : all) names += " " + entry.name();
      throw UserError(fmt::format("--only: there is no model {}; there are{}", model::in_quotes(name), names));
    }
  std::vector<circuits::Entry> chosen;
  for (const circuits::Entry& entry : all)
    if (command.only.empty() || std::find(command.only.begin(), command.only.end(), entry.name()) != command.only.end())
      chosen.push_back(entry);
  chosen.resize(std::min(chosen.size(), command.count), chosen.front());
  return chosen;
}

std::string report_text(const circuits::CircuitSet& set, const std::string& folder) {
  std::string text = fmt::format("{:<28}{:>7}{:>7}{:>7}{:>12}{:>6}{:>11}{:>10}{:>7}\n", "model", "layers", "heads",
                                 "width", "candidates", "true", "differing", "changing", "pairs");
  for (const circuits::ModelSummary& model : set.models)
    text += fmt::format("{:<28}{:>7}{:>7}{:>7}{:>12}{:>6}{:>11}{:>10}{:>7}\n", model.name, model.layers, model.heads,
                        model.width, model.candidates, model.real, model.differing, model.changing, model.pairs);
  return text + fmt::format("written     {}: {} models, {} files\n", folder, set.models.size(), set.files.size());
}

std::string report_json(const circuits::CircuitSet& set, const std::string& folder) {
  const auto index = std::find_if(set.files.begin(), set.files.end(),
                                  [](const exports::ExportedFile& file) { return file.name == "index.json"; });
  nlohmann::ordered_json report{{"written", nlohmann::ordered_json::array({folder})}, {"files", set.files.size()}};
  report.update(nlohmann::ordered_json::parse(index->content));
  return report.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void run(const CircuitsCommand& command) {
  if (command.output.empty()) throw UserError("where to? -o DIR names the folder to be written");
  check_folder(command.output, "-o");
  const std::vector<circuits::Entry> chosen = chosen_entries(command);
  circuits::require_new_folder(command.output);
  const InterruptNote interrupt;
  Progress progress("models");
  std::size_t done = 0;
  const auto stop_if_asked = [&] {
    if (interrupt.signal() != 0) throw Interrupted{interrupt.signal()};
  };
  const circuits::CircuitSet set = circuits::make_set(chosen, {command.pairs, command.seed, [&](const std::string&) {
                                                                 stop_if_asked();
                                                                 progress.update(++done, chosen.size());
                                                               }});
  circuits::write_set(command.output, set);
  print(command.json ? report_json(set, command.output) : report_text(set, command.output));
}

}  // namespace

void add_circuits(App& program) {
  App* app =
      program.add_subcommand("circuits", "Write models with their true circuits and pairs of words, a benchmark");
  auto command = std::make_shared<CircuitsCommand>();
  app->set_usage("-o DIR");
  app->add_option("-o,--output", command->output, "The new folder to write")->type_name("DIR");
  app->add_option("--only", command->only, "These models, such as flip_flop,dyck_1; default all")
      ->delimiter(',')
      ->expected(1, -1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("LIST");
  app->add_option("--count", command->count, "At most so many models; the simplest come first")
      ->type_name("N")
      ->check(whole_number(1, circuits::entries().size()))
      ->capture_default_str();
  app->add_option("--pairs", command->pairs, "At most so many pairs of words for each model")
      ->type_name("N")
      ->check(whole_number(2, kMostPairs))
      ->capture_default_str();
  app->add_option("--seed", command->seed, "Another seed, other words")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
  app->add_flag("--json", command->json, "Report as one JSON object");
  app->describe_json(
      "`{\"written\":[…],\"files\",\"format\",\"version\",\"seed\",\"models\":[{\"name\",\"kind\",\"recipe\","
      "\"layers\","
      "\"heads\","
      "\"width\",\"hidden\",\"candidates\",\"true\",\"true_from_positions\",\"true_differing\",\"true_changing\","
      "\"pairs\","
      "\"classes\":[…],\"why\"}…]}`: edges by heads and feed-forwards, and clean words by their label "
      "(docs/circuits.md). What is written is the folder.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
