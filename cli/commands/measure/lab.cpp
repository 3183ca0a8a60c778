// quench lab: the experiments, by name or all of them.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/error.h"
#include "cli/arguments/arguments.h"
#include "cli/arguments/numbers.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/interrupt.h"
#include "cli/output/progress.h"
#include "cli/output/terminal.h"
#include "lab/session.h"

namespace quench::cli {
namespace {

struct LabCommand {
  std::vector<std::string> names;
  std::string out = "lab-results";
  lab::Settings settings;
  bool force = false, json = false;
  int threads = 0;
};

void list(bool json) {
  if (json) {
    auto all = nlohmann::ordered_json::array();
    for (const lab::Experiment& experiment : lab::experiments())
      all.push_back({{"name", experiment.name}, {"title", experiment.title}, {"claim", experiment.claim}});
    return print(nlohmann::ordered_json{{"experiments", all}}.dump() + "\n");
  }
  for (const lab::Experiment& experiment : lab::experiments())
    print(fmt::format("{:<25}{}\n", experiment.name, experiment.title));
}

std::vector<const lab::Experiment*> chosen(const std::vector<std::string>& names) {
  std::vector<const lab::Experiment*> experiments;
  for (const std::string& name : names) {
    if (name == "all") {
      for (const lab::Experiment& experiment : lab::experiments()) experiments.push_back(&experiment);
    } else if (const lab::Experiment* experiment = lab::find_experiment(name)) {
      experiments.push_back(experiment);
    } else {
      const std::string nearest = lab::nearest_experiment(name);
      throw UserError(fmt::format("there is no experiment '{}'{}; `quench lab list` shows them", name,
                                  nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
    }
  }
  return experiments;
}

/// Waits for an interrupt while experiments run, says what is kept of the one that it meets, and ends the program: cases
/// take minutes, and their journal is whole at any moment.
class Watch {
 public:
  explicit Watch(const LabCommand& command)
      : command_(command), thread_([this](const std::stop_token& end) { wait(end); }) {}
  void now(const lab::Experiment& experiment) { experiment_ = &experiment; }

 private:
  void wait(const std::stop_token& end) const {
    while (!end.stop_requested() && interrupt_.signal() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    if (interrupt_.signal() == 0) return;
    say((stderr_redraws() ? "\r\033[K" : "") + sentence());
    interrupt_.pass_on();
  }

  std::string sentence() const {
    const lab::Experiment* experiment = experiment_;
    if (!experiment) return "interrupted before the first experiment\n";
    const std::filesystem::path journal = std::filesystem::path(command_.out) / (experiment->name + ".part");
    std::error_code ignored;
    if (!std::filesystem::exists(journal, ignored))
      return fmt::format("interrupted before the first case of {} was measured\n", experiment->name);
    return fmt::format("interrupted in {}; the cases that are done are in {}, and {} goes on from there\n",
                       experiment->name, journal.string(),
                       command_.force ? "the command without --force" : "the same command");
  }

  const LabCommand& command_;
  std::atomic<const lab::Experiment*> experiment_ = nullptr;
  InterruptNote interrupt_;
  std::jthread thread_;
};

void run(const LabCommand& command) {
  const auto experiments = chosen(command.names);
  const auto takes_automata = [](const lab::Experiment* experiment) { return static_cast<bool>(experiment->input); };
  if (!command.settings.automata.empty() && std::none_of(experiments.begin(), experiments.end(), takes_automata))
    throw UserError("--automata is for experiments that take automata: regular-atlas");
  check_folder(command.out, "--out");
  std::optional<tbb::global_control> limit;
  if (command.threads > 0)
    limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(command.threads));
  lab::prepare_directory(command.out);
  Watch watch(command);
  for (const lab::Experiment* experiment : experiments) {
    watch.now(*experiment);
    lab::Outcome outcome;
    {
      Progress bar(experiment->name);
      const auto update = [&](std::size_t done, std::size_t total) { bar.update(done, total); };
      outcome = lab::run_experiment(*experiment, {command.settings, command.out, command.force, update});
    }
    print(fmt::format("{}{}\n", experiment->name,
                      !outcome.measured     ? " (there already; --force measures again)"
                      : outcome.resumed > 0 ? fmt::format(" ({} cases from an unfinished run)", outcome.resumed)
                                            : ""));
    for (const lab::Finding& finding : outcome.findings)
      print(fmt::format("  {}: {}\n", lab::to_string(finding.verdict), finding.sentence));
    flush();
  }
  lab::write_index(command.out);
  print(fmt::format("written to {}/ (index.html, index.md)\n", command.out));
}

}  // namespace

void add_lab(App& program) {
  App* app = program.add_subcommand("lab", "Claims as measurements: experiments with tables, figures and pages");
  app->require_subcommand(1);
  app->set_usage("(list | run NAME...)");
  auto command = std::make_shared<LabCommand>();

  App* show = app->add_subcommand("list", "The experiments");
  show->set_usage("");
  show->add_flag("--json", command->json, "One JSON object: name, title, claim of each");
  show->describe_json("`{\"experiments\":[{\"name\",\"title\",\"claim\"}…]}`.");
  show->callback([command] { list(command->json); });

  App* work = app->add_subcommand("run", "Run experiments by name, or all");
  work->set_usage("NAME...");
  std::vector<std::string> names = {"all"};
  for (const lab::Experiment& experiment : lab::experiments()) names.push_back(experiment.name);
  work->add_words("NAME", command->names)->group("")->required()->offer(std::move(names));
  work->add_option("--out", command->out, "Write CSV, SVG, HTML and Markdown here")
      ->type_name("DIR")
      ->capture_default_str();
  work->add_flag("--quick", command->settings.quick, "Smaller grids: all of them in about five minutes");
  work->add_option("--seed", command->settings.seed, "Another seed, other words and scores; same seed, same results")
      ->type_name("N")
      ->check(any_whole_number())
      ->capture_default_str();
  work->add_option("--automata", command->settings.automata,
                   "Of regular-atlas: measure the automata of this folder (.dfa, .att, .hoa, .regex) instead")
      ->type_name("DIR");
  work->add_flag("--force", command->force, "Measure again even if finished results are there");
  work->add_option("--threads", command->threads, "0: all cores")->type_name("T")->check(thread_count());
  work->callback([command] { run(*command); });
}

}  // namespace quench::cli
